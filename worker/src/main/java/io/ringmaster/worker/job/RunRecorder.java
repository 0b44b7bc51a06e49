package io.ringmaster.worker.job;

import io.ringmaster.worker.job.Measures.GoldenError;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Keeps what a run says while it is executed, for whoever executes it on somebody's behalf: what
 * the script prints, what the kernels leave, what it costs. Bounded in every direction.
 */
public abstract class RunRecorder implements RunControl {

  /** A script that prints without end must not fill the memory; the report has its own limit. */
  private static final int MOST_LOG = 1 << 20;

  /** Outputs beyond this many bytes together aren't kept; their digest is, in the evidence. */
  private static final long MOST_OUTPUT = 64L << 20;

  /** Of which so many may be outputs that a later launch has left again. */
  private static final long MOST_EARLIER_OUTPUT = 16L << 20;

  /** The beginning of a timeline is kept: so many spans and arrows are about two megabytes. */
  private static final int MOST_EVENTS = 10_000;

  /** The timeline's name among the outputs. */
  public static final String TIMELINE = "timeline.json";

  /** A script that compares in a loop without end must not, either. */
  private static final int MOST_ERRORS = 10_000;

  private final StringBuilder log = new StringBuilder();
  private final OutputKeeper outputs = new OutputKeeper(MOST_OUTPUT, MOST_EARLIER_OUTPUT);
  private final Map<String, Long> passNanos = new LinkedHashMap<>();
  private final List<GoldenError> goldenErrors = new ArrayList<>();
  private String timeline = "";
  private long instructions;
  private volatile String phase = "starting";
  private volatile String place = "";

  protected RunRecorder() {}

  @Override
  public void phase(int runIndex, String name) {
    phase = name;
  }

  @Override
  public void stopping(int runIndex, String where) {
    place = where;
  }

  @Override
  public void log(int runIndex, String text) {
    synchronized (log) {
      log.append(text, 0, Math.min(text.length(), MOST_LOG - log.length()));
    }
  }

  @Override
  public void compiled(int runIndex, String pass, long nanos) {
    passNanos.merge(pass, nanos, Long::sum);
  }

  @Override
  public void launched(int runIndex, long executed) {
    instructions += executed;
  }

  @Override
  public void compared(int runIndex, DType type, double maxUlps) {
    if (goldenErrors.size() < MOST_ERRORS) {
      goldenErrors.add(new GoldenError(type, maxUlps));
    }
  }

  @Override
  public void output(int runIndex, String name, HostTensor tensor) {
    outputs.add(name, tensor);
  }

  @Override
  public long mostOutputBytes() {
    return MOST_OUTPUT;
  }

  @Override
  public void outputLeftOut(int runIndex, String name, DType dtype, String digest) {
    outputs.leftOut(name, dtype, digest);
  }

  @Override
  public int timelineEvents() {
    return MOST_EVENTS;
  }

  @Override
  public void timeline(int runIndex, String json) {
    timeline = json;
  }

  /** What the run is doing now. */
  public String phase() {
    return phase;
  }

  /** What it was doing when it was told to stop; empty when it wasn't, or didn't hear. */
  public String place() {
    return place;
  }

  /** What its script has printed so far. */
  public String log() {
    synchronized (log) {
      return log.toString();
    }
  }

  /** What it has cost; to be asked when the run is over. */
  public Measures measures() {
    return new Measures(passNanos, instructions, goldenErrors);
  }

  /**
   * What the kernels left, as {@code .npy} files by name, {@link RunOutputs#FILE} and {@link
   * #TIMELINE}; to be asked when the run is over.
   */
  public Map<String, byte[]> outputs() {
    Map<String, byte[]> files = outputs.files();
    if (!timeline.isEmpty()) {
      files.put(TIMELINE, timeline.getBytes(StandardCharsets.UTF_8));
    }
    return Collections.unmodifiableMap(files);
  }
}
