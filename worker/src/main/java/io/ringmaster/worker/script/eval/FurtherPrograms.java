package io.ringmaster.worker.script.eval;

import io.ringmaster.worker.script.LimitExceeded;
import io.ringmaster.worker.script.eval.GuessedPrograms.Why;
import io.ringmaster.worker.script.value.PyError;
import io.ringmaster.worker.script.value.Scope;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.DiagnosticList;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.source.Stmt;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Finds what else is wrong with a script that was refused: reads the definitions of its module
 * level, and nothing that calls or launches. A name is in doubt when a statement that would have
 * bound or changed it was left out; a definition that leans on such a name is left out too, so that
 * no error is the consequence of another.
 */
final class FurtherPrograms {

  private static final Set<String> PROGRAM = Set.of("class", "program");

  private final Interpreter interp;
  private final Scope scope;
  private final Harmless harmless;
  private final List<Stmt> body;
  private final Set<Diagnostic> found;
  private final Definitions definitions;

  /** What is said of programs that aren't read. */
  private final List<Diagnostic> unread = new ArrayList<>();

  /** Those among them that only lean on names in doubt. */
  private final List<Diagnostic> leaning = new ArrayList<>();

  private final Set<String> doubted = new HashSet<>();
  private final Set<String> globals;
  private final List<GuessedPrograms.Unsure> unsure = new ArrayList<>();
  private final Map<String, Set<String>> mentioned = new HashMap<>();

  private FurtherPrograms(
      Interpreter interp,
      Definitions definitions,
      Scope scope,
      List<Stmt> body,
      DiagnosticException first) {
    this.interp = interp;
    this.definitions = definitions;
    this.scope = scope;
    this.harmless = new Harmless(definitions, scope);
    this.body = body;
    this.globals = StaticChecker.globalsDeclared(body);
    this.found = new LinkedHashSet<>(first.diagnostics());
    for (Stmt statement : body) {
      Optional<String> name = defined(statement);
      if (name.isPresent()) {
        mentioned.computeIfAbsent(name.get(), _ -> new HashSet<>()).addAll(Mentions.of(statement));
      }
    }
  }

  /** A refusal of the statement at {@code index}, with what is wrong with the programs below it. */
  static DiagnosticException after(
      int index,
      DiagnosticException refusal,
      List<Stmt> body,
      Interpreter interp,
      Definitions definitions,
      Scope scope) {
    var further = new FurtherPrograms(interp, definitions, scope, body, refusal);
    further.found.addAll(definitions.refuse(further.reached(ExpectedErrors.in(body))::contains));
    further.leaveOut(body.get(index));
    further.read(index + 1, Set.of());
    // What leans on a statement that wasn't run is left alone; functions stand for themselves.
    further.unsure.replaceAll(GuessedPrograms.Unsure::unread);
    further.guess(new GuessedPrograms(interp, definitions, body, refusal));
    return further.together(refusal);
  }

  /**
   * Problems seen before anything ran, with what is wrong with the programs of the script.
   *
   * @param isWhole false where something couldn't be read: then no values are guessed, as what
   *     leans on them may stand in the part that is missing
   */
  static DiagnosticException beside(
      DiagnosticException problems,
      List<Stmt> body,
      boolean isWhole,
      Interpreter interp,
      Definitions definitions,
      Scope scope) {
    var further = new FurtherPrograms(interp, definitions, scope, body, problems);
    definitions.refuse(_ -> true);
    further.read(0, new ProblemLines(problems, body).touched(body, Integer.MAX_VALUE));
    if (isWhole) {
      further.unread.removeAll(further.leaning);
      further.guess(new GuessedPrograms(interp, definitions, body, problems));
    }
    return further.together(problems);
  }

  private DiagnosticException together(DiagnosticException first) {
    found.addAll(unread);
    if (found.size() == first.diagnostics().size()) {
      return first;
    }
    List<Diagnostic> all = new ArrayList<>(found);
    all.sort(
        Comparator.comparingInt((Diagnostic d) -> d.span().line())
            .thenComparingInt(d -> d.span().column()));
    return new DiagnosticException(all);
  }

  private void read(int from, Set<Integer> leftOut) {
    try {
      for (int i = from; i < body.size() && found.size() < DiagnosticList.MOST_KEPT; i++) {
        Stmt statement = body.get(i);
        boolean unclear = leftOut.contains(i) || !harmless.isDefinition(statement);
        if (unclear || isInDoubt(statement)) {
          note(i, leftOut.contains(i));
          Set<String> before = Set.copyOf(doubted);
          leaveOut(statement);
          Set<String> names = new HashSet<>(doubted);
          names.removeAll(before);
          names.addAll(Names.ofBlock(List.of(statement)).locals());
          unsure.add(
              new GuessedPrograms.Unsure(statement, unclear ? Why.LEFT_OUT : Why.LEANS, names));
        } else {
          define(statement);
        }
      }
      readUncalled();
    } catch (LimitExceeded | StackOverflowError | OutOfMemoryError enough) {
      // What was found up to here is said; the script is refused whatever stands below.
      return;
    }
  }

  /** Remembers a program that isn't read here, and why. */
  private void note(int index, boolean isUnclear) {
    Stmt statement = body.get(index);
    if (statement instanceof Stmt.ClassDef def
        && def.decorators().stream().anyMatch(d -> definitions.isOfKernels(d, scope))) {
      Optional<String> name =
          reached(Mentions.of(statement)).stream().filter(doubted::contains).sorted().findFirst();
      boolean leans = !isUnclear && name.isPresent();
      Diagnostic note =
          note(
              "class '"
                  + def.name()
                  + "' wasn't read: "
                  + (leans
                      ? "it needs '" + name.get() + "', which a statement before it would have set"
                      : "a line of it can't be read"),
              def.nameSpan());
      unread.add(note);
      if (leans) {
        leaning.add(note);
      }
    } else if (statement instanceof Stmt.Unread text && text.words().containsAll(PROGRAM)) {
      unread.add(
          note("the class that starts here wasn't read: its first line can't be", text.span()));
    }
  }

  private static Diagnostic note(String message, Span place) {
    return new Diagnostic(
        Diagnostic.Severity.NOTE,
        message,
        "more may be wrong with it: mend the errors, and run the script again",
        place);
  }

  /** Reads what leans on values nobody knows, with several values in their place. */
  private void guess(GuessedPrograms guessed) {
    Set<String> expected = reached(ExpectedErrors.in(body));
    try {
      for (Diagnostic one : guessed.read(unsure, scope, expected)) {
        if (found.stream()
            .noneMatch(
                other ->
                    other.span().equals(one.span()) && other.message().equals(one.message()))) {
          found.add(one);
        }
      }
    } catch (LimitExceeded | StackOverflowError | OutOfMemoryError enough) {
      // As above: what was found up to here is said.
      return;
    }
  }

  private void readUncalled() {
    Set<String> expected = reached(ExpectedErrors.in(body));
    found.addAll(
        UncalledFunctions.problems(
            body,
            scope,
            def ->
                !expected.contains(def.name()) && !doubted.contains(def.name()) && !isInDoubt(def),
            found));
  }

  private void define(Stmt statement) {
    try {
      interp.statements().block(List.of(statement), scope);
      Set<String> names = Names.ofBlock(List.of(statement)).locals();
      if (doubted.removeAll(names)) {
        unsure.add(new GuessedPrograms.Unsure(statement, Why.MADE_SURE, names));
      }
    } catch (PyError error) {
      error.refusal().ifPresent(refusal -> found.addAll(refusal.diagnostics()));
      leaveOut(statement);
    } catch (DiagnosticException refusal) {
      found.addAll(refusal.diagnostics());
      leaveOut(statement);
    }
  }

  /** From here on nobody knows what the statement would have bound or changed. */
  private void leaveOut(Stmt statement) {
    doubted.addAll(Names.ofBlock(List.of(statement)).locals());
    if (statement instanceof Stmt.FunctionDef || statement instanceof Stmt.ClassDef) {
      return;
    }
    doubted.addAll(globals);
    for (String name : reached(Mentions.of(statement))) {
      Value value = scope.values().get(name);
      if (value != null && !Harmless.isFixed(value)) {
        doubted.add(name);
      }
    }
  }

  private boolean isInDoubt(Stmt statement) {
    return reached(Mentions.of(statement)).stream().anyMatch(doubted::contains);
  }

  /** Names, and those that the module's definitions of these names mention. */
  private Set<String> reached(Set<String> names) {
    Set<String> all = new HashSet<>(names);
    Deque<String> open = new ArrayDeque<>(names);
    while (!open.isEmpty()) {
      interp.session().budget().step();
      for (String next : mentioned.getOrDefault(open.pop(), Set.of())) {
        if (all.add(next)) {
          open.push(next);
        }
      }
    }
    return all;
  }

  private static Optional<String> defined(Stmt statement) {
    return switch (statement) {
      case Stmt.FunctionDef def -> Optional.of(def.name());
      case Stmt.ClassDef def -> Optional.of(def.name());
      default -> Optional.empty();
    };
  }
}
