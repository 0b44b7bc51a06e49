package io.ringmaster.worker.script.check;

import io.ringmaster.worker.script.Remark;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Remarks on single cases: those that say the same become one, which says of which cases. */
final class InCases {

  private InCases() {}

  static List<Remark> of(List<Remark> remarks) {
    Map<String, Remark> found = new LinkedHashMap<>();
    remarks.forEach(remark -> found.merge(remark.message(), remark, InCases::both));
    return found.values().stream().map(InCases::named).toList();
  }

  private static Remark both(Remark first, Remark other) {
    List<String> tests =
        Stream.concat(first.tests().stream(), other.tests().stream()).distinct().toList();
    return with(first, first.message(), "", tests);
  }

  /** Names the cases, as others may well be without that. */
  private static Remark named(Remark remark) {
    String first = remark.tests().getFirst();
    int more = remark.tests().size() - 1;
    if (first.isEmpty()) {
      return remark;
    }
    String where = more == 0 ? "" : more == 1 ? " and 1 more test" : " and " + more + " more tests";
    return with(
        remark,
        "in " + first + where + ", " + remark.message(),
        more == 0 ? first : "",
        remark.tests());
  }

  private static Remark with(Remark remark, String message, String test, List<String> tests) {
    return new Remark(
        remark.kind(), message, remark.brief(), remark.hint(), remark.line(), test, tests);
  }
}
