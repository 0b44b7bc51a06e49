package io.ringmaster.worker.script.eval;

import io.ringmaster.worker.script.value.Budget;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.IteratorValue;
import io.ringmaster.worker.script.value.PyError;
import io.ringmaster.worker.script.value.Resumable;
import io.ringmaster.worker.script.value.Scope;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.source.Stmt;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * Runs a function's body from {@code yield} to {@code yield}. Statements without a {@code yield}
 * run as everywhere; for those with one, what is left to do is kept here, not on a stack of calls,
 * so a generator that nobody finishes costs nothing.
 */
final class Generator implements Resumable {

  /** More than any function nests. */
  private static final int DEEPEST = 200;

  private final Interpreter interp;
  private final Budget budget;
  private final Scope scope;
  private final String function;

  /** Where it begins. */
  private final Span place;

  private final Deque<Frame> frames = new ArrayDeque<>();
  private Optional<Value> ready = Optional.empty();
  private Value returned = Value.NONE;
  private boolean running;
  private boolean begun;

  /** What is sent in, for the {@code yield} at which it stands. */
  private Value sent = Value.NONE;

  /** Where that {@code yield} puts what is sent in. */
  private List<Expr> receivers = List.of();

  /** Something that is not finished yet. */
  private sealed interface Frame {}

  private static final class Block implements Frame {
    private final List<Stmt> statements;
    private int next;

    Block(List<Stmt> statements) {
      this.statements = statements;
    }
  }

  private record ForLoop(Stmt.For loop, Iterator<Value> items) implements Frame {}

  private record WhileLoop(Stmt.While loop) implements Frame {}

  private record From(Iterator<Value> items, List<Expr> targets) implements Frame {}

  private record Entered(Value manager, Span at) implements Frame {}

  private static final class Attempt implements Frame {
    private final Stmt.Try attempt;
    private boolean inBody = true;
    private boolean inFinally;
    private Optional<PyError> pending = Optional.empty();
    private Optional<Flow> leaving = Optional.empty();

    Attempt(Stmt.Try attempt) {
      this.attempt = attempt;
    }
  }

  Generator(String function, List<Stmt> body, Scope scope, Interpreter interp) {
    this.function = function;
    this.interp = interp;
    this.budget = interp.session().budget();
    this.scope = scope;
    this.place = body.getFirst().span();
    frames.push(new Block(body));
  }

  @Override
  public boolean hasNext() {
    if (ready.isEmpty() && !frames.isEmpty()) {
      resume(Optional.empty());
    }
    return ready.isPresent();
  }

  @Override
  public Value next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    Value value = ready.orElseThrow();
    ready = Optional.empty();
    return value;
  }

  @Override
  public void raise(PyError error) {
    ready = Optional.empty();
    resume(Optional.of(error));
  }

  @Override
  public void send(Value value) {
    if (!begun && !(value instanceof Value.None)) {
      throw Errors.type("can't send non-None value to a just-started generator");
    }
    ready = Optional.empty();
    sent = value;
    if (!frames.isEmpty()) {
      resume(Optional.empty());
    }
  }

  @Override
  public Value returned() {
    return returned;
  }

  private void resume(Optional<PyError> thrown) {
    if (running) {
      throw Errors.value("generator already executing");
    }
    budget.enterCall();
    running = true;
    begun = true;
    Span caller = budget.here();
    try {
      if (thrown.isPresent()) {
        receivers = List.of();
        interrupted(thrown.get());
      } else {
        receive();
      }
      while (ready.isEmpty() && !frames.isEmpty()) {
        budget.step();
        step();
      }
      budget.moveTo(caller);
    } catch (PyError error) {
      frames.clear();
      error.at(budget.here());
      if (budget.isInScript(place)) {
        error.leaves(function, caller);
      }
      budget.moveTo(caller);
      throw error;
    } catch (DiagnosticException refusal) {
      DiagnosticException told = budget.inScript(refusal);
      budget.moveTo(caller);
      throw told;
    } finally {
      // What ends the whole script is told with the place where it came, the innermost one.
      budget.leaveCall();
      running = false;
    }
  }

  /** What a {@code yield from} stands at gets the exception first. */
  private void interrupted(PyError thrown) {
    if (frames.peek() instanceof From from && from.items() instanceof Resumable inner) {
      try {
        inner.raise(thrown);
      } catch (PyError error) {
        failed(error);
      }
    } else {
      failed(thrown);
    }
  }

  /** Hands what was sent in to the {@code yield} that waits for it. */
  private void receive() {
    Value value = sent;
    sent = Value.NONE;
    List<Expr> targets = receivers;
    receivers = List.of();
    try {
      if (frames.peek() instanceof From from
          && from.items() instanceof Resumable inner
          && !(value instanceof Value.None)) {
        inner.send(value);
      } else {
        targets.forEach(t -> interp.statements().assign(t, value, scope));
      }
    } catch (PyError error) {
      error.at(budget.here());
      failed(error);
    }
  }

  private void step() {
    try {
      switch (frames.getFirst()) {
        case Block block -> {
          if (block.next == block.statements.size()) {
            frames.pop();
          } else {
            execute(block.statements.get(block.next++));
          }
        }
        case ForLoop loop -> {
          if (loop.items().hasNext()) {
            interp.statements().assign(loop.loop().target(), loop.items().next(), scope);
            push(new Block(loop.loop().body()));
          } else {
            replace(new Block(loop.loop().orElse()));
          }
        }
        case WhileLoop loop -> {
          if (interp.truth(interp.eval(loop.loop().condition(), scope))) {
            push(new Block(loop.loop().body()));
          } else {
            replace(new Block(loop.loop().orElse()));
          }
        }
        case From from -> {
          if (from.items().hasNext()) {
            ready = Optional.of(from.items().next());
          } else {
            frames.pop();
            Value end = from.items() instanceof Resumable inner ? inner.returned() : Value.NONE;
            from.targets().forEach(t -> interp.statements().assign(t, end, scope));
          }
        }
        case Entered entered -> {
          frames.pop();
          interp.statements().contexts().exit(entered.manager(), Optional.empty(), entered.at());
        }
        case Attempt attempt -> done(attempt);
      }
    } catch (PyError error) {
      error.at(budget.here());
      failed(error);
    }
  }

  private void push(Frame frame) {
    if (frames.size() >= DEEPEST) {
      throw Errors.runtime("generator nested too deeply");
    }
    frames.push(frame);
  }

  private void replace(Frame frame) {
    frames.pop();
    push(frame);
  }

  /** A part of a {@code try} came to its end. */
  private void done(Attempt attempt) {
    if (attempt.inFinally) {
      frames.pop();
      if (attempt.pending.isPresent()) {
        throw attempt.pending.get();
      }
      attempt.leaving.ifPresent(this::leave);
    } else if (attempt.inBody) {
      attempt.inBody = false;
      push(new Block(attempt.attempt.orElse()));
    } else {
      attempt.inFinally = true;
      push(new Block(attempt.attempt.finalBody()));
    }
  }

  private void execute(Stmt statement) {
    if (!Yields.in(statement)) {
      Flow flow = interp.statements().block(List.of(statement), scope);
      if (!(flow instanceof Flow.Next)) {
        leave(flow);
      }
      return;
    }
    budget.moveTo(statement.span());
    Optional<Expr.Suspension> yield = Yields.of(statement);
    if (yield.isPresent()) {
      suspend(statement, yield.get());
      return;
    }
    switch (statement) {
      case Stmt.If choice ->
          push(
              new Block(
                  interp.truth(interp.eval(choice.condition(), scope))
                      ? choice.body()
                      : choice.orElse()));
      case Stmt.For loop ->
          push(new ForLoop(loop, interp.iterate(interp.eval(loop.iterable(), scope))));
      case Stmt.While loop -> push(new WhileLoop(loop));
      case Stmt.Match match -> push(new Block(interp.statements().matching().chosen(match, scope)));
      case Stmt.Try attempt -> {
        push(new Attempt(attempt));
        push(new Block(attempt.body()));
      }
      case Stmt.With with -> {
        for (Stmt.WithItem item : with.items()) {
          Value manager = interp.eval(item.context(), scope);
          Span at = item.context().span();
          Value entered = interp.statements().contexts().enter(manager, at);
          push(new Entered(manager, at));
          item.target().ifPresent(target -> interp.statements().assign(target, entered, scope));
        }
        push(new Block(with.body()));
      }
      default ->
          throw Errors.refuse(
              "'yield' inside an expression is not available in scripts",
              "write it as a statement of its own",
              statement.span());
    }
  }

  private void suspend(Stmt statement, Expr.Suspension yield) {
    Value value = yield.value().isEmpty() ? Value.NONE : interp.eval(yield.value().get(), scope);
    List<Expr> targets =
        statement instanceof Stmt.Assign assign ? assign.targets() : List.<Expr>of();
    if (yield.keyword().equals("yield from")) {
      // A generator is asked itself, not through an iterator over it: it knows what it returned.
      push(
          new From(
              value instanceof IteratorValue items && items.items() instanceof Resumable inner
                  ? inner
                  : interp.iterate(value),
              targets));
    } else {
      receivers = targets;
      ready = Optional.of(value);
    }
  }

  /** {@code return}, {@code break} and {@code continue} leave everything up to what they end. */
  private void leave(Flow flow) {
    if (flow instanceof Flow.Return end) {
      returned = end.value();
    }
    while (!frames.isEmpty()) {
      switch (frames.getFirst()) {
        case Block block -> frames.pop();
        case From from -> frames.pop();
        case Entered entered -> {
          frames.pop();
          interp.statements().contexts().exit(entered.manager(), Optional.empty(), entered.at());
        }
        case ForLoop loop when flow instanceof Flow.Continue -> {
          return;
        }
        case WhileLoop loop when flow instanceof Flow.Continue -> {
          return;
        }
        case ForLoop loop -> {
          frames.pop();
          if (flow instanceof Flow.Break) {
            return;
          }
        }
        case WhileLoop loop -> {
          frames.pop();
          if (flow instanceof Flow.Break) {
            return;
          }
        }
        case Attempt attempt -> {
          if (!attempt.inFinally) {
            attempt.inBody = false;
            attempt.inFinally = true;
            attempt.leaving = Optional.of(flow);
            push(new Block(attempt.attempt.finalBody()));
            return;
          }
          frames.pop();
        }
      }
    }
  }

  /** An exception leaves everything up to what handles it. */
  private void failed(PyError thrown) {
    PyError error = thrown;
    while (!frames.isEmpty()) {
      Frame frame = frames.getFirst();
      try {
        if (frame instanceof Attempt attempt && !attempt.inFinally) {
          if (attempt.inBody && handled(attempt, error)) {
            return;
          }
          attempt.inBody = false;
          attempt.inFinally = true;
          attempt.pending = Optional.of(error);
          push(new Block(attempt.attempt.finalBody()));
          return;
        }
        frames.pop();
        if (frame instanceof Entered entered
            && interp
                .statements()
                .contexts()
                .exit(entered.manager(), Optional.of(error), entered.at())) {
          return;
        }
      } catch (PyError another) {
        another.at(budget.here());
        error = another;
      }
    }
    throw error;
  }

  private boolean handled(Attempt attempt, PyError error) {
    for (Stmt.Handler handler : attempt.attempt.handlers()) {
      if (interp.statements().matches(handler, error, scope)) {
        attempt.inBody = false;
        handler.name().ifPresent(name -> scope.bind(name, error.exception()));
        push(new Block(handler.body()));
        return true;
      }
    }
    return false;
  }
}
