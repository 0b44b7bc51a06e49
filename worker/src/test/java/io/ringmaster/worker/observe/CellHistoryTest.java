package io.ringmaster.worker.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.fabric.DispatchInfo;
import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.fabric.WindowInfo;
import io.ringmaster.worker.source.Span;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which notifies a wait synchronises with. Rank 0 waits; the others notify its only cell. */
class CellHistoryTest {

  private static final WindowInfo SIG = new WindowInfo(0, "sig", "d", List.of(0, 1, 2, 3), 4);

  private final HappensBefore order = new HappensBefore(4);
  private long ids;
  private int cell;

  private Stamp sends(int rank, int value, boolean set) {
    Stamp before = order.now(rank);
    var notification =
        new Notification(ids++, rank, 0, SIG, 0, List.of(0L), value, set, Span.NONE, 0);
    order.notified(notification);
    int old = cell;
    cell = set ? value : cell + value;
    order.applied(notification, old, cell, 0);
    return before;
  }

  private Stamp adds(int rank, int value) {
    return sends(rank, value, false);
  }

  private Stamp sets(int rank, int value) {
    return sends(rank, value, true);
  }

  private void passes(int expected) {
    order.waitSatisfied(
        new SignalWait(ids++, 0, SIG, 0, List.of(0L), expected, false, false, Span.NONE, 0),
        cell,
        0);
  }

  private boolean knows(Stamp point) {
    return order.precedes(point, 0);
  }

  /** A kernel may zero its flags with a store, and use them for the next round. */
  @Test
  void whatTheOwnerStoredOverSaysNothingAnyMore() {
    Stamp first = adds(1, 1);
    passes(1);
    cell = 0;
    Stamp second = adds(2, 1);
    passes(1);
    assertThat(knows(first)).isTrue();
    assertThat(knows(second)).isTrue();
    cell = 5;
    Stamp third = adds(3, 1);
    passes(5);
    assertThat(knows(third)).isFalse();
  }

  @Test
  void aWaitJoinsOnlyAsManyCreditsAsItNeeds() {
    Stamp first = adds(1, 1);
    Stamp second = adds(2, 1);
    passes(1);
    assertThat(knows(first)).isTrue();
    assertThat(knows(second)).isFalse();
    passes(2);
    assertThat(knows(second)).isTrue();
  }

  @Test
  void aStaleCreditGivesNoEdgeToTheNewerOne() {
    adds(1, 1);
    passes(1);
    Stamp second = adds(1, 1);
    passes(1);
    assertThat(knows(second)).isFalse();
  }

  @Test
  void anEarlyCreditOfTheNextCallIsFoundAfterTheOwnClear() {
    adds(1, 1);
    Stamp early = adds(1, 1);
    passes(1);
    assertThat(knows(early)).isFalse();
    adds(0, -1);
    passes(1);
    assertThat(knows(early)).isTrue();
  }

  @Test
  void aSetSaysNothingAboutWhatItWipedOut() {
    Stamp wipedOut = adds(1, 1);
    Stamp set = sets(2, 5);
    passes(5);
    assertThat(knows(set)).isTrue();
    assertThat(knows(wipedOut)).isFalse();
  }

  @Test
  void aSetThatGrowsCountsByItsValue() {
    Stamp one = sets(1, 1);
    Stamp two = sets(1, 2);
    passes(1);
    assertThat(knows(one)).isTrue();
    assertThat(knows(two)).isFalse();
    passes(2);
    assertThat(knows(two)).isTrue();
    passes(2);
  }

  @Test
  void orderIsTransitive() {
    Stamp first = order.now(3);
    // Rank 3 finishes a dispatch that one of rank 1 depends on; rank 1 then notifies rank 0.
    order.dispatchFinished(new DispatchInfo(7, 3, "f", List.of(), Span.NONE), 0);
    order.dispatchStarted(new DispatchInfo(8, 1, "g", List.of(7L), Span.NONE), 0);
    adds(1, 1);
    assertThat(knows(first)).isFalse();
    passes(1);
    assertThat(knows(first)).isTrue();
    assertThat(order.precedes(order.now(3), 0)).isFalse();
  }

  @Test
  void creditsThatAreKnownAnywayCountBeforeOthers() {
    // Rank 2's credit arrived first, but rank 0 already comes after rank 1's.
    Stamp stranger = adds(2, 1);
    Stamp known = adds(1, 1);
    order.dispatchFinished(new DispatchInfo(7, 1, "f", List.of(), Span.NONE), 0);
    order.dispatchStarted(new DispatchInfo(8, 0, "g", List.of(7L), Span.NONE), 0);
    assertThat(knows(known)).isTrue();
    passes(1);
    assertThat(knows(stranger)).isFalse();
  }

  @Test
  void longHistoriesAreShortenedAndStillOrderTheWaiter() {
    Stamp first = adds(1, 1);
    for (int i = 1; i < 20_000; i++) {
      adds(1 + i % 3, 1);
    }
    passes(20_000);
    assertThat(knows(first)).isTrue();
    for (int rank = 1; rank < 4; rank++) {
      assertThat(order.precedes(order.lastSent(rank), 0)).isTrue();
    }
  }
}
