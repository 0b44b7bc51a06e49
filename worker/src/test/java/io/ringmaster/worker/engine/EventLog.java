package io.ringmaster.worker.engine;

import io.ringmaster.worker.fabric.Access;
import io.ringmaster.worker.fabric.BlockedRank;
import io.ringmaster.worker.fabric.CollectiveCall;
import io.ringmaster.worker.fabric.DispatchInfo;
import io.ringmaster.worker.fabric.FabricListener;
import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.fabric.Transfer;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.List;

/** Writes down every event as a line. */
final class EventLog implements FabricListener {

  final List<String> lines = new ArrayList<>();
  final List<Transfer> transfers = new ArrayList<>();
  final List<Access> accesses = new ArrayList<>();
  final List<DispatchInfo> dispatches = new ArrayList<>();
  final List<CollectiveCall> collectives = new ArrayList<>();
  final List<BlockedRank> blocked = new ArrayList<>();

  @Override
  public void dispatchStarted(DispatchInfo dispatch, long virtualNanos) {
    dispatches.add(dispatch);
    lines.add("start " + dispatch + " " + virtualNanos);
  }

  @Override
  public void dispatchFinished(DispatchInfo dispatch, long virtualNanos) {
    lines.add("end " + dispatch + " " + virtualNanos);
  }

  @Override
  public void accessed(Access access) {
    accesses.add(access);
    lines.add(access.toString());
  }

  @Override
  public void transferred(Transfer transfer) {
    transfers.add(transfer);
    lines.add(transfer.toString());
  }

  @Override
  public void notified(Notification notification) {
    lines.add(notification.toString());
  }

  @Override
  public void applied(Notification notification, int before, int after, long virtualNanos) {
    lines.add("applied " + notification.id() + " " + before + " " + after + " " + virtualNanos);
  }

  @Override
  public void waitStarted(SignalWait wait, int seen) {
    lines.add(wait + " " + seen);
  }

  @Override
  public void waitSatisfied(SignalWait wait, int seen, long virtualNanos) {
    lines.add("satisfied " + wait.id() + " " + seen + " " + virtualNanos);
  }

  @Override
  public void collectiveEntered(CollectiveCall call, long virtualNanos) {
    collectives.add(call);
    lines.add("enter " + call + " " + virtualNanos);
  }

  @Override
  public void collectiveLeft(CollectiveCall call, long virtualNanos) {
    lines.add("leave " + call + " " + virtualNanos);
  }

  @Override
  public void branched(int rank, Span span, boolean taken) {
    lines.add("branch " + rank + " " + span + " " + taken);
  }

  @Override
  public void deadlocked(List<BlockedRank> ranks, long virtualNanos) {
    blocked.addAll(ranks);
    lines.add("deadlock " + ranks + " " + virtualNanos);
  }

  @Override
  public void finished(long virtualNanos) {
    lines.add("finished " + virtualNanos);
  }
}
