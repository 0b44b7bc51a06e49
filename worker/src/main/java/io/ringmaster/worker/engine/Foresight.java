package io.ringmaster.worker.engine;

import io.ringmaster.worker.fabric.FabricListener;
import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.tensor.HostBuffer;
import io.ringmaster.worker.tensor.HostTensor;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * What the ranks of a run that stands still would notify if no wait held them up: the program is
 * run once more, over copies, without values and without waiting.
 */
final class Foresight implements FabricListener {

  private static final long MOST_INSTRUCTIONS = 20_000_000;
  private static final Duration MOST_TIME = Duration.ofSeconds(2);
  private static final long MOST_BYTES = 64L << 20;

  /** Notifies that are told apart. */
  private static final int MOST_NOTIFIES = 1 << 16;

  private record Key(int rank, int owner, int window, long cell) {}

  private final Map<Key, Notification> notifies = new LinkedHashMap<>();

  private Foresight() {}

  /**
   * Runs it.
   *
   * @param freely runs a request without waiting
   * @return empty where it doesn't come to an end, or takes too much, or works on the host
   */
  static Optional<List<Notification>> of(
      RunRequest request, Function<RunRequest, RunOutcome> freely) {
    long bytes = request.arguments().stream().mapToLong(one -> one.buffer().byteSize()).sum();
    if (bytes > MOST_BYTES || !request.work().names().isEmpty()) {
      return Optional.empty();
    }
    Foresight foresight = new Foresight();
    RunOutcome outcome =
        freely.apply(
            new RunRequest(
                request.program(),
                request.profile(),
                request.deviceIds(),
                copies(request.arguments()),
                request.seed(),
                new Limits(
                    Math.min(MOST_INSTRUCTIONS, request.limits().instructions()),
                    MOST_TIME,
                    request.limits().memoryBytes()),
                List.of(foresight),
                request.cancelled(),
                HostWork.NONE,
                request.conditions(),
                true,
                Optional.empty()));
    return outcome.isFinished() && foresight.notifies.size() < MOST_NOTIFIES
        ? Optional.of(List.copyOf(foresight.notifies.values()))
        : Optional.empty();
  }

  /** Copies that share what the tensors share. */
  private static List<HostTensor> copies(List<HostTensor> tensors) {
    IdentityHashMap<HostBuffer, HostBuffer> made = new IdentityHashMap<>();
    return tensors.stream()
        .map(
            tensor ->
                new HostTensor(
                    made.computeIfAbsent(tensor.buffer(), Foresight::copy),
                    tensor.dtype(),
                    tensor.shape(),
                    tensor.strides(),
                    tensor.offset()))
        .toList();
  }

  private static HostBuffer copy(HostBuffer buffer) {
    HostBuffer copy = HostBuffer.allocate(buffer.byteSize());
    MemorySegment.copy(buffer.segment(), 0, copy.segment(), 0, buffer.byteSize());
    return copy;
  }

  @Override
  public void notified(Notification sent) {
    if (notifies.size() < MOST_NOTIFIES) {
      notifies.putIfAbsent(
          new Key(sent.rank(), sent.owner(), sent.window().index(), sent.cell()), sent);
    }
  }
}
