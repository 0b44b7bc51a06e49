package io.ringmaster.worker.frontend;

import io.ringmaster.worker.ir.Function.Level;

/** What its decorator makes of a free function. */
enum JitRole {
  HOST("@pl.jit.host"),
  CHIP("@pl.jit"),
  INCORE("@pl.jit.incore"),
  INLINE("@pl.jit.inline"),
  OPAQUE("@pl.jit.opaque");

  private final String decorator;

  JitRole(String decorator) {
    this.decorator = decorator;
  }

  String decorator() {
    return decorator;
  }

  /** Where the function runs when {@code caller} calls it: inline code runs where it stands. */
  Level level(Level caller) {
    return switch (this) {
      case HOST -> Level.HOST;
      case CHIP, OPAQUE -> Level.ORCHESTRATION;
      case INCORE -> Level.INCORE;
      case INLINE -> caller;
    };
  }
}
