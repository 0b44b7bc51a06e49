package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.TestCase;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.PyError;
import io.ringmaster.worker.script.value.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** The cases that a script has run so far, and the door to running them. */
public final class TestRun {

  private static final int OK = 0;
  private static final int FAILED = 1;
  private static final int NOTHING = 5;

  private final List<TestCase> cases = new ArrayList<>();
  private int collected;
  private boolean begun;
  private String only = "";
  private String last = "";
  private OptionalInt listed = OptionalInt.empty();

  public static TestRun of(Session session) {
    return session.shared(TestRun.class, s -> new TestRun());
  }

  /** True when a script's exception says that its whole file is to be left out. */
  public static Optional<String> skipReason(PyError error) {
    return error.is(Outcomes.SKIPPED) ? Optional.of(Outcomes.reason(error)) : Optional.empty();
  }

  /** Of the cases that the script runs, runs this one only. */
  public void runOnly(String nodeId) {
    only = nodeId;
  }

  /**
   * Of the cases that the script runs, runs none after this one. What lives longer than a case is
   * left as it is then, as it would be for the next case.
   */
  public void runUpTo(String nodeId) {
    last = nodeId;
  }

  /** True once cases were asked for. */
  public boolean hasBegun() {
    return begun;
  }

  /** The cases that ran or were skipped, in order. */
  public List<TestCase> cases() {
    return List.copyOf(cases);
  }

  /** How many cases there are, chosen or not. */
  public int collected() {
    return collected;
  }

  /** Collects the cases of the script and runs those that are chosen. */
  public TestRun run(PytestOptions options, Interp interp) {
    begun = true;
    FixtureTable table = new FixtureTable(interp);
    RunSettings settings = RunSettings.of(interp.session().argv());
    Configuration configuration = new Configuration(settings, options, AddedOptions.of(interp));
    List<TestItem> items = Collector.collect(interp, table, configuration);
    collected = items.size();
    String file = Collector.baseName(interp.session().source().name());
    List<TestItem> chosen =
        new Selection(options, file)
            .of(items).stream()
                .filter(item -> only.isEmpty() || item.nodeId().equals(only))
                .toList();
    if (options.collectOnly()) {
      chosen.forEach(item -> interp.session().log().write(item.nodeId() + "\n"));
      interp.session().log().write("\n" + collected(chosen.size(), items.size()) + "\n");
      listed = OptionalInt.of(chosen.size());
      return this;
    }
    options.caseLimit().ifPresent(interp.session().runtime()::limitCases);
    FixtureStack stack = new FixtureStack(table, new ProvidedFixtures(configuration), interp);
    new CaseRunner(stack, interp, cases).run(chosen, last, options.maxFailures());
    return this;
  }

  private static String collected(int chosen, int all) {
    return chosen == all
        ? all + " tests collected"
        : chosen + "/" + all + " tests collected (" + (all - chosen) + " deselected)";
  }

  /** How many cases were listed instead of being run; empty unless that was asked for. */
  public OptionalInt listed() {
    return listed;
  }

  /** What {@code pytest.main} returns. */
  int exitCode() {
    if (listed.orElse(0) > 0) {
      return OK;
    }
    if (cases.isEmpty()) {
      return NOTHING;
    }
    return cases.stream().anyMatch(CaseRunner::failed) ? FAILED : OK;
  }
}
