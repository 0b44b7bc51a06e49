package io.ringmaster.service.cli;

import io.ringmaster.worker.device.HardwareProfile;
import io.ringmaster.worker.trial.Estimate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An estimate as people read it: a table, a plot over sizes, and what the plot says. */
final class EstimatePrinter {

  private static final int PLOT_HEIGHT = 16;
  private static final int COLUMN = 5;

  private EstimatePrinter() {}

  static String print(
      String collective,
      HardwareProfile profile,
      int ranks,
      List<Estimate.Line> lines,
      Estimate.@Nullable Sweep sweep) {
    var text = new StringBuilder();
    Estimate.Line best = lines.getFirst();
    if (best.isPredicted()) {
      text.append(collective)
          .append(" on ")
          .append(profile.platform())
          .append(", ")
          .append(ranks)
          .append(" ranks");
      text.append(best.bytes() == 0 ? "" : ", " + Units.bytes(best.bytes()) + " a rank");
      text.append(": ").append(best.algorithm()).append(" is the cheapest, ");
      text.append(Units.nanos(best.virtualNanos())).append(" of virtual time\n\n");
    } else {
      text.append("no algorithm of ").append(collective).append(" can be used here\n\n");
    }
    text.append(table(lines));
    if (sweep != null) {
      text.append('\n').append(sizes(sweep));
    }
    text.append("\ncost model ").append(profile.cost().name());
    text.append("; what of it is an assumption: see docs/cost-model.md\n");
    return text.toString();
  }

  private static String table(List<Estimate.Line> lines) {
    var table = new Table("algorithm", "time", "against best", "wire/rank", "notifies", "how");
    double best = lines.getFirst().virtualNanos();
    for (Estimate.Line line : lines) {
      if (line.isPredicted()) {
        table.row(
            line.algorithm(),
            Units.nanos(line.virtualNanos()),
            Units.real(Math.round(100 * line.virtualNanos() / best) / 100.0) + "x",
            Units.bytes(line.wireBytes()),
            line.notifies(),
            line.idea());
      } else {
        table.row(line.algorithm(), "-", "-", "-", "-", line.why());
      }
    }
    return table.render();
  }

  private static String sizes(Estimate.Sweep sweep) {
    Map<String, List<Estimate.@Nullable Line>> curves = new LinkedHashMap<>();
    for (int i = 0; i < sweep.bytes().size(); i++) {
      for (Estimate.Line line : sweep.lines().get(i)) {
        if (line.isPredicted()) {
          List<Estimate.@Nullable Line> curve =
              curves.computeIfAbsent(line.algorithm(), _ -> new ArrayList<>());
          while (curve.size() < i) {
            curve.add(null);
          }
          curve.add(line);
        }
      }
    }
    var text = new StringBuilder("time over bytes a rank, both axes logarithmic\n");
    text.append(plot(sweep, curves)).append('\n');
    cheapest(text, sweep);
    Estimate.@Nullable Line mesh = last(curves, "mesh");
    if (curves.containsKey("ring") && mesh != null) {
      text.append(meshAndRing(sweep, curves));
    }
    return text.toString();
  }

  private static Estimate.@Nullable Line last(
      Map<String, List<Estimate.@Nullable Line>> curves, String name) {
    List<Estimate.@Nullable Line> curve = curves.get(name);
    return curve == null ? null : curve.getLast();
  }

  private static String plot(
      Estimate.Sweep sweep, Map<String, List<Estimate.@Nullable Line>> curves) {
    double low = Double.MAX_VALUE;
    double high = 0;
    for (List<Estimate.@Nullable Line> curve : curves.values()) {
      for (Estimate.Line line : curve) {
        if (line != null) {
          low = Math.min(low, (double) line.virtualNanos());
          high = Math.max(high, (double) line.virtualNanos());
        }
      }
    }
    double step = Math.max(Math.log(high / low), 1e-9) / (PLOT_HEIGHT - 1);
    char[][] grid = new char[PLOT_HEIGHT][sweep.bytes().size() * COLUMN];
    for (char[] row : grid) {
      java.util.Arrays.fill(row, ' ');
    }
    char mark = 'a';
    var legend = new StringBuilder();
    for (Map.Entry<String, List<Estimate.@Nullable Line>> curve : curves.entrySet()) {
      for (int i = 0; i < curve.getValue().size(); i++) {
        Estimate.Line line = curve.getValue().get(i);
        if (line != null) {
          int row = (int) Math.round(Math.log(line.virtualNanos() / low) / step);
          int at = i * COLUMN;
          while (at < i * COLUMN + COLUMN - 1 && grid[row][at] != ' ') {
            at++;
          }
          grid[row][at] = mark;
        }
      }
      legend.append("  ").append(mark++).append(' ').append(curve.getKey());
    }
    var text = new StringBuilder();
    for (int row = PLOT_HEIGHT - 1; row >= 0; row--) {
      String label = row % 5 == 0 ? Units.nanos(Math.round(low * Math.exp(row * step))) : "";
      text.append(" ".repeat(9 - label.length())).append(label).append(" |");
      text.append(new String(grid[row]).stripTrailing()).append('\n');
    }
    text.append(" ".repeat(10)).append('+').append("-".repeat(sweep.bytes().size() * COLUMN));
    text.append('\n').append(" ".repeat(11));
    for (long bytes : sweep.bytes()) {
      String label = Units.shortBytes(bytes);
      text.append(label).append(" ".repeat(Math.max(0, COLUMN - label.length())));
    }
    return text.append('\n').append(legend).append('\n').toString();
  }

  private static void cheapest(StringBuilder text, Estimate.Sweep sweep) {
    String before = "";
    for (int i = 0; i < sweep.bytes().size(); i++) {
      String now = sweep.lines().get(i).getFirst().algorithm();
      if (!now.equals(before)) {
        text.append("from ").append(Units.bytes(sweep.bytes().get(i)));
        text.append(" on ").append(now).append(" is the cheapest\n");
        before = now;
      }
    }
  }

  /** Where the built-in ring overtakes the built-in mesh, and why. */
  private static String meshAndRing(
      Estimate.Sweep sweep, Map<String, List<Estimate.@Nullable Line>> curves) {
    List<Estimate.@Nullable Line> mesh = curves.getOrDefault("mesh", List.of());
    List<Estimate.@Nullable Line> ring = curves.getOrDefault("ring", List.of());
    Optional<Integer> crossing = Optional.empty();
    Estimate.Line lastMesh = null;
    Estimate.Line lastRing = null;
    for (int i = 0; i < Math.min(mesh.size(), ring.size()); i++) {
      Estimate.Line one = mesh.get(i);
      Estimate.Line other = ring.get(i);
      if (one != null && other != null) {
        lastMesh = one;
        lastRing = other;
        if (crossing.isEmpty() && other.virtualNanos() < one.virtualNanos()) {
          crossing = Optional.of(i);
        }
      }
    }
    if (lastMesh == null || lastRing == null) {
      return "";
    }
    String why =
        "a rank of mesh takes in %s where a rank of ring takes in %s, but ring sends %d notifies where mesh sends %d"
            .formatted(
                Units.bytes(lastMesh.wireBytes()),
                Units.bytes(lastRing.wireBytes()),
                lastRing.notifies(),
                lastMesh.notifies());
    String where =
        crossing
            .map(i -> "ring beats mesh from " + Units.bytes(sweep.bytes().get(i)) + " on")
            .orElse("ring doesn't beat mesh up to " + Units.bytes(sweep.bytes().getLast()));
    return where + ": at " + Units.bytes(sweep.bytes().getLast()) + " " + why + "\n";
  }
}
