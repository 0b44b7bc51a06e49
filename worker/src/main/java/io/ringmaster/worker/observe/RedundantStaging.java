package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.Access;
import io.ringmaster.worker.fabric.CollectiveCall;
import io.ringmaster.worker.fabric.FabricListener;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.Finding.Place;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.ByteRanges;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Finds data that a rank staged for a broadcast although it isn't the root: the root's data
 * replaces it before anyone reads it. Harmless by itself, but it hides a wrong root.
 */
final class RedundantStaging implements FabricListener {

  private static final String BROADCAST = "broadcast";

  private record Slice(int window, int owner) {}

  private record Staged(ByteRanges unread, Span span) {}

  private record Site(String window, Span staging, Span broadcast) {}

  private final RankProgress progress;
  private final Map<Slice, Staged> staged = new HashMap<>();
  private final Map<Site, TreeSet<Integer>> replaced = new LinkedHashMap<>();

  RedundantStaging(RankProgress progress) {
    this.progress = progress;
  }

  @Override
  public void accessed(Access access) {
    var slice = new Slice(access.window().index(), access.owner());
    long from = access.byteOffset();
    long to = from + (access.rows() - 1) * access.rowStride() + access.rowBytes();
    Staged before = staged.get(slice);
    Optional<CollectiveCall> call = progress.open(access.rank());
    if (access.kind() == Access.Kind.READ) {
      if (before != null && before.unread().intersects(from, to)) {
        staged.remove(slice);
      }
    } else if (call.isEmpty()) {
      stage(slice, access, from, to);
    } else if (before != null && call.get().op().equals(BROADCAST)) {
      if (access.rank() == access.owner() && before.unread().intersects(from, to)) {
        replaced
            .computeIfAbsent(
                new Site(access.window().buffer(), before.span(), call.get().span()),
                _ -> new TreeSet<>())
            .add(access.rank());
      }
      staged.remove(slice);
    }
  }

  private void stage(Slice slice, Access access, long from, long to) {
    ByteRanges unread = new ByteRanges();
    Staged before = staged.get(slice);
    if (before != null && before.span().equals(access.span())) {
      unread = before.unread();
    }
    unread.add(from, to);
    staged.put(slice, new Staged(unread, access.span()));
  }

  /** One for each place that stages, in order of their first broadcast. */
  List<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    replaced.forEach(
        (site, ranks) ->
            findings.add(
                new Finding(
                    Finding.Kind.REDUNDANT_STAGING,
                    Finding.Kind.REDUNDANT_STAGING.severity(),
                    "what "
                        + Words.ranks(ranks)
                        + " staged in `"
                        + site.window()
                        + "` was replaced by the root's data before anyone read it",
                    "stage only on the root: put line "
                        + site.staging().line()
                        + " under `if my_rank == root:`",
                    List.copyOf(ranks),
                    Optional.of(site.window()),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    List.of(
                        new Place(ranks.first(), site.staging(), "stages its own data"),
                        new Place(ranks.first(), site.broadcast(), "gets the root's data")))));
    return findings;
  }
}
