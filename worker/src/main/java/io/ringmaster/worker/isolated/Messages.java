package io.ringmaster.worker.isolated;

import io.ringmaster.worker.device.Measured;
import io.ringmaster.worker.isolated.Wire.Garbled;
import io.ringmaster.worker.job.JobSpecJson;
import io.ringmaster.worker.trial.Bench;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** The bodies of frames. */
final class Messages {

  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private Messages() {}

  /**
   * A submission to execute.
   *
   * @param timelineEvents how many to keep; 0 for no timeline
   * @param mostOutputBytes outputs of more don't come over
   */
  record Job(@Nullable JobSpecJson spec, int timelineEvents, long mostOutputBytes) {}

  /** A check of the devices; see {@link io.ringmaster.worker.job.DeviceCheck}. */
  record Check(boolean quick, long seconds) {}

  /** A measurement; see {@link io.ringmaster.worker.trial.Bench}. */
  record Measurement(
      @Nullable String collective,
      @Nullable String algorithm,
      int ranks,
      long bytes,
      Bench.@Nullable Watch watch,
      int warmUps,
      int runs,
      long seconds) {}

  /** What was measured for a cost model. */
  record Rows(@Nullable List<Measured> rows) {}

  /**
   * An output whose pieces have come: a {@code .npy} file, which doesn't tell each of our types; or
   * one that doesn't come over.
   *
   * @param dtype its type
   * @param digest of one that doesn't come over, else empty
   */
  record Left(int run, @Nullable String name, @Nullable String dtype, @Nullable String digest) {}

  /**
   * Something that happens in a run; what doesn't belong to its kind is empty or 0.
   *
   * @param run its number
   */
  record Event(int run, @Nullable String text, long number, double real) {

    static Event of(int run, String text) {
      return new Event(run, text, 0, 0);
    }

    String said() throws Garbled {
      if (text == null) {
        throw new Garbled("a message of it lacks its text");
      }
      return text;
    }
  }

  static byte[] json(Record message) {
    return MAPPER.writeValueAsBytes(message);
  }

  /**
   * Reads what {@link #json} wrote.
   *
   * @throws Garbled when it is something else
   */
  static <T> T read(Wire.Frame frame, Class<T> type) throws Garbled {
    try {
      T message = MAPPER.readValue(frame.body(), type);
      if (message == null) {
        throw new Garbled("its message " + frame.kind() + " is empty");
      }
      return message;
    } catch (JacksonException | IllegalArgumentException e) {
      throw new Garbled("its message " + frame.kind() + " can't be read", e);
    }
  }
}
