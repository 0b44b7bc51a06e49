package io.ringmaster.worker.frontend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringmaster.worker.ir.IrPrinter;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.PythonParser;
import io.ringmaster.worker.source.SourceFile;
import io.ringmaster.worker.source.Stmt;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is built again is what would have been built, whatever the names outside stand for. */
class BuildsTest {

  private static final String PROGRAM =
      """
      @pl.program
      class Copy:
          @pl.function(type=pl.FunctionType.InCore)
          def kernel(self, x: pl.Tensor[[1, S], pl.FP32], y: pl.Out[pl.Tensor[[1, S], pl.FP32]]) -> pl.Tensor[[1, S], pl.FP32]:
              t = pl.load(x, [0, 0], [1, S])
              return pl.store(more(t), [0, 0], y)

      """;

  private static final String HELPERS =
      """
      @pl.inline
      def twice(t):
          return pl.tile.muls(t, FACTOR)

      @pl.inline
      def thrice(t):
          return pl.tile.muls(pl.tile.muls(t, FACTOR), FACTOR)

      """;

  private final List<Stmt> body =
      PythonParser.parse(SourceFile.of("kernel.py", PROGRAM + HELPERS + PROGRAM)).body();
  private final Stmt.ClassDef program = (Stmt.ClassDef) body.getFirst();
  private final Stmt.ClassDef other = (Stmt.ClassDef) body.getLast();
  private final Builds builds = new Builds();

  private Stmt.FunctionDef helper(int number) {
    return (Stmt.FunctionDef) body.get(1 + number);
  }

  private static Map<String, ClosureValue> names(Object... pairs) {
    Map<String, ClosureValue> names = new HashMap<>();
    names.put("pl", new ClosureValue.Path("pypto.language"));
    for (int i = 0; i < pairs.length; i += 2) {
      names.put(
          (String) pairs[i],
          pairs[i + 1] instanceof Integer number
              ? new ClosureValue.Int(number)
              : (ClosureValue) pairs[i + 1]);
    }
    return names;
  }

  private static ClosureScope scope(Map<String, ClosureValue> names) {
    return name -> Optional.ofNullable(names.get(name));
  }

  /** A scope of its own in which the first or second helper multiplies by a factor. */
  private ClosureValue helper(int number, double factor) {
    return new ClosureValue.Kernel(
        helper(number), scope(names("FACTOR", new ClosureValue.Float(factor))));
  }

  private Built build(Stmt.ClassDef definition, ClosureScope scope) {
    return builds.get(
        definition,
        "program",
        scope,
        Built.class,
        seen -> ProgramBuilder.build(definition, seen, FrontendOptions.DEFAULTS));
  }

  private String built(Map<String, ClosureValue> names) {
    return text(build(program, scope(names)));
  }

  private static String text(Built built) {
    return IrPrinter.print(built.program());
  }

  private String anew(Map<String, ClosureValue> names) {
    return text(ProgramBuilder.build(program, scope(names), FrontendOptions.DEFAULTS));
  }

  @Test
  void theSameNamesMakeTheSameAndItIsMadeOnce() {
    Built first = build(program, scope(names("S", 16, "more", helper(0, 2))));
    Built again = build(program, scope(names("S", 16, "more", helper(0, 2), "unused", 5)));
    assertThat(again).isSameAs(first);
    assertThat(builds.made()).isEqualTo(1);
    assertThat(text(first)).isEqualTo(anew(names("S", 16, "more", helper(0, 2))));
  }

  @Test
  void whateverANameStandsForItIsAsBuiltAnew() {
    List<Map<String, ClosureValue>> all =
        List.of(
            names("S", 16, "more", helper(0, 2)),
            names("S", 32, "more", helper(0, 2)),
            names("S", 16, "more", helper(0, 3)),
            names("S", 16, "more", helper(1, 2)),
            names("S", 16, "more", helper(1, 3)));
    for (int round = 0; round < 2; round++) {
      for (Map<String, ClosureValue> names : all) {
        assertThat(built(names)).isEqualTo(anew(names));
      }
    }
    assertThat(all.stream().map(this::built).distinct()).hasSize(all.size());
    assertThat(builds.made()).isEqualTo(all.size());
  }

  @Test
  void aNameThatChangesItsValueIsSeen() {
    Map<String, ClosureValue> names = names("S", 16, "more", helper(0, 2));
    ClosureScope scope = scope(names);
    String before = text(build(program, scope));
    names.put("S", new ClosureValue.Int(32));
    assertThat(text(build(program, scope))).isNotEqualTo(before).contains("32");
    names.put("S", new ClosureValue.Int(16));
    assertThat(text(build(program, scope))).isEqualTo(before);
    assertThat(builds.made()).isEqualTo(2);
  }

  @Test
  void numbersThatAreEqualAreToldApartByTheirTypes() {
    assertThat(built(names("S", 16, "more", helper(0, 2)))).isNotEmpty();
    Map<String, ClosureValue> real = names("S", new ClosureValue.Float(16), "more", helper(0, 2));
    assertThatThrownBy(() -> built(real)).isInstanceOf(DiagnosticException.class);
  }

  @Test
  void theSameTextElsewhereIsAnotherDefinition() {
    Map<String, ClosureValue> names = names("S", 16, "more", helper(0, 2));
    Built first = build(program, scope(names));
    Built second = build(other, scope(names));
    assertThat(second.program().functions().getLast().span().line())
        .isGreaterThan(first.program().functions().getLast().span().line());
  }

  @Test
  void whatIsRefusedIsRefusedAgainAndSaysAll() {
    Map<String, ClosureValue> lacking = names("more", helper(0, 2));
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> built(lacking))
          .isInstanceOfSatisfying(
              DiagnosticException.class,
              refused -> assertThat(refused.diagnostics().toString()).contains("'S'"));
    }
    lacking.put("S", new ClosureValue.Int(16));
    assertThat(built(lacking)).isEqualTo(anew(lacking));
  }

  @Test
  void whatSeesANameThatNobodyKnowsIsNotKept() {
    ClosureScope guessed =
        new ClosureScope() {
          @Override
          public Optional<ClosureValue> lookup(String name) {
            return Optional.ofNullable(names("S", 16, "more", helper(0, 2)).get(name));
          }

          @Override
          public Set<String> unknown() {
            return Set.of("x");
          }
        };
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> build(program, guessed)).isInstanceOf(DiagnosticException.class);
    }
    assertThat(builds.made()).isZero();
  }

  @Test
  void aQuestionWithoutAnAnswerIsAskedAgain() {
    int[] asked = new int[1];
    ClosureScope unbound =
        name -> {
          asked[0]++;
          throw new IllegalArgumentException(name + " has no value yet");
        };
    for (int i = 0; i < 2; i++) {
      String found =
          builds.get(program, "open", unbound, String.class, BuildsTest::whetherThereIsAnS);
      assertThat(found).isEqualTo("S has no value yet");
    }
    assertThat(asked[0]).isEqualTo(2);
    assertThat(builds.made()).isEqualTo(2);
    String bound =
        builds.get(
            program, "open", scope(names("S", 1)), String.class, BuildsTest::whetherThereIsAnS);
    assertThat(bound).isEqualTo("true");
    assertThatThrownBy(() -> unbound.lookup("S")).hasMessage("S has no value yet");
    String again =
        builds.get(program, "open", unbound, String.class, BuildsTest::whetherThereIsAnS);
    assertThat(again).isEqualTo("S has no value yet");
  }

  private static String whetherThereIsAnS(ClosureScope seen) {
    try {
      return String.valueOf(seen.lookup("S").isPresent());
    } catch (IllegalArgumentException unanswered) {
      return Objects.requireNonNull(unanswered.getMessage());
    }
  }

  @Test
  void kernelsOfOneScopeAreToldFromKernelsOfTwo() {
    Map<String, ClosureValue> shared = names("FACTOR", new ClosureValue.Float(2));
    ClosureScope one = scope(shared);
    ClosureScope same = scope(shared);
    record Scopes(boolean alike) {}
    ClosureScope together =
        scope(
            names(
                "f",
                new ClosureValue.Kernel(helper(0), one),
                "g",
                new ClosureValue.Kernel(helper(0), one)));
    ClosureScope apart =
        scope(
            names(
                "f",
                new ClosureValue.Kernel(helper(0), one),
                "g",
                new ClosureValue.Kernel(helper(0), same)));
    for (int i = 0; i < 2; i++) {
      assertThat(
              builds.get(program, "f g", together, Scopes.class, s -> new Scopes(alike(s))).alike())
          .isTrue();
      assertThat(builds.get(program, "f g", apart, Scopes.class, s -> new Scopes(alike(s))).alike())
          .isFalse();
    }
    assertThat(builds.made()).isEqualTo(2);
  }

  private static boolean alike(ClosureScope seen) {
    return scopeOf(seen, "f").equals(scopeOf(seen, "g"));
  }

  private static ClosureScope scopeOf(ClosureScope seen, String name) {
    return ((ClosureValue.Kernel) seen.lookup(name).orElseThrow()).scope();
  }

  @Test
  void listsAndWhatIsInThemCount() {
    ClosureValue two = new ClosureValue.Sequence(List.of(helper(0, 2), new ClosureValue.Int(4)));
    ClosureValue three = new ClosureValue.Sequence(List.of(helper(0, 3), new ClosureValue.Int(4)));
    for (int i = 0; i < 2; i++) {
      assertThat(factorOfTheFirst(two)).isEqualTo("Optional[Float[value=2.0]]");
      assertThat(factorOfTheFirst(three)).isEqualTo("Optional[Float[value=3.0]]");
    }
    assertThat(builds.made()).isEqualTo(2);
  }

  private String factorOfTheFirst(ClosureValue list) {
    return builds.get(
        program,
        "list",
        scope(names("L", list)),
        String.class,
        seen -> {
          var all = (ClosureValue.Sequence) seen.lookup("L").orElseThrow();
          return ((ClosureValue.Kernel) all.elements().getFirst())
              .scope()
              .lookup("FACTOR")
              .toString();
        });
  }

  @Test
  void onlySoManyAreKept() {
    for (int round = 0; round < 2; round++) {
      for (int size = 1; size <= 600; size++) {
        String made =
            builds.get(
                program,
                "size",
                scope(names("S", size)),
                String.class,
                seen -> seen.lookup("S").toString());
        assertThat(made).isEqualTo("Optional[Int[value=" + size + "]]");
      }
    }
    assertThat(builds.made()).isEqualTo(600 + 600 - 512);
  }
}
