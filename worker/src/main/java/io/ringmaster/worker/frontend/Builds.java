package io.ringmaster.worker.frontend;

import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Stmt;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What was built of the definitions of one syntax tree, for the next time that the same is to be
 * built. What comes of a definition depends on its text, on what it is called with, and on what it
 * sees outside. What it sees is noted while it is built: the questions in the order in which it
 * asks them, and the answers. It asks the first one whatever there is, and each further one because
 * of the answers before; so where every answer is the same again, the build would be, too, and what
 * was made then is handed out. Nothing else of what it saw is kept.
 *
 * <p>A build that is refused is made anew each time. Not for several threads at once.
 */
public final class Builds {

  /** Builds that are kept at most; what is more is made anew each time. */
  private static final int MOST = 512;

  private final IdentityHashMap<Stmt, Map<Object, Step>> firsts = new IdentityHashMap<>();
  private int kept;
  private long made;

  /** A point of a build: what is asked there, or what was built. */
  private static final class Step {
    private @Nullable Question question;
    private final Map<Object, Step> answers = new HashMap<>();
    private @Nullable Object built;
  }

  /** What a name or an expression stands for in one of the scopes that a build has seen. */
  private sealed interface Question {

    /** The number of the scope. */
    int scope();

    Optional<ClosureValue> ask(ClosureScope scope);
  }

  private record Named(int scope, String name) implements Question {
    @Override
    public Optional<ClosureValue> ask(ClosureScope scope) {
      return scope.lookup(name);
    }
  }

  private record Evaluated(int scope, Expr expression) implements Question {
    @Override
    public Optional<ClosureValue> ask(ClosureScope scope) {
      return scope.evaluate(expression);
    }
  }

  private record Asked(Question question, Object answer) {}

  /** A function of the script: the same text with the same names around it. */
  private record SameKernel(SameText text, int scope) {}

  private record SameSequence(List<Object> elements) {}

  /** A definition of the syntax tree; one that reads the same elsewhere has other places. */
  private record SameText(Stmt definition) {
    @Override
    @SuppressWarnings("ReferenceEquality") // A definition of one tree is told by being the same.
    public boolean equals(Object other) {
      return other instanceof SameText that && definition == that.definition;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(definition);
    }
  }

  /**
   * What comes of a definition, made now or before.
   *
   * @param what tells apart what is made of it, with all that it is called with
   * @param scope what it sees outside
   * @param build makes it, seeing what it is handed; what it makes never changes
   */
  public <T> T get(
      Stmt definition,
      Object what,
      ClosureScope scope,
      Class<T> type,
      Function<ClosureScope, T> build) {
    if (!scope.unknown().isEmpty()) {
      return build.apply(scope);
    }
    Step first =
        firsts
            .computeIfAbsent(definition, _ -> new HashMap<>())
            .computeIfAbsent(what, _ -> new Step());
    Optional<Object> known = find(first, scope);
    if (known.isPresent()) {
      return type.cast(known.get());
    }
    Noting noting = new Noting();
    T fresh = build.apply(noting.seen(scope));
    made++;
    if (kept < MOST && !noting.failed) {
      keep(first, noting.asked, fresh);
    }
    return fresh;
  }

  /** How often something had to be made. */
  long made() {
    return made;
  }

  private static Optional<Object> find(Step first, ClosureScope scope) {
    Numbers numbers = new Numbers();
    numbers.of(scope);
    Step at = first;
    while (at != null && at.question != null) {
      Question question = at.question;
      Optional<ClosureValue> found;
      try {
        found = question.ask(numbers.scope(question.scope()));
      } catch (RuntimeException unanswered) {
        // The build asks the same, and says what comes of it.
        return Optional.empty();
      }
      at = at.answers.get(numbers.answer(found));
    }
    return at == null ? Optional.empty() : Optional.ofNullable(at.built);
  }

  private void keep(Step first, List<Asked> asked, Object fresh) {
    Step at = first;
    for (Asked one : asked) {
      if (at.built != null || (at.question != null && !at.question.equals(one.question()))) {
        // It has gone another way than one that saw the same: which one of them comes again?
        return;
      }
      at.question = one.question();
      at = at.answers.computeIfAbsent(one.answer(), _ -> new Step());
    }
    if (at.question == null) {
      at.built = fresh;
      kept++;
    }
  }

  /** The scopes that a build comes upon, numbered in the order in which it does. */
  private static final class Numbers {

    private final List<ClosureScope> scopes = new ArrayList<>();
    private final Map<ClosureScope, Integer> numbers = new HashMap<>();

    int of(ClosureScope scope) {
      return numbers.computeIfAbsent(
          scope,
          added -> {
            scopes.add(added);
            return scopes.size() - 1;
          });
    }

    ClosureScope scope(int number) {
      return scopes.get(number);
    }

    /** An answer without the scopes in it, so that those of another time may give the same. */
    Object answer(Optional<ClosureValue> value) {
      return value.<Object>map(this::answer).orElse(Optional.empty());
    }

    private Object answer(ClosureValue value) {
      return switch (value) {
        case ClosureValue.Kernel(Stmt.FunctionDef definition, ClosureScope scope) ->
            new SameKernel(new SameText(definition), of(scope));
        case ClosureValue.Sequence(List<ClosureValue> elements) ->
            new SameSequence(elements.stream().map(this::answer).toList());
        case ClosureValue plain -> plain;
      };
    }
  }

  /** Notes what a build asks. */
  private static final class Noting {

    private final Numbers numbers = new Numbers();
    private final List<Seen> seen = new ArrayList<>();
    private final Map<Question, Optional<ClosureValue>> known = new HashMap<>();
    private final List<Asked> asked = new ArrayList<>();
    private boolean failed;

    ClosureScope seen(ClosureScope scope) {
      int number = numbers.of(scope);
      while (seen.size() <= number) {
        seen.add(new Seen(this, seen.size()));
      }
      return seen.get(number);
    }

    Optional<ClosureValue> answer(Question question) {
      Optional<ClosureValue> before = known.get(question);
      if (before != null) {
        return before;
      }
      Optional<ClosureValue> found;
      try {
        found = question.ask(numbers.scope(question.scope()));
      } catch (RuntimeException unanswered) {
        failed = true;
        throw unanswered;
      }
      asked.add(new Asked(question, numbers.answer(found)));
      Optional<ClosureValue> shown = found.map(this::shown);
      known.put(question, shown);
      return shown;
    }

    /** A value with scopes in which what is asked is noted as well. */
    private ClosureValue shown(ClosureValue value) {
      return switch (value) {
        case ClosureValue.Kernel(Stmt.FunctionDef definition, ClosureScope scope) ->
            new ClosureValue.Kernel(definition, seen(scope));
        case ClosureValue.Sequence(List<ClosureValue> elements) ->
            new ClosureValue.Sequence(elements.stream().map(this::shown).toList());
        case ClosureValue plain -> plain;
      };
    }
  }

  /** A scope as a build sees it while that is noted. */
  private static final class Seen implements ClosureScope {

    private final Noting noting;
    private final int number;

    Seen(Noting noting, int number) {
      this.noting = noting;
      this.number = number;
    }

    @Override
    public Optional<ClosureValue> lookup(String name) {
      return noting.answer(new Named(number, name));
    }

    @Override
    public Optional<ClosureValue> evaluate(Expr expression) {
      return noting.answer(new Evaluated(number, expression));
    }

    @Override
    public Set<String> unknown() {
      return noting.numbers.scope(number).unknown();
    }

    /** Stands in the key under which a function called with this is read. */
    @Override
    public String toString() {
      return "scope " + number;
    }
  }
}
