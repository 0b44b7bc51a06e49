package io.ringmaster.worker.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.fabric.FabricListener;
import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.fabric.WindowInfo;
import io.ringmaster.worker.observe.CreditCell.Credit;
import io.ringmaster.worker.source.Span;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Accounts in brief say the same as those that keep every notify. */
class CreditLedgerTest {

  private static final int RANKS = 24;
  private static final int CELLS = 40;

  private final WindowInfo window =
      new WindowInfo(0, "signal", "domain", IntStream.range(0, RANKS).boxed().toList(), CELLS * 4L);
  private final CreditLedger brief = new CreditLedger(Optional.empty(), true);
  private final CreditLedger whole = new CreditLedger(Optional.empty());
  private final Map<Long, Integer> values = new TreeMap<>();
  private long events;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void briefAccountsSayWhatWholeOnesSay(int seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 4000; i++) {
      // Few owners and cells, so that cells have many senders and several credits.
      int owner = random.nextInt(seed % 2 == 0 ? 3 : RANKS);
      long cell = random.nextInt(seed % 3 == 0 ? 2 : CELLS);
      if (random.nextInt(5) < 3) {
        notify(random, owner, cell);
      } else {
        await(random, owner, cell);
      }
    }
    assertThat(all(brief)).isEqualTo(all(whole));
  }

  private void notify(Random random, int owner, long cell) {
    int value = random.nextInt(6) == 0 ? -1 : 1 + random.nextInt(2);
    var notification =
        new Notification(
            ++events,
            random.nextInt(RANKS),
            owner,
            window,
            cell,
            name(random, cell),
            value,
            random.nextInt(4) == 0,
            line(10 + random.nextInt(3)),
            events);
    int before = values.getOrDefault(owner * 1000L + cell, 0);
    int after = notification.set() ? value : before + value;
    values.put(owner * 1000L + cell, after);
    for (CreditLedger ledger : List.of(brief, whole)) {
      ledger.notified(notification);
      ledger.applied(notification, before, after, events);
    }
    assertThat(credits(brief.lastWipedOut())).isEqualTo(credits(whole.lastWipedOut()));
    assertThat(brief.lastSent()).isEqualTo(whole.lastSent());
    same(brief.cell(notification), whole.cell(notification));
  }

  private void await(Random random, int owner, long cell) {
    int holds = values.getOrDefault(owner * 1000L + cell, 0);
    boolean exact = random.nextInt(5) == 0;
    var wait =
        new SignalWait(
            ++events,
            owner,
            window,
            cell,
            name(random, cell),
            exact ? holds : holds - random.nextInt(2),
            exact,
            false,
            line(20 + random.nextInt(3)),
            events);
    for (CreditLedger ledger : List.of(brief, whole)) {
      ledger.waitStarted(wait, holds);
      ledger.waitSatisfied(wait, holds, events);
    }
    assertThat(credits(brief.lastUsed())).isEqualTo(credits(whole.lastUsed()));
    same(brief.cell(wait), whole.cell(wait));
  }

  private static List<Long> name(Random random, long cell) {
    return random.nextInt(10) == 0 ? List.of(cell) : List.of(cell, 0L);
  }

  private static Span line(int line) {
    return new Span("kernel.py", line, 1, line, 9);
  }

  private static void same(CreditCell one, CreditCell other) {
    assertThat(account(one)).isEqualTo(account(other));
  }

  private static List<String> all(CreditLedger ledger) {
    return ledger.cells().stream().map(CreditLedgerTest::account).toList();
  }

  /** All that an account says, but for the numbers and times of events. */
  private static String account(CreditCell cell) {
    return "%d %d %d %s %d %d %s %s unread %s senders %s use %s set %s"
        .formatted(
            cell.window().index(),
            cell.owner(),
            cell.cell(),
            cell.coordinates(),
            cell.initial(),
            cell.value(),
            cell.isAwaited(),
            cell.isAwaitedExactly(),
            credits(cell.unread()),
            cell.senders().stream().map(CreditLedgerTest::text).toList(),
            cell.lastUse().map(use -> text(use.by()) + text(use.last().notification())),
            cell.lastSet().map(credit -> text(credit.notification())));
  }

  private static List<String> credits(Collection<Credit> credits) {
    return credits.stream().map(credit -> text(credit.notification())).toList();
  }

  private static String text(Notification n) {
    return "%d>%d %d %s %d %s %d"
        .formatted(
            n.rank(), n.owner(), n.cell(), n.coordinates(), n.value(), n.set(), n.span().line());
  }

  private static String text(SignalWait w) {
    return "%d %d %s %d %s %s %d "
        .formatted(
            w.rank(),
            w.cell(),
            w.coordinates(),
            w.expected(),
            w.exact(),
            w.deferred(),
            w.span().line());
  }

  @Test
  void everyObserverHearsTheEventsThatItDoesSomethingAbout() throws IllegalAccessException {
    var observation = new Observation(4, true, Optional.of(new Timeline(10)), Doubts.NONE);
    List<FabricListener> observers = listeners(observation, "listeners");
    for (Field field : Observation.class.getDeclaredFields()) {
      if (field.getType() != FabricListener[].class) {
        continue;
      }
      String event =
          field.getName().substring(2, 3).toLowerCase(Locale.ROOT) + field.getName().substring(3);
      List<FabricListener> wanted = new ArrayList<>();
      for (FabricListener observer : observers) {
        if (Arrays.stream(observer.getClass().getDeclaredMethods())
            .map(Method::getName)
            .anyMatch(event::equals)) {
          wanted.add(observer);
        }
      }
      assertThat(listeners(observation, field.getName())).as(event).isEqualTo(wanted);
    }
  }

  private static List<FabricListener> listeners(Observation observation, String name)
      throws IllegalAccessException {
    for (Field field : Observation.class.getDeclaredFields()) {
      if (field.getName().equals(name)) {
        field.setAccessible(true);
        Object value = field.get(observation);
        List<FabricListener> all = new ArrayList<>();
        List<?> list = value instanceof FabricListener[] array ? List.of(array) : (List<?>) value;
        list.forEach(one -> all.add((FabricListener) one));
        return all;
      }
    }
    return List.of();
  }
}
