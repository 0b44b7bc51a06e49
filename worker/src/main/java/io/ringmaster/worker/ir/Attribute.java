package io.ringmaster.worker.ir;

import io.ringmaster.worker.tensor.DType;

/** A compile-time property of an operation. */
public sealed interface Attribute {

  record Int(long value) implements Attribute {}

  record Float(double value) implements Attribute {}

  record Bool(boolean value) implements Attribute {}

  record Text(String value) implements Attribute {}

  record Dtype(DType value) implements Attribute {}

  record Memory(Type.MemorySpace value) implements Attribute {}

  record Notify(NotifyOp value) implements Attribute {}

  record Compare(WaitCmp value) implements Attribute {}

  record Atomic(boolean add) implements Attribute {}

  record Reduce(ReduceOp value) implements Attribute {}

  /** How a notify changes its cell ({@code pld.NotifyOp}). */
  enum NotifyOp {
    SET,
    ATOMIC_ADD
  }

  /** How a wait compares ({@code pld.WaitCmp}); signed 32-bit. */
  enum WaitCmp {
    EQ,
    GE
  }

  /** Reduction of a collective ({@code pld.ReduceOp}). */
  enum ReduceOp {
    SUM,
    MAX,
    MIN,
    PROD
  }
}
