package io.ringmaster.worker.engine;

import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Findings that don't stop a run: one for each kind, place and rank, and not too many. */
final class Findings {

  private static final int MOST = 200;

  private record Key(Finding.Kind kind, List<Integer> ranks, Span span) {}

  private final Set<Key> seen = new HashSet<>();
  private final List<Finding> list = new ArrayList<>();

  void add(Finding finding) {
    Span span = finding.places().isEmpty() ? Span.NONE : finding.places().getFirst().span();
    if (list.size() < MOST && seen.add(new Key(finding.kind(), finding.ranks(), span))) {
      list.add(finding);
    }
  }

  List<Finding> list() {
    return list;
  }
}
