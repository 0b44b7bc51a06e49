package io.ringmaster.worker.fabric;

import io.ringmaster.worker.source.Span;
import java.util.List;

/** Tells several listeners in order; none at all is fine. */
final class Listeners implements FabricListener {

  private final List<FabricListener> listeners;

  Listeners(List<? extends FabricListener> listeners) {
    this.listeners = List.copyOf(listeners);
  }

  @Override
  public void dispatchStarted(DispatchInfo dispatch, long virtualNanos) {
    for (FabricListener listener : listeners) {
      listener.dispatchStarted(dispatch, virtualNanos);
    }
  }

  @Override
  public void dispatchFinished(DispatchInfo dispatch, long virtualNanos) {
    for (FabricListener listener : listeners) {
      listener.dispatchFinished(dispatch, virtualNanos);
    }
  }

  @Override
  public void accessed(Access access) {
    for (FabricListener listener : listeners) {
      listener.accessed(access);
    }
  }

  @Override
  public void transferred(Transfer transfer) {
    for (FabricListener listener : listeners) {
      listener.transferred(transfer);
    }
  }

  @Override
  public void notified(Notification notification) {
    for (FabricListener listener : listeners) {
      listener.notified(notification);
    }
  }

  @Override
  public void applied(Notification notification, int before, int after, long virtualNanos) {
    for (FabricListener listener : listeners) {
      listener.applied(notification, before, after, virtualNanos);
    }
  }

  @Override
  public void waitStarted(SignalWait wait, int seen) {
    for (FabricListener listener : listeners) {
      listener.waitStarted(wait, seen);
    }
  }

  @Override
  public void waitSatisfied(SignalWait wait, int seen, long virtualNanos) {
    for (FabricListener listener : listeners) {
      listener.waitSatisfied(wait, seen, virtualNanos);
    }
  }

  @Override
  public void collectiveEntered(CollectiveCall call, long virtualNanos) {
    for (FabricListener listener : listeners) {
      listener.collectiveEntered(call, virtualNanos);
    }
  }

  @Override
  public void collectiveLeft(CollectiveCall call, long virtualNanos) {
    for (FabricListener listener : listeners) {
      listener.collectiveLeft(call, virtualNanos);
    }
  }

  @Override
  public void branched(int rank, Span span, boolean taken) {
    for (FabricListener listener : listeners) {
      listener.branched(rank, span, taken);
    }
  }

  @Override
  public void kept(WindowInfo window) {
    for (FabricListener listener : listeners) {
      listener.kept(window);
    }
  }

  @Override
  public void foreseen(List<Notification> notifies) {
    for (FabricListener listener : listeners) {
      listener.foreseen(notifies);
    }
  }

  @Override
  public void deadlocked(List<BlockedRank> blocked, long virtualNanos) {
    for (FabricListener listener : listeners) {
      listener.deadlocked(blocked, virtualNanos);
    }
  }

  @Override
  public void finished(long virtualNanos) {
    for (FabricListener listener : listeners) {
      listener.finished(virtualNanos);
    }
  }
}
