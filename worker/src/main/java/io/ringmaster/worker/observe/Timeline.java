package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.CollectiveCall;
import io.ringmaster.worker.fabric.DispatchInfo;
import io.ringmaster.worker.fabric.FabricListener;
import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.fabric.Transfer;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What each rank did when, on the virtual clock: spans that lie inside each other, and an arrow
 * from each notify to the wait that used it up. Several launches follow each other.
 */
public final class Timeline implements FabricListener {

  /** What a span stands for. */
  public enum Category {
    DISPATCH,
    COLLECTIVE,
    BARRIER,
    TRANSFER,
    NOTIFY,
    WAIT
  }

  /**
   * Something that took time on a rank.
   *
   * @param detail what, in words: cell, bytes, peer
   */
  public record Slice(
      int rank,
      Category category,
      String name,
      String detail,
      Span span,
      long fromNanos,
      long toNanos) {}

  /** From the middle of a notify to the end of the wait that used up its credit. */
  public record Arrow(int from, long fromNanos, int to, long toNanos) {}

  private record Open(CollectiveCall call, long fromNanos) {}

  private final int most;
  private final List<Slice> slices = new ArrayList<>();
  private final List<Arrow> arrows = new ArrayList<>();
  private final Map<Long, Long> dispatches = new HashMap<>();
  private final Map<Integer, Open> collectives = new HashMap<>();
  private long offset;
  private long notifyNanos;
  private int ranks;
  private boolean truncated;

  /**
   * @param most how many slices and arrows to keep together; what comes later is left away
   */
  public Timeline(int most) {
    this.most = most;
  }

  /**
   * Begins a launch after the end of those before.
   *
   * @param ranksOfLaunch its world size
   * @param startNanos where its virtual zero lies
   * @param notifySendNanos how long a notify keeps its sender
   */
  public void launch(int ranksOfLaunch, long startNanos, long notifySendNanos) {
    ranks = Math.max(ranks, ranksOfLaunch);
    offset = startNanos;
    notifyNanos = notifySendNanos;
    dispatches.clear();
    collectives.clear();
  }

  /** Ranks of the largest launch. */
  public int ranks() {
    return ranks;
  }

  /** True when something was left away. */
  public boolean isTruncated() {
    return truncated;
  }

  /** In the order in which they ended. */
  public List<Slice> slices() {
    return slices;
  }

  public List<Arrow> arrows() {
    return arrows;
  }

  @Override
  public void dispatchStarted(DispatchInfo dispatch, long virtualNanos) {
    dispatches.put(dispatch.id(), virtualNanos);
  }

  @Override
  public void dispatchFinished(DispatchInfo dispatch, long virtualNanos) {
    Long from = dispatches.remove(dispatch.id());
    if (from != null) {
      add(
          dispatch.rank(),
          Category.DISPATCH,
          dispatch.function(),
          "dispatch " + dispatch.id(),
          dispatch.span(),
          from,
          virtualNanos);
    }
  }

  @Override
  public void collectiveEntered(CollectiveCall call, long virtualNanos) {
    collectives.put(call.rank(), new Open(call, virtualNanos));
  }

  @Override
  public void collectiveLeft(CollectiveCall call, long virtualNanos) {
    Open open = collectives.remove(call.rank());
    if (open != null) {
      add(
          call.rank(),
          Category.COLLECTIVE,
          call.op() + " " + call.algorithm(),
          call.rail() + " on " + call.window().buffer() + " " + call.shape(),
          call.span(),
          open.fromNanos(),
          virtualNanos);
    }
  }

  @Override
  public void transferred(Transfer transfer) {
    add(
        transfer.rank(),
        Category.TRANSFER,
        transfer.operation().name().toLowerCase(Locale.ROOT),
        transfer.payloadBytes() + " bytes from rank " + transfer.from() + " to " + transfer.to(),
        transfer.span(),
        transfer.startNanos(),
        transfer.endNanos());
  }

  @Override
  public void notified(Notification notification) {
    add(
        notification.rank(),
        Category.NOTIFY,
        "notify rank " + notification.owner(),
        notification.window().buffer()
            + notification.coordinates()
            + (notification.set() ? " = " : " += ")
            + notification.value(),
        notification.span(),
        notification.sentNanos(),
        notification.sentNanos() + notifyNanos);
  }

  /** A wait is over; {@code used} are the credits that it has used up. */
  void waited(SignalWait wait, int seen, long virtualNanos, List<CreditCell.Credit> used) {
    add(
        wait.rank(),
        Category.WAIT,
        "wait " + wait.window().buffer() + wait.coordinates(),
        "needs " + (wait.exact() ? "" : "at least ") + wait.expected() + ", saw " + seen,
        wait.span(),
        wait.startNanos(),
        virtualNanos);
    for (CreditCell.Credit credit : used) {
      Notification notification = credit.notification();
      if (!notification.isSelf() && fits()) {
        arrows.add(
            new Arrow(
                notification.rank(),
                offset + notification.sentNanos() + notifyNanos / 2,
                wait.rank(),
                offset + virtualNanos));
      }
    }
  }

  /** A rank passed a barrier. */
  void barrier(int rank, String window, int round, Span span, long arrived, long released) {
    add(rank, Category.BARRIER, "barrier " + window, "round " + round, span, arrived, released);
  }

  private void add(
      int rank, Category category, String name, String detail, Span span, long from, long to) {
    if (fits()) {
      slices.add(new Slice(rank, category, name, detail, span, offset + from, offset + to));
    }
  }

  private boolean fits() {
    if (slices.size() + arrows.size() < most) {
      return true;
    }
    truncated = true;
    return false;
  }
}
