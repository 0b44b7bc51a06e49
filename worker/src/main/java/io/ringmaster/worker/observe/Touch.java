package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.Access;
import io.ringmaster.worker.fabric.Operation;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.source.Span;
import java.util.Optional;

/**
 * Who touched bytes, how and when: what the shadow of a window keeps.
 *
 * @param rowBytes length of the contiguous run that the access was made of; for messages
 * @param collective name of the built-in collective that the access belongs to; empty outside
 * @param behind the last wait that the rank had passed in the same dispatch; for messages
 */
record Touch(
    Access.Kind kind,
    Stamp when,
    Operation operation,
    Span span,
    long rowBytes,
    String collective,
    Optional<SignalWait> behind) {

  int rank() {
    return when.rank();
  }

  boolean reads() {
    return kind == Access.Kind.READ;
  }

  /** Two touches that may not be unordered: any but two reads or two atomic adds. */
  boolean conflictsWith(Touch other) {
    return kind == Access.Kind.WRITE || kind != other.kind;
  }

  /**
   * True when this touch, coming after {@code earlier} in every schedule, makes it superfluous:
   * whatever races with the earlier one later on races with this one too.
   */
  boolean replaces(Touch earlier) {
    return switch (kind) {
      case WRITE -> true;
      case ATOMIC_ADD -> earlier.kind == Access.Kind.ATOMIC_ADD;
      // Reads of other ranks stay, so that a report can name the one that matters.
      case READ -> earlier.reads() && earlier.rank() == rank();
    };
  }

  /** True when a loop made the same access again before anything else could happen. */
  boolean sameAs(Touch other) {
    return kind == other.kind
        && when == other.when
        && operation == other.operation
        && rowBytes == other.rowBytes
        && span.equals(other.span)
        && collective.equals(other.collective);
  }
}
