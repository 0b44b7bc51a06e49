package io.ringmaster.worker.script;

import io.ringmaster.worker.script.check.CheckBook;
import io.ringmaster.worker.script.check.Launch;
import io.ringmaster.worker.script.check.Output;
import io.ringmaster.worker.script.check.Tried;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Tries whether a case takes something else for right as well: what it has held an output against
 * on the way is put into the output. A golden that is the nearest of several, or the one that the
 * output is equal to, is found so, whatever the kernel wrote.
 */
final class ChosenGoldens {

  private final KernelTape tape;
  private final List<Launch> launches;
  private final BiPredicate<String, Map<OtherValues.Place, Mutation>> notices;
  private final CheckBook checks;

  /** {@code notices} reads a case with changes, and tells whether it turns red. */
  ChosenGoldens(
      KernelTape tape,
      List<Launch> launches,
      BiPredicate<String, Map<OtherValues.Place, Mutation>> notices,
      CheckBook checks) {
    this.tape = tape;
    this.launches = launches;
    this.notices = notices;
    this.checks = checks;
  }

  void decide(String test) {
    for (int i = 0; i < launches.size(); i++) {
      Launch launch = launches.get(i);
      if (launch.test().isEmpty() || launch.test().equals(test)) {
        outputs(test, i, launch, tape.launches().get(i).kept());
      }
    }
  }

  private void outputs(String test, int number, Launch launch, List<@Nullable Kept> all) {
    int next = 0;
    for (int argument = 0; argument < all.size(); argument++) {
      Kept kept = all.get(argument);
      if (kept == null || next >= launch.outputs().size()) {
        continue;
      }
      Output output = launch.outputs().get(next++);
      var place = new OtherValues.Place(number, argument);
      boolean other =
          checks.besideGoldens(test, output, kept.values()).stream()
              .anyMatch(values -> !notices.test(test, Map.of(place, Mutation.to(values))));
      if (other) {
        new Tried(checks).chooses(test, output);
      }
    }
  }
}
