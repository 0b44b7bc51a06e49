package io.ringmaster.service.submissions;

import io.ringmaster.service.jobs.Circumstances;
import io.ringmaster.service.problems.Quoting;
import io.ringmaster.service.problems.RequestError.Kind;
import io.ringmaster.service.problems.RequestErrors;
import io.ringmaster.worker.job.Exploration;
import io.ringmaster.worker.job.JobSpec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;

/** Reads which runs a job is to have, and under which circumstances. */
final class MatrixReader {

  private static final int MOST_RUNS = 256;
  private static final int MOST_PLATFORMS = 16;
  private static final int MOST_SETS = 64;
  private static final int MOST_ARGUMENTS = 100;
  private static final int MOST_ARGUMENT = 10_000;
  private static final int MOST_CONDITIONS = 64;
  private static final int MOST_CONDITION = 100;

  private final Fields fields;
  private final RequestErrors errors;

  MatrixReader(Fields fields, RequestErrors errors) {
    this.fields = fields;
    this.errors = errors;
  }

  /** A platform that the request names, and where. */
  record Named(String name, String pointer) {}

  /**
   * The platforms named, from {@code platform} or {@code platforms}.
   *
   * @param offered a sentence with those that can be had
   */
  List<Named> platforms(String offered) {
    var several = given("platforms");
    if (several.isEmpty()) {
      return fields
          .required("platform", offered)
          .flatMap(value -> fields.text("platform", value))
          .map(name -> List.of(new Named(name, "/platform")))
          .orElse(List.of());
    }
    if (fields.value("platform").isPresent()) {
      refuseBoth("platform", "platforms");
      return List.of();
    }
    var names = texts(several.get(), "platforms", MOST_PLATFORMS, "[\"a2a3sim\", \"a5sim\"]");
    var found = new ArrayList<Named>();
    var seen = new HashSet<String>();
    for (int i = 0; i < names.size(); i++) {
      var pointer = "/platforms/" + i;
      if (!seen.add(names.get(i))) {
        errors.body(
            pointer,
            Kind.DUPLICATE,
            "The platform %s is named twice.".formatted(Quoting.quote(names.get(i))));
      }
      found.add(new Named(names.get(i), pointer));
    }
    return found;
  }

  /** A field; clients that are generated send empty lists for those they don't use. */
  private Optional<Json> given(String name) {
    return fields
        .value(name)
        .filter(value -> !(value instanceof Json.Items items) || !items.values().isEmpty());
  }

  private void refuseBoth(String one, String several) {
    errors.body("/" + several, Kind.DUPLICATE, "Give %s or %s, not both.".formatted(one, several));
  }

  /** The arguments of each run, from {@code arguments} or {@code argumentSets}; at least one. */
  List<List<String>> argumentSets() {
    var sets = given("argumentSets");
    if (sets.isEmpty()) {
      return List.of(
          fields.value("arguments").map(value -> arguments(value, "/arguments")).orElse(List.of()));
    }
    if (given("arguments").isPresent()) {
      refuseBoth("arguments", "argumentSets");
    }
    if (!(sets.get() instanceof Json.Items(List<Json> items))) {
      errors.body(
          "/argumentSets",
          Kind.WRONG_TYPE,
          "argumentSets must be a list of lists such as [[\"--mode\", \"hand\"], [\"--mode\", \"builtin\"]], got %s."
              .formatted(sets.get().described()));
      return List.of(List.of());
    }
    if (items.size() > MOST_SETS) {
      errors.body(
          "/argumentSets",
          Kind.TOO_MANY,
          "There are %,d argument sets; there may be at most %d."
              .formatted(items.size(), MOST_SETS));
      return List.of(List.of());
    }
    var found = new LinkedHashSet<List<String>>();
    for (int i = 0; i < items.size(); i++) {
      var pointer = "/argumentSets/" + i;
      if (!found.add(arguments(items.get(i), pointer))) {
        errors.body(
            pointer,
            Kind.DUPLICATE,
            "Argument set %d is the same as an earlier one; submit two jobs to run twice."
                .formatted(i + 1));
      }
    }
    return List.copyOf(found);
  }

  private List<String> arguments(Json value, String pointer) {
    if (!(value instanceof Json.Items(List<Json> items))) {
      errors.body(
          pointer,
          Kind.WRONG_TYPE,
          "%s must be a list of texts such as [\"--mode\", \"hand\"], got %s."
              .formatted(pointer.substring(1).replace('/', '.'), value.described()));
      return List.of();
    }
    if (items.size() > MOST_ARGUMENTS) {
      errors.body(
          pointer,
          Kind.TOO_MANY,
          "There are %,d arguments; there may be at most %d."
              .formatted(items.size(), MOST_ARGUMENTS));
      return List.of();
    }
    var arguments = new ArrayList<String>();
    for (int i = 0; i < items.size(); i++) {
      argument(items.get(i), pointer + "/" + i).ifPresent(arguments::add);
    }
    return List.copyOf(arguments);
  }

  private Optional<String> argument(Json value, String pointer) {
    if (!(value instanceof Json.Text(String text))) {
      errors.body(
          pointer,
          Kind.WRONG_TYPE,
          "%s must be a text, got %s; put it in quotes."
              .formatted(pointer.substring(1).replace('/', '.'), value.described()));
      return Optional.empty();
    }
    if (text.length() > MOST_ARGUMENT) {
      errors.body(
          pointer,
          Kind.TOO_LONG,
          "An argument has at most %,d characters, this one has %,d."
              .formatted(MOST_ARGUMENT, text.length()));
      return Optional.empty();
    }
    Names.storageFault(text)
        .ifPresent(fault -> errors.body(pointer, Kind.BAD_VALUE, "An argument " + fault));
    return Optional.of(text);
  }

  /**
   * Conditions and orders; that of the seed is the one of a job that names none.
   *
   * @param ranks of the smallest run
   */
  Circumstances circumstances(long seed, int ranks) {
    var conditions =
        fields
            .value("conditions")
            .map(value -> texts(value, "conditions", MOST_CONDITIONS, "[\"straggler=2:5us\"]"))
            .orElse(List.of());
    for (int i = 0; i < conditions.size(); i++) {
      var pointer = "/conditions/" + i;
      if (conditions.get(i).length() > MOST_CONDITION) {
        errors.body(
            pointer,
            Kind.TOO_LONG,
            "A condition has at most %d characters, this one has %,d."
                .formatted(MOST_CONDITION, conditions.get(i).length()));
      } else {
        JobSpec.conditionFault(conditions.get(i), ranks)
            .ifPresent(fault -> errors.body(pointer, Kind.BAD_VALUE, fault + "."));
      }
    }
    int schedules = fields.number("schedules", 0, Exploration.MOST_SCHEDULES).orElse(0L).intValue();
    var scheduleSeed =
        fields.number("scheduleSeed", Long.MIN_VALUE, Long.MAX_VALUE).filter(some -> some != seed);
    boolean cacheLines = fields.flag("cacheLines").orElse(false);
    return new Circumstances(conditions, schedules, scheduleSeed, cacheLines);
  }

  private List<String> texts(Json value, String name, int most, String example) {
    if (!(value instanceof Json.Items(List<Json> items)) || items.size() > most) {
      errors.body(
          "/" + name,
          value instanceof Json.Items ? Kind.TOO_MANY : Kind.WRONG_TYPE,
          "%s must be a list of at most %d texts such as %s, got %s."
              .formatted(name, most, example, value.described()));
      return List.of();
    }
    var texts = new ArrayList<String>();
    for (int i = 0; i < items.size(); i++) {
      if (items.get(i) instanceof Json.Text(String text)) {
        texts.add(text);
      } else {
        errors.body(
            "/" + name + "/" + i,
            Kind.WRONG_TYPE,
            "%s holds texts such as %s, got %s."
                .formatted(name, example, items.get(i).described()));
      }
    }
    return texts;
  }

  /** A job's runs are listed in each of its replies, so there is a limit. */
  void refuseTooManyRuns(long runs) {
    if (runs > MOST_RUNS) {
      errors.body(
          "/devices",
          Kind.TOO_MANY,
          "Platforms, device lists and argument sets make %,d runs; a job has at most %d."
              .formatted(runs, MOST_RUNS));
    }
  }
}
