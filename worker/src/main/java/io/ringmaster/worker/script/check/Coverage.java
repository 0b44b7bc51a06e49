package io.ringmaster.worker.script.check;

import io.ringmaster.worker.script.Remark;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Says which of the outputs that kernels wrote no check looks at. Launches of one program count
 * together: what is compared after one of them is compared.
 */
final class Coverage {

  private static final int LISTED = 8;
  private static final long[] NOTHING = {};

  /** All launches' outputs of one name. */
  private static final class Same {
    private final Output first;
    private final List<Output> all = new ArrayList<>();

    Same(Output first) {
      this.first = first;
    }

    boolean isCompared() {
      return all.stream().anyMatch(output -> output.verified().length > 0);
    }

    boolean isWritten() {
      return all.stream().anyMatch(output -> output.written().length > 0);
    }

    boolean isAlike() {
      return all.stream()
          .allMatch(
              output ->
                  output.dtype() == first.dtype()
                      && Arrays.equals(output.shape(), first.shape())
                      && Arrays.equals(output.strides(), first.strides()));
    }

    /** Places, as bytes after the first element. */
    long[] written() {
      return all.stream()
          .map(output -> places(output, output.written()))
          .reduce(NOTHING, Reads::union);
    }

    long[] verified() {
      return all.stream()
          .map(output -> places(output, output.verified()))
          .reduce(NOTHING, Reads::union);
    }

    private static long[] places(Output output, long[] ranges) {
      return Arrays.stream(ranges).map(output::place).toArray();
    }
  }

  private Coverage() {}

  /**
   * The outputs of each case by themselves, as what another case compares vouches for nothing in
   * it, then those of all launches of a program.
   *
   * @param cases node ids of those with a check that counts; empty for what stands around them
   */
  static List<Remark> of(List<Launch> launches, Set<String> cases) {
    Map<List<Object>, Same> own = new LinkedHashMap<>();
    Map<List<Object>, Same> outputs = new LinkedHashMap<>();
    for (Launch launch : launches) {
      for (Output output : launch.outputs()) {
        List<Object> name = List.of(launch.program(), output.name());
        outputs.computeIfAbsent(name, made -> new Same(output)).all.add(output);
        if (cases.contains(launch.test())) {
          own.computeIfAbsent(List.of(name, launch.test()), made -> new Same(output))
              .all
              .add(output);
        }
      }
    }
    List<Remark> found = new ArrayList<>();
    Set<Object> said = new HashSet<>();
    own.forEach(
        (key, same) ->
            remark(same)
                .ifPresent(
                    remark -> {
                      found.add(remark);
                      said.add(key.getFirst());
                    }));
    List<Remark> remarks = new ArrayList<>(InCases.of(found));
    outputs.forEach(
        (name, same) -> {
          if (!said.contains(name)) {
            remark(same).ifPresent(remarks::add);
          }
        });
    launches(launches, remarks);
    return remarks;
  }

  private static Optional<Remark> remark(Same same) {
    if (!same.isWritten()) {
      return Optional.empty();
    }
    String name = "'" + same.first.name() + "' of " + same.first.launch().name();
    if (!same.isCompared()) {
      return Optional.of(
          remark(
              same,
              "output " + name + " is compared by no check",
              "output '" + same.first.name() + "' never compared",
              "compare it with a golden as well, or leave it out of the program"));
    }
    long[] missing = same.isAlike() ? Reads.difference(same.written(), same.verified()) : NOTHING;
    return missing.length == 0
        ? Optional.empty()
        : Optional.of(
            remark(
                same,
                partly(same, name, missing),
                brief(same, missing),
                "compare the rest as well"));
  }

  /** Launches of programs that are compared after others, with other inputs. */
  private static void launches(List<Launch> launches, List<Remark> remarks) {
    Map<ProgramText, List<Launch>> seen = new LinkedHashMap<>();
    for (Launch launch : launches) {
      if (!launch.isUnseen()) {
        seen.computeIfAbsent(launch.program(), made -> new ArrayList<>()).add(launch);
      }
    }
    Map<List<Object>, List<Launch>> unseen = new LinkedHashMap<>();
    for (Launch launch : launches) {
      List<Launch> others = seen.getOrDefault(launch.program(), List.of());
      boolean inCase = others.stream().anyMatch(other -> other.test().equals(launch.test()));
      if (inCase && launch.isUnseen() && others.stream().noneMatch(launch::isSeenIn)) {
        unseen
            .computeIfAbsent(List.of(launch.program(), launch.test()), made -> new ArrayList<>())
            .add(launch);
      }
    }
    unseen.values().forEach(all -> remarks.add(launch(all)));
  }

  private static Remark launch(List<Launch> all) {
    Launch first = all.getFirst();
    String more =
        all.size() == 1
            ? ""
            : all.size() == 2 ? " and of another one" : " and of " + (all.size() - 1) + " more";
    return new Remark(
        Remark.Kind.UNCOMPARED_OUTPUT,
        "no check looks at what this launch of "
            + first.name()
            + more
            + " leaves; another one, which is compared, had other inputs",
        (all.size() == 1 ? "the launch" : all.size() + " launches, the first")
            + " in line "
            + first.line()
            + " never compared",
        "compare it with a golden as well, unless it only warms up",
        first.line(),
        first.test(),
        List.of(first.test()));
  }

  private static Remark remark(Same same, String message, String brief, String hint) {
    return new Remark(
        Remark.Kind.UNCOMPARED_OUTPUT,
        message,
        brief,
        hint,
        same.first.launch().line(),
        "",
        same.all.stream().map(output -> output.launch().test()).distinct().toList());
  }

  private static String brief(Same same, long[] missing) {
    int bytes = same.first.dtype().bytes();
    return Reads.size(missing) / bytes
        + " of "
        + Reads.size(same.written()) / bytes
        + " elements of '"
        + same.first.name()
        + "' never compared";
  }

  private static String partly(Same same, String name, long[] missing) {
    int bytes = same.first.dtype().bytes();
    long written = Reads.size(same.written()) / bytes;
    long left = Reads.size(missing) / bytes;
    return "of output "
        + name
        + " "
        + (written - left)
        + " of "
        + written
        + " elements that a kernel wrote are compared"
        + rows(same.first, missing)
        + blank(same, missing);
  }

  /** Says when nobody compares some because the script has written over them. */
  private static String blank(Same same, long[] missing) {
    for (Output output : same.all) {
      long[] blank = Same.places(output, output.blank());
      if (blank.length > 0 && Reads.difference(missing, blank).length == 0) {
        return "; the script itself had written over the rest (line " + output.blankLine() + ")";
      }
    }
    return "";
  }

  /** Which rows nobody compares, where it is whole rows. */
  private static String rows(Output output, long[] missing) {
    if (output.shape().length < 2 || output.strides()[0] <= 0) {
      return "";
    }
    long row = output.strides()[0] * output.dtype().bytes();
    List<String> rows = new ArrayList<>();
    for (int i = 0; i < missing.length; i += 2) {
      if (missing[i] % row != 0 || missing[i + 1] % row != 0) {
        return "";
      }
      for (long at = missing[i]; at < missing[i + 1] && rows.size() <= LISTED; at += row) {
        rows.add(Long.toString(at / row));
      }
    }
    return "; no check looks at "
        + (rows.size() == 1 ? "row " : "rows ")
        + String.join(", ", rows.subList(0, Math.min(LISTED, rows.size())))
        + (rows.size() > LISTED ? " and more" : "");
  }
}
