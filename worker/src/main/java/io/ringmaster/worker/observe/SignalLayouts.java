package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.CollectiveCall;
import io.ringmaster.worker.fabric.FabricListener;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.Finding.Place;
import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.fabric.WindowInfo;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Finds signal windows that are addressed under two layouts: one cell named by different
 * coordinates, mesh and ring collectives on one window, and a mesh collective on a window that has
 * more than one column. Columns that are only known at run time hide this from the compiler.
 */
final class SignalLayouts implements FabricListener {

  private record Use(int rank, List<Long> coordinates, Span span) {}

  private enum Layout {
    MESH,
    RING
  }

  private final Map<Integer, Map<Long, Use>> names = new HashMap<>();
  private final Map<Integer, Map<Layout, CollectiveCall>> layouts = new HashMap<>();
  private final Map<Integer, CollectiveCall> open = new HashMap<>();
  private final Map<Integer, Finding> conflicts = new TreeMap<>();

  @Override
  public void collectiveEntered(CollectiveCall call, long virtualNanos) {
    open.put(call.rank(), call);
  }

  @Override
  public void collectiveLeft(CollectiveCall call, long virtualNanos) {
    open.remove(call.rank());
  }

  @Override
  public void notified(Notification notification) {
    named(
        notification.window(),
        notification.cell(),
        notification.rank(),
        notification.coordinates(),
        notification.span());
    CollectiveCall call = open.get(notification.rank());
    // The HOST rail fixes its shapes before the run, and its lanes are columns on purpose.
    if (call != null && call.rail().equals("incore")) {
      inside(call, notification);
    }
  }

  @Override
  public void waitStarted(SignalWait wait, int seen) {
    named(wait.window(), wait.cell(), wait.rank(), wait.coordinates(), wait.span());
  }

  private void named(WindowInfo window, long cell, int rank, List<Long> coordinates, Span span) {
    Map<Long, Use> known = names.computeIfAbsent(window.index(), _ -> new HashMap<>());
    Use first = known.get(cell);
    if (first == null) {
      known.put(cell, new Use(rank, coordinates, span));
    } else if (!sameName(first.coordinates(), coordinates)) {
      Use use = new Use(rank, coordinates, span);
      report(
          window,
          "cell %d of %s is named %s on %s and %s on %s: its credits mix two meanings"
              .formatted(
                  cell,
                  Words.window(window),
                  Words.cell(first.coordinates()),
                  Words.line(first.span()),
                  Words.cell(use.coordinates()),
                  Words.line(use.span())),
          "view a signal window with one shape only, one window for each layout",
          List.of(
              new Place(
                  first.rank(), first.span(), "names the cell " + Words.cell(first.coordinates())),
              new Place(
                  use.rank(), use.span(), "names the cell " + Words.cell(use.coordinates()))));
    }
  }

  /** {@code [2]} and {@code [2, 0]} are the same cell of a signal with one cell per rank. */
  private static boolean sameName(List<Long> one, List<Long> other) {
    return one.equals(other) || trimmed(one).equals(trimmed(other));
  }

  private static List<Long> trimmed(List<Long> coordinates) {
    int size = coordinates.size();
    while (size > 1 && coordinates.get(size - 1) == 0) {
      size--;
    }
    return coordinates.subList(0, size);
  }

  private void inside(CollectiveCall call, Notification notification) {
    WindowInfo window = notification.window();
    Layout layout = call.algorithm().equals("ring") ? Layout.RING : Layout.MESH;
    Map<Layout, CollectiveCall> known =
        layouts.computeIfAbsent(window.index(), _ -> new HashMap<>());
    known.putIfAbsent(layout, call);
    if (known.size() > 1) {
      CollectiveCall mesh = known.getOrDefault(Layout.MESH, call);
      CollectiveCall ring = known.getOrDefault(Layout.RING, call);
      report(
          window,
          "%s serves %s (%s, one cell per rank) and %s (%s, one row per round): their cells overlap"
              .formatted(
                  Words.window(window),
                  mesh.op(),
                  Words.line(mesh.span()),
                  ring.op(),
                  Words.line(ring.span())),
          "use one signal window for each layout: [P, 1] for mesh, [2*(P-1), P] for ring",
          List.of(
              new Place(mesh.rank(), mesh.span(), mesh.op() + " " + mesh.algorithm()),
              new Place(ring.rank(), ring.span(), ring.op() + " " + ring.algorithm())));
    }
    columns(call, notification, layout);
  }

  private void columns(CollectiveCall call, Notification notification, Layout layout) {
    List<Long> coordinates = notification.coordinates();
    boolean row = coordinates.size() == 2 && coordinates.get(1) == 0 && coordinates.get(0) > 0;
    if (layout == Layout.MESH && row && notification.cell() != coordinates.get(0)) {
      WindowInfo window = notification.window();
      long columns = notification.cell() / coordinates.get(0);
      report(
          window,
          "signal shape[1] must be 1 (one cell per rank), and %s has %d columns at run time: %s on %s uses only the first of each row"
              .formatted(Words.window(window), columns, call.op(), Words.line(call.span())),
          "allocate the signal of " + call.op() + " as [P, 1]; [2*(P-1), P] is the ring's shape",
          List.of(
              new Place(call.rank(), call.span(), call.op() + " on a signal of another shape")));
    }
  }

  private void report(WindowInfo window, String message, String hint, List<Place> places) {
    conflicts.putIfAbsent(
        window.index(),
        new Finding(
            Finding.Kind.LAYOUT_CONFLICT,
            Finding.Kind.LAYOUT_CONFLICT.severity(),
            message,
            hint,
            places.stream().map(Place::rank).distinct().sorted().toList(),
            Optional.of(window.buffer()),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            places));
  }

  List<Finding> findings() {
    return new ArrayList<>(conflicts.values());
  }
}
