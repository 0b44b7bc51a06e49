package io.ringmaster.worker.codegen;

import io.ringmaster.worker.ir.Attribute;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.tensor.DType;

/** Reads attributes of an operation, with a default for one that is missing. */
final class Attributes {

  private Attributes() {}

  static long integer(Expr.Op op, String name, long otherwise) {
    return switch (op.attributes().get(name)) {
      case Attribute.Int value -> value.value();
      case null -> otherwise;
      case Attribute other -> throw wrong(op, name, other);
    };
  }

  static boolean bool(Expr.Op op, String name, boolean otherwise) {
    return switch (op.attributes().get(name)) {
      case Attribute.Bool value -> value.value();
      case Attribute.Int value -> value.value() != 0;
      case null -> otherwise;
      case Attribute other -> throw wrong(op, name, other);
    };
  }

  static String text(Expr.Op op, String name, String otherwise) {
    return switch (op.attributes().get(name)) {
      case Attribute.Text value -> value.value();
      case Attribute.Int value -> Long.toString(value.value());
      case null -> otherwise;
      case Attribute other -> throw wrong(op, name, other);
    };
  }

  static DType dtype(Expr.Op op, String name, DType otherwise) {
    return switch (op.attributes().get(name)) {
      case Attribute.Dtype value -> value.value();
      case null -> otherwise;
      case Attribute other -> throw wrong(op, name, other);
    };
  }

  /** True for {@code atomic=Add}. */
  static boolean atomicAdd(Expr.Op op) {
    return switch (op.attributes().get("atomic")) {
      case Attribute.Atomic value -> value.add();
      case Attribute.Bool value -> value.value();
      case null -> false;
      case Attribute other -> throw wrong(op, "atomic", other);
    };
  }

  /** True for {@code op=Set}; AtomicAdd is the default. */
  static boolean isSet(Expr.Op op) {
    return switch (op.attributes().get("op")) {
      case Attribute.Notify value -> value.value() == Attribute.NotifyOp.SET;
      case null -> false;
      case Attribute other -> throw wrong(op, "op", other);
    };
  }

  /** True for {@code cmp=Eq}; Ge is the default. */
  static boolean isExact(Expr.Op op) {
    return switch (op.attributes().get("cmp")) {
      case Attribute.Compare value -> value.value() == Attribute.WaitCmp.EQ;
      case null -> false;
      case Attribute other -> throw wrong(op, "cmp", other);
    };
  }

  /** A numeric constant as raw scalar of {@code dtype}. */
  static long number(Expr.Op op, String name, DType dtype) {
    return switch (op.attributes().get(name)) {
      case Attribute.Int value ->
          dtype.isFloat()
              ? Scalars.raw(dtype, (double) value.value())
              : Scalars.wrap(dtype, value.value());
      case Attribute.Float value ->
          dtype.isFloat()
              ? Scalars.raw(dtype, value.value())
              : Scalars.wrap(dtype, (long) value.value());
      case Attribute.Bool value -> Scalars.convert(value.value() ? 1 : 0, DType.BOOL, dtype);
      case null -> 0;
      case Attribute other -> throw wrong(op, name, other);
    };
  }

  private static IllegalArgumentException wrong(Expr.Op op, String name, Attribute found) {
    return new IllegalArgumentException(
        op.code().printedName() + ": attribute " + name + " is " + found);
  }
}
