package io.ringmaster.worker.script.value;

import io.ringmaster.worker.frontend.Builds;
import io.ringmaster.worker.script.KernelRuntime;
import io.ringmaster.worker.script.check.CheckBook;
import io.ringmaster.worker.script.check.KernelInputs;
import io.ringmaster.worker.script.check.Launches;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.SourceFile;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Everything one run of a script shares: limits, output, checks, the door to the kernels.
 *
 * @param argv {@code sys.argv}; the first element is the script's name
 * @param seed seed of the script's random generators
 * @param shared objects of modules that live as long as the run, by their key
 * @param lasting objects that all readings of the script have in common: what is the same each time
 */
public record Session(
    SourceFile source,
    List<String> argv,
    KernelRuntime runtime,
    KernelFrontend frontend,
    Budget budget,
    CheckBook checks,
    OutputLog log,
    long seed,
    List<Diagnostic> warnings,
    Map<Class<?>, Object> shared,
    Map<Class<?>, Object> lasting) {

  public Session {
    argv = List.copyOf(argv);
  }

  /** The launches made so far. */
  public Launches launches() {
    return shared(Launches.class, session -> new Launches());
  }

  /** What was built of the script's definitions, in this reading or one before. */
  public Builds builds() {
    return lasting(Builds.class, session -> new Builds());
  }

  /** What the last kernel read. */
  public KernelInputs kernelInputs() {
    return shared(KernelInputs.class, session -> new KernelInputs());
  }

  /** The one object of a class in this run, made when first asked for. */
  public <T> T shared(Class<T> type, Function<Session, T> make) {
    return type.cast(shared.computeIfAbsent(type, key -> make.apply(this)));
  }

  /**
   * The one object of a class for all readings of the script, made when first asked for. Nothing of
   * what a reading computes may get into it, but what comes of the script's text alone.
   */
  public <T> T lasting(Class<T> type, Function<Session, T> make) {
    return type.cast(lasting.computeIfAbsent(type, key -> make.apply(this)));
  }
}
