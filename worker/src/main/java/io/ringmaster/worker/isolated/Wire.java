package io.ringmaster.worker.isolated;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * What the two processes say to each other: frames of a mark, a kind, the number of the task they
 * belong to, and a body of bounded size. Neither side believes the other blindly.
 */
final class Wire {

  private static final int MARK = 0x524D_4331;

  private Wire() {}

  /** What a frame is; each has a size that its body never has more of. */
  enum Kind {
    /** To the child: execute a submission. */
    JOB(1, 64 << 20),
    /** To the child: say which devices there are. */
    PROBE(2, 0),
    /** To the child: compare this host's devices with the simulator. */
    CHECK(18, 1 << 10),
    /** To the child: measure a collective. */
    BENCH(19, 1 << 12),
    /** To the child: measure what a cost model is fitted to. */
    CALIBRATE(20, 1 << 10),
    /** To the child: end the task early. */
    CANCEL(3, 0),
    /** The child is ready; its version. */
    HELLO(4, 1 << 10),
    PHASE(5, 1 << 14),
    LOG(6, 4 << 20),
    MAY_TAKE(7, 1 << 10),
    COMPILED(8, 1 << 10),
    LAUNCHED(9, 1 << 10),
    COMPARED(10, 1 << 10),
    /** The next piece of the content that OUTPUT or TIMELINE then names. */
    PIECE(11, 1 << 20),
    OUTPUT(12, 1 << 14),
    /** An output that is too large to come over. */
    OUTPUT_LEFT_OUT(13, 1 << 14),
    TIMELINE(14, 1 << 10),
    /** Which function of the driver doesn't return; empty when it did. */
    DOING(15, 1 << 10),
    /** A run is told to stop: what it is doing. */
    STOPPING(21, 1 << 14),
    /** The result of a task; it is over. */
    RESULT(16, 512 << 20),
    /** The task broke what executes it; it is over, in words. */
    FAILED(17, 1 << 16);

    private final int number;
    private final int most;

    Kind(int number, int most) {
      this.number = number;
      this.most = most;
    }

    /** What stands for it in a frame. */
    int number() {
      return number;
    }

    private static Optional<Kind> of(int number) {
      return Arrays.stream(values()).filter(kind -> kind.number == number).findFirst();
    }

    int most() {
      return most;
    }
  }

  /** One message. */
  // An array, because it is a message's content and never compared as a component.
  @SuppressWarnings("ArrayRecordComponent")
  record Frame(Kind kind, long task, byte[] body) {

    String text() {
      return new String(body, StandardCharsets.UTF_8);
    }
  }

  /** The other side says something that nobody should say. */
  static final class Garbled extends IOException {
    private static final long serialVersionUID = 1L;

    Garbled(String what) {
      super(what);
    }

    Garbled(String what, Throwable cause) {
      super(what, cause);
    }
  }

  /** Says something; the caller makes sure that nobody else speaks meanwhile. */
  static void write(OutputStream to, Kind kind, long task, byte[] body) throws IOException {
    if (body.length > kind.most()) {
      throw new IllegalArgumentException(kind + " of " + body.length + " bytes is too large");
    }
    var out = new DataOutputStream(to);
    out.writeInt(MARK);
    out.writeByte(kind.number());
    out.writeLong(task);
    out.writeInt(body.length);
    out.write(body);
    out.flush();
  }

  /**
   * Hears the next frame; memory is taken only for what has arrived.
   *
   * @return empty when the other side has ended
   * @throws Garbled when what comes is no frame, or too large
   */
  static Optional<Frame> read(InputStream from) throws IOException {
    var in = new DataInputStream(from);
    byte[] start = in.readNBytes(Integer.BYTES);
    if (start.length == 0) {
      return Optional.empty();
    }
    try {
      if (start.length < Integer.BYTES || mark(start) != MARK) {
        throw new Garbled("what it says isn't a message");
      }
      int number = in.readUnsignedByte();
      Kind kind =
          Kind.of(number)
              .orElseThrow(
                  () ->
                      new Garbled("it sends a message of kind " + number + ", which there isn't"));
      long task = in.readLong();
      int length = in.readInt();
      if (length < 0 || length > kind.most()) {
        throw new Garbled(
            "its message " + kind + " of " + (length & 0xFFFF_FFFFL) + " bytes is too large");
      }
      byte[] body = in.readNBytes(length);
      if (body.length < length) {
        throw new Garbled("it ends in the middle of a message");
      }
      return Optional.of(new Frame(kind, task, body));
    } catch (EOFException e) {
      throw new Garbled("it ends in the middle of a message", e);
    }
  }

  private static int mark(byte[] four) {
    return (four[0] & 0xFF) << 24
        | (four[1] & 0xFF) << 16
        | (four[2] & 0xFF) << 8
        | (four[3] & 0xFF);
  }
}
