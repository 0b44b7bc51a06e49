package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.script.value.Session;
import io.ringmaster.worker.script.value.Value;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/** Where prints go that name no file: {@code with contextlib.redirect_stdout(...)}. */
public final class Redirects {

  private final Deque<Value> targets = new ArrayDeque<>();

  private Redirects() {}

  public static Redirects of(Session session) {
    return session.shared(Redirects.class, s -> new Redirects());
  }

  /** The innermost target; empty for the log. */
  public Optional<Value> target() {
    return Optional.ofNullable(targets.peek());
  }

  public void enter(Value target) {
    targets.push(target);
  }

  public void leave() {
    targets.pop();
  }
}
