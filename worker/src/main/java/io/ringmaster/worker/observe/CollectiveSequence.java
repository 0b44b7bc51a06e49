package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.CollectiveCall;
import io.ringmaster.worker.fabric.FabricListener;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.Finding.Place;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Checks that the ranks of a domain make the same collective calls in the same order: the i-th call
 * of each must agree. A rank that only makes fewer calls is no mismatch; the others then wait for
 * it, and the deadlock names it.
 */
final class CollectiveSequence implements FabricListener {

  private static final class Row {
    final CollectiveCall first;
    final BitSet agreeing = new BitSet();
    final Map<Integer, CollectiveCall> differing = new TreeMap<>();

    Row(CollectiveCall first) {
      this.first = first;
    }

    void add(CollectiveCall call) {
      if (differences(first, call).isEmpty()) {
        agreeing.set(call.rank());
      } else {
        differing.put(call.rank(), call);
      }
    }

    boolean isComplete() {
      return agreeing.cardinality() == first.window().members().size();
    }
  }

  private static final class Domain {
    final Map<Integer, Integer> calls = new HashMap<>();
    final TreeMap<Integer, Row> rows = new TreeMap<>();
  }

  private final Map<String, Domain> domains = new TreeMap<>();

  @Override
  public void collectiveEntered(CollectiveCall call, long virtualNanos) {
    Domain domain = domains.computeIfAbsent(call.window().domain(), _ -> new Domain());
    int index = domain.calls.merge(call.rank(), 1, Integer::sum);
    Row row = domain.rows.computeIfAbsent(index, _ -> new Row(call));
    row.add(call);
    if (row.isComplete()) {
      domain.rows.remove(index);
    }
  }

  private static List<String> differences(CollectiveCall one, CollectiveCall other) {
    var found = new ArrayList<String>();
    differ(found, "collective", one.op(), other.op());
    differ(found, "rail", one.rail(), other.rail());
    differ(found, "algorithm", one.algorithm(), other.algorithm());
    differ(found, "reduce op", one.reduce(), other.reduce());
    differ(found, "root", one.root(), other.root());
    differ(found, "window", one.window().index(), other.window().index());
    differ(found, "dtype", one.dtype(), other.dtype());
    differ(found, "shape", one.shape(), other.shape());
    return found;
  }

  private static void differ(List<String> found, String what, Object one, Object other) {
    if (!Objects.equals(one, other)) {
      found.add(what);
    }
  }

  List<Finding> findings() {
    var findings = new ArrayList<Finding>();
    domains.forEach(
        (name, domain) ->
            domain.rows.entrySet().stream()
                .filter(row -> !row.getValue().differing.isEmpty())
                .findFirst()
                .ifPresent(row -> findings.add(describe(name, row.getKey(), row.getValue()))));
    return findings;
  }

  private static Finding describe(String domain, int index, Row row) {
    CollectiveCall other = row.differing.values().iterator().next();
    Map<Integer, String> perRank = new TreeMap<>();
    var places = new TreeMap<Integer, Place>();
    row.agreeing.stream()
        .forEach(
            rank -> {
              perRank.put(rank, call(row.first));
              places.put(rank, new Place(rank, row.first.span(), call(row.first)));
            });
    row.differing.forEach(
        (rank, call) -> {
          perRank.put(rank, call(call));
          places.put(rank, new Place(rank, call.span(), call(call)));
        });
    List<String> parts =
        perRank.entrySet().stream()
            .map(entry -> "rank " + entry.getKey() + " calls " + entry.getValue())
            .toList();
    return new Finding(
        Finding.Kind.MISMATCH,
        Finding.Kind.MISMATCH.severity(),
        "collective call %d of %s differs between ranks in %s: %s"
            .formatted(
                index,
                domain,
                Words.and(differences(row.first, other)),
                String.join("; ", Words.shortened(parts, 4))),
        "every rank of a domain must make the same collective calls in the same order, with the"
            + " same window, dtype, shape, op and root",
        List.copyOf(perRank.keySet()),
        Optional.of(row.first.window().buffer()),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        List.copyOf(places.values()));
  }

  /** {@code allreduce(Sum, mesh) of `a` [4, 64] FP32 on line 30}. */
  private static String call(CollectiveCall call) {
    var arguments = new ArrayList<String>();
    call.reduce().ifPresent(arguments::add);
    arguments.add(call.algorithm());
    call.root().ifPresent(root -> arguments.add("root " + root));
    return "%s(%s) of %s %s %s on %s"
        .formatted(
            call.op(),
            String.join(", ", arguments),
            Words.window(call.window()),
            call.shape(),
            call.dtype(),
            Words.line(call.span()));
  }
}
