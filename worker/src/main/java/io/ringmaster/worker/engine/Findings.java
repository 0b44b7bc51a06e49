package io.ringmaster.worker.engine;

import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Findings that don't stop a run: one for each kind, place and rank, and not too many. Of races
 * that several ranks have at the same two places there is one.
 */
final class Findings {

  private static final int MOST = 200;

  private record Key(Finding.Kind kind, List<Integer> ranks, Span span) {}

  private final Set<Key> seen = new HashSet<>();
  private final Map<List<Span>, Integer> races = new HashMap<>();
  private final List<Finding> list = new ArrayList<>();

  void add(Finding finding) {
    if (finding.kind() == Finding.Kind.RACE) {
      addRace(finding);
      return;
    }
    Span span = finding.places().isEmpty() ? Span.NONE : finding.places().getFirst().span();
    if (list.size() < MOST && seen.add(new Key(finding.kind(), finding.ranks(), span))) {
      list.add(finding);
    }
  }

  private void addRace(Finding race) {
    List<Span> spans = race.places().stream().map(Finding.Place::span).toList();
    Integer known = races.get(spans);
    if (known != null) {
      list.set(known, list.get(known).alsoOn(race.ranks()));
    } else if (list.size() < MOST) {
      races.put(spans, list.size());
      list.add(race);
    }
  }

  List<Finding> list() {
    return list;
  }
}
