package io.ringmaster.worker.job;

import io.ringmaster.worker.device.HardwareProfile;
import io.ringmaster.worker.source.SourceFile;
import java.util.ArrayList;
import java.util.List;

/** Compiles every built-in collective in all its forms, for two ranks, and notes what is taken. */
final class CapabilityTrials {

  private static final int RANKS = 2;
  private static final String IN_CORE = "IN_CORE";
  private static final String HOST = "HOST";
  private static final String FP32 = "FP32";
  private static final List<String> DTYPES =
      List.of(FP32, "FP16", "BF16", "INT64", "INT32", "INT16", "INT8", "UINT32", "UINT16", "UINT8");
  private static final List<String> REDUCTIONS = List.of("Sum", "Max", "Min", "Prod");

  private final HardwareProfile profile;
  private final JobRunner runner = new JobRunner();

  CapabilityTrials(HardwareProfile profile) {
    this.profile = profile;
  }

  /**
   * A collective and how it is called.
   *
   * @param call with OP where a reduction stands
   * @param signal shape of the signal, in a kernel and on HOST
   * @param hasRows whether its window has a row for each rank
   * @param input rows of what it reads beside the window; 0 for nothing
   */
  private record Form(
      String name,
      String mode,
      String call,
      String signal,
      String hostSignal,
      boolean hasRows,
      int input) {}

  private static final List<Form> FORMS =
      List.of(
          new Form("barrier", "", "pld.tensor.barrier(s)", "[2, 1]", "[2]", false, 0),
          new Form(
              "broadcast", "", "g = pld.tensor.broadcast(g, s, root=0)", "[2, 1]", "[2]", false, 0),
          new Form(
              "allreduce",
              "mesh",
              "g = pld.tensor.allreduce(g, s, op=pld.ReduceOp.OP, mode=\"mesh\")",
              "[2, 1]",
              "[2]",
              false,
              0),
          new Form(
              "allreduce",
              "ring",
              "g = pld.tensor.allreduce(g, s, op=pld.ReduceOp.OP, mode=\"ring\")",
              "[2, 2]",
              "[3, 2]",
              false,
              0),
          new Form("allgather", "", "g = pld.tensor.allgather(x, g, s)", "[2, 1]", "[2]", true, 1),
          new Form(
              "reduce_scatter",
              "",
              "g = pld.tensor.reduce_scatter(g, s, op=pld.ReduceOp.OP)",
              "[2, 1]",
              "[2]",
              true,
              0),
          new Form(
              "all_to_all", "", "g = pld.tensor.all_to_all(x, g, s)", "[2, 1]", "[2]", true, 2),
          new Form(
              "all_to_all_v",
              "",
              "g = pld.tensor.all_to_all_v(x, g, s, c, n)",
              "[2, 1]",
              "[2, 1]",
              true,
              2));

  List<Capabilities.Collective> collectives() {
    var all = new ArrayList<Capabilities.Collective>();
    for (var form : FORMS) {
      for (var rail : List.of(IN_CORE, HOST)) {
        tried(form, rail.equals(HOST), all);
      }
    }
    return all;
  }

  private void tried(Form form, boolean host, List<Capabilities.Collective> all) {
    boolean reduces = form.call().contains("OP");
    boolean hasElements = !form.name().equals("barrier");
    var dtypes =
        (hasElements ? DTYPES : List.of(FP32))
            .stream().filter(dtype -> isTaken(form, host, dtype, "Sum")).toList();
    if (dtypes.isEmpty()) {
      return;
    }
    var reductions =
        reduces
            ? REDUCTIONS.stream().filter(op -> isTaken(form, host, dtypes.getFirst(), op)).toList()
            : List.<String>of();
    all.add(
        new Capabilities.Collective(
            form.name(),
            host ? HOST : IN_CORE,
            form.mode(),
            reductions,
            hasElements ? dtypes : List.of(),
            Capabilities.limit(
                host
                    ? Math.min(profile.maxRanks(), profile.maxHostBuiltinRanks())
                    : profile.maxRanks())));
  }

  private boolean isTaken(Form form, boolean host, String dtype, String reduction) {
    var source = new CapabilityScript(form.hasRows() ? RANKS : 1, form.input(), dtype);
    var call = form.call().replace("OP", reduction);
    var text = host ? source.onHost(call, form.hostSignal()) : source.inKernel(call, form.signal());
    var spec =
        new JobSpec(
            SourceFile.of("capability.py", text),
            profile.platform(),
            List.of(List.of(0, 1)),
            List.of(),
            JobSpec.Limits.DEFAULT,
            0);
    return !runner.compile(spec).isRejected();
  }
}
