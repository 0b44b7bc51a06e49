package io.ringmaster.worker.frontend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Everything wrong with a program is said at once: each error once, in the order of the source. */
class SeveralErrorsTest {

  private static final int PAIRS = 400;

  /** Names that a frame defines: the rows of the catalogue share them. */
  private static final Set<String> FRAME_NAMES =
      Set.of(
          "x",
          "y",
          "data",
          "sig",
          "ints",
          "k",
          "ctx",
          "me",
          "n",
          "out",
          "data_buf",
          "sig_buf",
          "r",
          "buffer",
          "signal");

  /** What two right statements can do wrong together. */
  private static final List<String> INTERPLAY =
      List.of("was passed as InOut/Out at line", "mixes MTE3 and scalar stores");

  private static final Pattern TARGETS =
      Pattern.compile("^\\s*(?:for )?([\\w, ()]+?)(?:: [^=]+)? (?:=|\\+=|in) ");
  private static final Pattern WORD = Pattern.compile("\\w+");

  private static List<String> said(String source) {
    DiagnosticException refused =
        catchThrowableOfType(DiagnosticException.class, () -> Kernels.build(source));
    assertThat(refused).as("refused:%n%s", source).isNotNull();
    return refused.diagnostics().stream()
        .map(d -> d.span().line() + ":" + d.span().column() + " " + d.message())
        .toList();
  }

  /** Two rows in one class; the lines of the second row stand {@code shift} lower. */
  record Pair(Catalogue.Row first, Catalogue.Row second, String source, int shift) {
    @Override
    public String toString() {
      return first + " + " + second;
    }
  }

  /** Two wrong programs as the functions of one class, the names of the second changed. */
  static Stream<Pair> pairs() {
    List<Catalogue.Row> classes =
        CatalogueTest.rows()
            .filter(row -> row.source().contains("\nclass P:\n"))
            .filter(row -> !row.source().contains("pl.inline"))
            .filter(row -> row.source().contains("@pl.function"))
            // The parser says this one; what it finds comes before everything else.
            .filter(row -> !row.name().contains("break outside a loop"))
            .toList();
    Random random = new Random(20261130);
    return IntStream.range(0, PAIRS)
        .mapToObj(
            _ -> {
              Catalogue.Row first = classes.get(random.nextInt(classes.size()));
              Catalogue.Row second = classes.get(random.nextInt(classes.size()));
              return pair(first, second);
            });
  }

  private static Pair pair(Catalogue.Row first, Catalogue.Row second) {
    List<String> lines = second.source().lines().toList();
    int head = lines.indexOf("class P:") + 1;
    String start = first.source().stripTrailing() + "\n\n";
    String globals = String.join("\n", lines.subList(0, head - 2)) + "\n";
    int own = (int) globals.lines().count();
    String body =
        String.join("\n", lines.subList(head, lines.size()))
            .replaceAll("\\bkernel\\b", "kernex")
            .replaceAll("\\bchip\\b", "chix")
            .replaceAll("\\bhost\\b", "hosx")
            .replaceAll("\\b((?:data|sig)_)?buf\\b", "$1bux");
    String source = globals + start + body + "\n";
    return new Pair(first, second, source, own + (int) start.lines().count() - head);
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void twoWrongFunctionsOfAClassAreSaidAtOnce(Pair pair) {
    int own =
        (int) pair.source().lines().takeWhile(line -> !line.equals("class P:")).count()
            - (int) pair.first().source().lines().takeWhile(l -> !l.equals("class P:")).count();
    List<String> places = new ArrayList<>();
    pair.first().places().forEach(place -> places.add(moved(place, own)));
    pair.second().places().forEach(place -> places.add(moved(place, pair.shift())));
    assertThat(said(pair.source()).stream().map(text -> text.substring(0, text.indexOf(' '))))
        .as("%s", said(pair.source()))
        .containsExactlyElementsOf(places);
  }

  /** Two rows of the same form as one body, the local names of the second changed. */
  static Stream<Pair> sameFunction() {
    Map<String, List<Catalogue.Row>> forms =
        CatalogueTest.rows()
            .filter(row -> !Set.of("module", "class", "jit").contains(row.form()))
            .filter(row -> !row.name().contains("break outside a loop"))
            .collect(Collectors.groupingBy(Catalogue.Row::form, TreeMap::new, Collectors.toList()));
    Random random = new Random(20261130);
    return forms.values().stream()
        .flatMap(
            rows ->
                IntStream.range(0, Math.min(PAIRS, rows.size() * rows.size()))
                    .mapToObj(
                        _ ->
                            together(
                                rows.get(random.nextInt(rows.size())),
                                rows.get(random.nextInt(rows.size())))))
        // Perhaps the window that nobody uses is the one that the dispatch was to have.
        .filter(pair -> !(pair.toString().contains("61: ") && pair.toString().contains("dispatch")))
        // What the first refuses to assign, the second can't be judged by.
        .filter(pair -> Collections.disjoint(assigned(pair.first()), FRAME_NAMES));
  }

  private static Pair together(Catalogue.Row first, Catalogue.Row second) {
    List<String> body = new ArrayList<>(first.body());
    Set<String> locals = new TreeSet<>(assigned(second));
    locals.removeAll(FRAME_NAMES);
    for (String line : second.body()) {
      String renamed = line;
      for (String local : locals) {
        // As long as before, so that columns stay where they are.
        renamed =
            renamed.replaceAll("(?<![\\w.])" + local + "\\b(?!=)", local.toUpperCase(Locale.ROOT));
      }
      body.add(renamed);
    }
    return new Pair(
        first,
        second,
        Frame.named(first.form()).with(String.join("\n", body)),
        first.body().size());
  }

  private static Set<String> assigned(Catalogue.Row row) {
    Set<String> names = new TreeSet<>();
    for (String line : row.body()) {
      TARGETS
          .matcher(line)
          .results()
          .flatMap(found -> WORD.matcher(found.group(1)).results())
          .forEach(word -> names.add(word.group()));
    }
    return names;
  }

  @ParameterizedTest
  @MethodSource("sameFunction")
  void twoWrongStatementsOfAFunctionAreSaidAtOnce(Pair pair) {
    List<String> places = new ArrayList<>(pair.first().places());
    pair.second().places().forEach(place -> places.add(moved(place, pair.shift())));
    List<String> said = said(pair.source());
    assertThat(said.stream().map(text -> text.substring(0, text.indexOf(' '))))
        .as("%s%n%s", said, pair.source())
        .containsAll(places);
    assertThat(said)
        .as("%s", pair.source())
        .allMatch(
            text ->
                places.contains(text.substring(0, text.indexOf(' ')))
                    || INTERPLAY.stream().anyMatch(text::contains));
  }

  private static String moved(String place, int lines) {
    int colon = place.indexOf(':');
    return Integer.parseInt(place.substring(0, colon)) + lines + place.substring(colon);
  }

  @Test
  void everyOperandOfACallIsRead() {
    List<String> said =
        said(
            Frame.named("incore")
                .with("t = pl.load(xx, [0, aa], [1, bb + cc])\npl.store(t, dd, y)"));
    assertThat(said).hasSize(5);
    assertThat(said.toString()).containsSubsequence("'xx'", "'aa'", "'bb'", "'cc'", "'dd'");
  }

  @Test
  void aValueThatCouldNotBeReadSaysNothingMore() {
    List<String> said =
        said(
            Frame.named("incore")
                .with(
                    "t = pl.load(xx, [0, 0], [1, 64])\nu = pl.add(t, t)\npl.store(u, [0, 0], y)"));
    assertThat(said).singleElement().asString().contains("'xx'");
  }

  @Test
  void aHealthyHostIsJudgedBesideABrokenKernel() {
    String host = Frame.named("host").with("dead = pld.alloc_window_buffer(64)");
    List<String> said =
        said(host.replaceFirst("        pass\n", "        pl.load(xx, [0, 0], [1, 64])\n"));
    assertThat(said).hasSize(2);
    assertThat(said.get(0)).contains("Undefined variable 'xx'");
    assertThat(said.get(1)).contains("'dead' has no pld.tensor.window materialisation");
  }

  @Test
  void aHostThatIsNotUnderstoodIsNotJudged() {
    String host =
        Frame.named("host").with("used = pld.alloc_window_buffer(64)\nv = pld.window(used, [xx])");
    assertThat(said(host)).singleElement().asString().contains("'xx'");
  }

  @Test
  void messagesKeepTheirHints() {
    DiagnosticException refused =
        catchThrowableOfType(
            DiagnosticException.class,
            () -> Kernels.build(Frame.named("incore").with("pl.store(datta, [0, 0], yy)")));
    assertThat(refused.diagnostics())
        .extracting(Diagnostic::hint)
        .first()
        .asString()
        .contains("did you mean 'data'?");
  }
}
