package io.ringmaster.worker.script.value;

import io.ringmaster.worker.script.LimitExceeded;
import io.ringmaster.worker.script.ScriptLimits;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.stop.StopOrder;
import io.ringmaster.worker.tensor.HostBuffer;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;

/** Counts what a script uses and stops it at the limits. */
public final class Budget {

  /** More than any driver computes with, and quick enough to work on. */
  public static final int MAX_INTEGER_BITS = 1 << 16;

  /** Lists and texts lie on the heap, which a worker shares with others: never more than this. */
  private static final long MOST_OBJECT_BYTES =
      Math.min(256L << 20, Runtime.getRuntime().maxMemory() / 16);

  /** Characters of one text: what is done to a text as a whole must not hold the run for long. */
  public static final int MOST_CHARACTERS = 1 << 24;

  /** What a tensor takes beside its elements: objects on the heap, and rounding up. */
  private static final long TENSOR_BYTES = 2048;

  private static final int ELEMENTS_PER_STEP = 32;

  private final ScriptLimits limits;
  private final String file;
  private final Map<Reference<?>, Long> tensors = new HashMap<>();
  private final ReferenceQueue<HostBuffer> freed = new ReferenceQueue<>();
  private long steps;
  private int depth;
  private long objectBytes;
  private long tensorBytes;
  private Span here = Span.NONE;

  /**
   * Counts from zero.
   *
   * @param file name of the script's source file
   */
  public Budget(ScriptLimits limits, String file) {
    this.limits = limits;
    this.file = file;
  }

  /**
   * Where the script is: the place named when a limit is hit. While a function of our own library
   * runs it is the script's call of that: nobody can look into the library.
   */
  public Span here() {
    return here;
  }

  /** The script is at that place; one in the library is none of the script's. */
  public void moveTo(Span span) {
    if (isInScript(span)) {
      here = span;
    }
  }

  /** Whether a place is one of the script's own file. */
  public boolean isInScript(Span span) {
    return span.file().equals(file);
  }

  /** The same refusal with the script's place where the library's code was refused. */
  public DiagnosticException inScript(DiagnosticException refusal) {
    if (refusal.diagnostics().stream().allMatch(d -> !d.span().isKnown() || isInScript(d.span()))) {
      return refusal;
    }
    return new DiagnosticException(
        refusal.diagnostics().stream()
            .map(
                d ->
                    !d.span().isKnown() || isInScript(d.span())
                        ? d
                        : new Diagnostic(d.severity(), d.message(), d.hint(), here, d.mayFollow()))
            .toList());
  }

  public void step() {
    steps++;
    if (steps > limits.steps()) {
      throw stepsExceeded();
    }
    StopOrder.look();
  }

  /** Counts work on many elements. */
  public void elements(long count) {
    work(count / ELEMENTS_PER_STEP + 1);
  }

  public void work(long more) {
    steps = steps + more < 0 ? Long.MAX_VALUE : steps + more;
    if (steps > limits.steps()) {
      throw stepsExceeded();
    }
    StopOrder.look();
  }

  public long steps() {
    return steps;
  }

  /**
   * Counts a call that begins; whoever begins it counts its end with {@link #leaveCall}.
   *
   * @throws PyError RecursionError, which scripts may catch; the call hasn't begun then
   */
  public void enterCall() {
    if (depth >= limits.callDepth()) {
      throw Errors.recursion(
          new LimitExceeded(
              LimitExceeded.Kind.RECURSION,
              "recursion limit: more than " + limits.callDepth() + " nested calls",
              here));
    }
    depth++;
  }

  public void leaveCall() {
    depth--;
  }

  /** Counts bytes of lists, texts and the like; they count for ever. */
  public void objects(long bytes) {
    long most = Math.min(limits.memoryBytes(), MOST_OBJECT_BYTES);
    if (bytes < 0 || bytes > most - objectBytes) {
      throw memoryExceeded("lists, texts and checks", objectBytes, bytes, most);
    }
    objectBytes += bytes;
  }

  /** Counts a text that is made. */
  public void text(long characters) {
    room(characters);
    objects(characters);
  }

  /** Asks whether a text may be that long, as it grows. */
  public void room(long characters) {
    if (characters > MOST_CHARACTERS) {
      throw new LimitExceeded(
          LimitExceeded.Kind.TEXT_SIZE,
          "text limit: a text of " + characters + " characters or more: at most " + MOST_CHARACTERS,
          here);
    }
  }

  /** Asks before tensor memory is allocated. */
  public void beforeTensor(long elementBytes) {
    long bytes = elementBytes < 0 ? elementBytes : elementBytes + TENSOR_BYTES;
    forgetFreed();
    if (fits(bytes)) {
      return;
    }
    // Buffers are freed when unreachable, and nothing has told the collector to hurry so far.
    System.gc();
    for (int round = 0; round < 4 && !fits(bytes); round++) {
      awaitFreed();
    }
    if (!fits(bytes)) {
      throw memoryExceeded("tensors", tensorBytes, bytes, limits.memoryBytes());
    }
  }

  /** This run may use as much, but the machine has no more: others use it too. */
  public LimitExceeded machineFull(long bytes) {
    return new LimitExceeded(
        LimitExceeded.Kind.MEMORY,
        "memory limit of this worker: no room for "
            + bytes
            + " more bytes of tensors (this run has "
            + tensorBytes
            + ", limit: "
            + limits.memoryBytes()
            + "); all its runs together have "
            + Runtime.getRuntime().maxMemory(),
        here);
  }

  /** Counts a buffer for as long as it lives. */
  public void afterTensor(HostBuffer buffer) {
    long bytes = buffer.byteSize() + TENSOR_BYTES;
    tensors.put(new PhantomReference<>(buffer, freed), bytes);
    tensorBytes += bytes;
  }

  /** Refuses integers beyond {@link #MAX_INTEGER_BITS}; counts work on big ones. */
  public BigInteger checked(BigInteger value) {
    int bits = value.bitLength();
    if (bits > 1024) {
      bits(bits);
      work(bits / 256);
      objects(bits / 8);
    }
    return value;
  }

  /** Asks before an integer of so many bits is made. */
  public void bits(long bits) {
    if (bits > MAX_INTEGER_BITS) {
      throw new LimitExceeded(
          LimitExceeded.Kind.NUMBER_SIZE,
          "integer limit: an integer of "
              + bits
              + " bits: at most "
              + MAX_INTEGER_BITS
              + " bits are computed with",
          here);
    }
  }

  private boolean fits(long bytes) {
    return bytes >= 0 && bytes <= limits.memoryBytes() - tensorBytes;
  }

  private void forgetFreed() {
    for (Reference<?> gone = freed.poll(); gone != null; gone = freed.poll()) {
      forget(gone);
    }
  }

  private void awaitFreed() {
    try {
      Reference<?> gone = freed.remove(50);
      if (gone != null) {
        forget(gone);
      }
      forgetFreed();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      StopOrder.look();
    }
  }

  private void forget(Reference<?> gone) {
    Long bytes = tensors.remove(gone);
    if (bytes != null) {
      tensorBytes -= bytes;
    }
  }

  private LimitExceeded stepsExceeded() {
    return new LimitExceeded(
        LimitExceeded.Kind.STEPS,
        "step limit: the script took more than " + limits.steps() + " steps",
        here);
  }

  private LimitExceeded memoryExceeded(String what, long used, long more, long most) {
    return new LimitExceeded(
        LimitExceeded.Kind.MEMORY,
        "memory limit: "
            + (more < 0 ? "more bytes than can be counted" : more + " more bytes")
            + " for "
            + what
            + " (in use: "
            + used
            + ", limit: "
            + most
            + ")",
        here);
  }
}
