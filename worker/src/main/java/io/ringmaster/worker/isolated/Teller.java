package io.ringmaster.worker.isolated;

import io.ringmaster.worker.isolated.Messages.Event;
import io.ringmaster.worker.isolated.Messages.Left;
import io.ringmaster.worker.isolated.Wire.Kind;
import io.ringmaster.worker.job.OutputDigest;
import io.ringmaster.worker.job.RunControl;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import io.ringmaster.worker.tensor.NpyWriter;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

/** Tells the parent what happens in a job. */
final class Teller implements RunControl {

  /** Characters of a log that go into one message. */
  private static final int MOST_TEXT = 1 << 18;

  private final ChildMain child;
  private final long task;
  private final Messages.Job job;

  Teller(ChildMain child, long task, Messages.Job job) {
    this.child = child;
    this.task = task;
    this.job = job;
  }

  @Override
  public boolean isCancelled() {
    return child.isCancelled();
  }

  @Override
  public void mayTake(int runIndex, Duration all) {
    child.say(Kind.MAY_TAKE, task, new Event(runIndex, "", all.toNanos(), 0));
  }

  @Override
  public void stopping(int runIndex, String where) {
    child.say(Kind.STOPPING, task, Event.of(runIndex, where));
  }

  @Override
  public void phase(int runIndex, String phase) {
    child.say(Kind.PHASE, task, Event.of(runIndex, phase));
  }

  @Override
  public void log(int runIndex, String text) {
    for (int from = 0; from < text.length(); from += MOST_TEXT) {
      String part = text.substring(from, Math.min(text.length(), from + MOST_TEXT));
      child.say(Kind.LOG, task, Event.of(runIndex, part));
    }
  }

  @Override
  public long mostOutputBytes() {
    return job.mostOutputBytes();
  }

  @Override
  public void output(int runIndex, String name, HostTensor tensor) {
    if (job.mostOutputBytes() == 0) {
      return;
    }
    if (tensor.elements() * tensor.dtype().bytes() > job.mostOutputBytes()) {
      outputLeftOut(runIndex, name, tensor.dtype(), OutputDigest.of(tensor));
      return;
    }
    try (var pieces = pieces()) {
      NpyWriter.write(tensor, pieces);
    } catch (IOException e) {
      throw new UncheckedIOException("an output can't be handed over", e);
    }
    child.say(Kind.OUTPUT, task, new Left(runIndex, name, tensor.dtype().name(), ""));
  }

  @Override
  public void outputLeftOut(int runIndex, String name, DType dtype, String digest) {
    child.say(Kind.OUTPUT_LEFT_OUT, task, new Left(runIndex, name, dtype.name(), digest));
  }

  @Override
  public void compiled(int runIndex, String pass, long nanos) {
    child.say(Kind.COMPILED, task, new Event(runIndex, pass, nanos, 0));
  }

  @Override
  public void launched(int runIndex, long instructions) {
    child.say(Kind.LAUNCHED, task, new Event(runIndex, "", instructions, 0));
  }

  @Override
  public void compared(int runIndex, DType type, double maxUlps) {
    child.say(Kind.COMPARED, task, new Event(runIndex, type.name(), 0, maxUlps));
  }

  @Override
  public int timelineEvents() {
    return job.timelineEvents();
  }

  @Override
  public void timeline(int runIndex, String json) {
    try (var pieces = pieces()) {
      pieces.write(json.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException("a timeline can't be handed over", e);
    }
    child.say(Kind.TIMELINE, task, Event.of(runIndex, ""));
  }

  /** A stream whose content goes over in pieces. */
  private OutputStream pieces() {
    var sending =
        new OutputStream() {
          @Override
          public void write(int one) {
            write(new byte[] {(byte) one}, 0, 1);
          }

          @Override
          public void write(byte[] bytes, int from, int length) {
            int end = from + length;
            for (int at = from; at < end; at += Kind.PIECE.most()) {
              child.say(
                  Kind.PIECE,
                  task,
                  Arrays.copyOfRange(bytes, at, Math.min(end, at + Kind.PIECE.most())));
            }
          }
        };
    return new BufferedOutputStream(sending, 1 << 16);
  }
}
