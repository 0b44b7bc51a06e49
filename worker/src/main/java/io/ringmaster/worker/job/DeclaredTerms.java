package io.ringmaster.worker.job;

import io.ringmaster.worker.job.DeclaredPlaces.Place;
import io.ringmaster.worker.script.Check;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.SourceFile;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Says of a declared job what a script's report says, in the client's own terms: the client knows
 * the lines of the program and the fields of the declaration, and has no driver to edit.
 */
final class DeclaredTerms {

  /** Advice on what to write into a script, and what to write into a declaration instead. */
  private static final Map<String, String> ADVICE = advice();

  private final DeclaredPlaces places;
  private final Pattern mention;
  private final Pattern frame;

  private DeclaredTerms(SourceFile source, DeclaredPlaces places) {
    this.places = places;
    String file = Pattern.quote(source.name());
    this.mention =
        Pattern.compile("(?:\\bline |" + file + ":)(\\d{1,8})(?:(?:, column |:)(\\d{1,8}))?\\b");
    this.frame = Pattern.compile(" {2}File \"" + file + "\", line (\\d{1,8}), in .*");
  }

  /** Those of a script; empty when it stands for no declaration. */
  static Optional<DeclaredTerms> of(SourceFile source) {
    return DeclaredPlaces.of(source).map(places -> new DeclaredTerms(source, places));
  }

  /** Whether each declared golden was held against what the kernels wrote, with what it says. */
  boolean allCompared(List<Check> checks) {
    Set<String> compared = new HashSet<>();
    for (Check check : checks) {
      places.at(check.line()).map(Place::pointer).ifPresent(compared::add);
    }
    return IntStream.range(0, places.goldens().size())
        .allMatch(golden -> compared.contains("/golden/" + golden));
  }

  private static Map<String, String> advice() {
    Map<String, String> all = new LinkedHashMap<>();
    all.put(
        "convert the tensor with .to(...) before the call",
        "declare it with the parameter's element type, or save its npy file with that");
    all.put("reshape the tensor before the call to ", "declare it with the parameter's shape, ");
    all.put("create the tensor with the parameter's ", "declare it with the parameter's ");
    all.put(
        "torch.manual_seed(r) before its torch.randn, or + r",
        "fill it by arange or randn, or by an npy file");
    all.put("torch.randn, or + torch.arange(n)", "fill it by randn, by arange or by an npy file");
    all.put(
        "without tolerances allclose takes in a hundred-thousandth of the values",
        "an rtol of 1e-5 takes in a hundred-thousandth of the values");
    all.put("use torch.equal", "leave rtol and atol out of the golden, or give 0 for both");
    all.put("torch.allclose wouldn't", "an npy golden wouldn't");
    all.put("the script had put the right values there", "it had the right values from the start");
    all.put(
        "give the kernel an output of zeros, or compare only what it has to write",
        "declare it among the outputs, which start as zeros");
    all.put(
        "'Program' object is not callable",
        "a @pl.program class is named and not called: leave the parentheses out");
    all.put("the script compiled no program: ", "");
    all.put(
        "make the tensors in the script, or upload .npy files",
        "make the tensors in the expression, or give an npy file");
    all.put("the script was at", "it was at");
    all.put("the script's assertion", "the program's assertion");
    all.put("the script", "the job");
    all.put("Call ir.compile(...) with these arguments: []", "");
    return all;
  }

  /** A run and what was said of its source. */
  ScriptRun.Result of(ScriptRun.Result result) {
    List<JobReport.DiagnosticLine> lines = lines(result.diagnostics());
    return new ScriptRun.Result(
        of(result.run(), result.diagnostics(), lines), lines, result.lowered());
  }

  /** A report of what never ran. */
  JobReport of(JobReport report) {
    List<JobReport.DiagnosticLine> lines = lines(report.diagnostics());
    return new JobReport(
        report.verdict(),
        sentence(report.sentence(), report.diagnostics(), lines),
        lines,
        report.runs().stream().map(run -> of(run, report.diagnostics(), lines)).toList(),
        report.comparisons());
  }

  List<JobReport.DiagnosticLine> lines(List<JobReport.DiagnosticLine> lines) {
    return lines.stream().map(this::line).toList();
  }

  private JobReport.DiagnosticLine line(JobReport.DiagnosticLine line) {
    if (line.field() != null || line.line() < places.from()) {
      return new JobReport.DiagnosticLine(
          line.severity(),
          words(line.message()),
          words(line.hint()),
          line.line(),
          line.column(),
          line.endColumn(),
          line.source(),
          line.field());
    }
    Place place = at(line.line());
    return new JobReport.DiagnosticLine(
        line.severity(),
        words(line.message()),
        words(line.hint()),
        place.text() ? line.line() - place.first() + 1 : 0,
        place.text() ? line.column() : 0,
        place.text() ? line.endColumn() : 0,
        place.text() ? line.source() : "",
        DeclaredPlaces.pointer(place));
  }

  private Place at(int line) {
    return places.at(line).orElse(new Place(line, line, "", false));
  }

  /** The first error that is one of the declaration stands in front of what a run says of it. */
  private String sentence(
      String sentence,
      List<JobReport.DiagnosticLine> before,
      List<JobReport.DiagnosticLine> lines) {
    for (int i = 0; i < lines.size(); i++) {
      JobReport.DiagnosticLine line = before.get(i);
      if (line.severity().equals(Diagnostic.Severity.ERROR.name())
          && line.field() == null
          && line.line() >= places.from()
          && sentence.equals(line.message())) {
        return places.label(at(line.line()), line.column()) + ": " + words(sentence);
      }
    }
    return words(sentence);
  }

  private JobReport.Run of(
      JobReport.Run run,
      List<JobReport.DiagnosticLine> before,
      List<JobReport.DiagnosticLine> lines) {
    return new JobReport.Run(
        run.id(),
        run.platform(),
        run.devices(),
        run.arguments(),
        run.verdict(),
        sentence(run.sentence(), before, lines),
        lines,
        run.evidence(),
        run.checks().stream().map(this::check).toList(),
        run.findings().stream().map(this::finding).toList(),
        run.collectives(),
        run.barriers(),
        run.traffic(),
        run.tests(),
        run.timings(),
        run.log());
  }

  private JobReport.Check check(JobReport.Check check) {
    return new JobReport.Check(
        words(check.name()),
        check.kind(),
        check.passed(),
        check.line() < places.from() ? check.line() : 0,
        check.elements(),
        check.mismatches(),
        check.maxAbsDifference(),
        check.maxAt(),
        check.rtol(),
        check.atol(),
        words(check.explanation()),
        check.test());
  }

  private JobReport.FindingLine finding(JobReport.FindingLine finding) {
    return new JobReport.FindingLine(
        finding.kind(),
        finding.severity(),
        words(finding.message()),
        words(finding.hint()),
        finding.ranks(),
        finding.window(),
        finding.cell(),
        finding.fromByte(),
        finding.toByte(),
        finding.seen(),
        finding.needed(),
        finding.places().stream().map(this::place).toList(),
        finding.test());
  }

  private JobReport.Place place(JobReport.Place place) {
    return place.line() < places.from()
        ? place
        : new JobReport.Place(place.rank(), 0, 0, places.label(at(place.line()), 0), place.what());
  }

  /** A sentence with fields for lines of the driver, and advice that can be followed. */
  String words(String sentence) {
    String words = mention.matcher(sentence).replaceAll(this::mentioned);
    for (int i = 0; i < places.expected().size(); i++) {
      words = words.replaceAll("\\b" + places.expected().get(i) + "\\b", "golden[" + i + "]");
    }
    return advised(words);
  }

  /** The same words with advice for declarations in place of advice for scripts. */
  static String advised(String words) {
    String advised = words;
    for (Map.Entry<String, String> each : ADVICE.entrySet()) {
      advised = advised.replace(each.getKey(), each.getValue());
    }
    return advised;
  }

  private String mentioned(MatchResult found) {
    int line = Integer.parseInt(found.group(1));
    if (line < places.from()) {
      return Matcher.quoteReplacement(found.group());
    }
    Place place = at(line);
    String column = found.group(2);
    return DeclaredPlaces.pointer(place)
        + (place.text() && column != null ? ", column " + column : "");
  }

  /**
   * A traceback without the driver's frames; those of a field's text name the field. Empty when it
   * only says that a comparison failed, which the checks say better.
   */
  String trace(String trace) {
    List<String> kept = new ArrayList<>();
    List<String> lines = trace.lines().toList();
    Optional<String> around = Optional.empty();
    int frames = 0;
    for (int i = 0; i < lines.size(); i++) {
      var found = frame.matcher(lines.get(i));
      if (!found.matches()) {
        if (!lines.get(i).startsWith("  ")) {
          around.ifPresent(kept::add);
          around = Optional.empty();
        }
        kept.add(lines.get(i));
        continue;
      }
      int number = Integer.parseInt(found.group(1));
      Place place = at(number);
      around = Optional.empty();
      if (number < places.from()) {
        kept.add(lines.get(i));
        frames++;
      } else if (place.text()) {
        kept.add("  In " + places.label(place, 0));
        frames++;
      } else {
        around =
            Optional.of(place.pointer())
                .filter(pointer -> !pointer.isEmpty())
                .map(pointer -> "  In " + places.label(place, 0));
        i += i + 1 < lines.size() && lines.get(i + 1).startsWith("    ") ? 1 : 0;
      }
    }
    return frames == 0 && !kept.isEmpty() && kept.getLast().equals("AssertionError")
        ? ""
        : String.join("\n", kept) + (kept.isEmpty() ? "" : "\n");
  }
}
