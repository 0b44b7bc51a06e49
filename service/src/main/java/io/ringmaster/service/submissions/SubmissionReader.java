package io.ringmaster.service.submissions;

import io.ringmaster.service.config.RingmasterProperties;
import io.ringmaster.service.jobs.DeviceRequest;
import io.ringmaster.service.jobs.Priority;
import io.ringmaster.service.jobs.Submission;
import io.ringmaster.service.placement.Placeability;
import io.ringmaster.service.platforms.Platform;
import io.ringmaster.service.platforms.PlatformCatalog;
import io.ringmaster.service.problems.Nearest;
import io.ringmaster.service.problems.ProblemCode;
import io.ringmaster.service.problems.ProblemException;
import io.ringmaster.service.problems.QuotaFault;
import io.ringmaster.service.problems.Quoting;
import io.ringmaster.service.problems.RequestError;
import io.ringmaster.service.problems.RequestError.Kind;
import io.ringmaster.service.problems.RequestErrors;
import io.ringmaster.worker.job.JobSpec.Limits;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.springframework.stereotype.Component;

/** Makes a submission out of a request, or says everything that is wrong with it. */
@Component
public class SubmissionReader {

  static final List<String> LIMITS =
      List.of("wallSeconds", "scriptSteps", "kernelSteps", "memoryBytes");

  private static final List<String> FIELDS =
      List.of(
          "script",
          "scriptName",
          "declaration",
          "name",
          "platform",
          "platforms",
          "devices",
          "pool",
          "arguments",
          "argumentSets",
          "conditions",
          "seed",
          "schedules",
          "scheduleSeed",
          "cacheLines",
          "priority",
          "labels",
          "limits");
  private static final List<String> COMPILE_FIELDS =
      List.of("script", "scriptName", "declaration", "platform", "devices", "arguments", "stage");
  private static final Pattern LABEL_KEY = Pattern.compile("[A-Za-z0-9._/-]{1,63}");
  private static final int MOST_NAME = 200;
  private static final int MOST_POOL = 60;
  private static final int MOST_LABELS = 16;

  private final RequestBodies bodies;
  private final PlatformCatalog platforms;
  private final Placeability placeability;
  private final RingmasterProperties.Limits rules;

  SubmissionReader(
      RequestBodies bodies,
      PlatformCatalog platforms,
      Placeability placeability,
      RingmasterProperties properties) {
    this.bodies = bodies;
    this.platforms = platforms;
    this.placeability = placeability;
    this.rules = properties.limits();
  }

  /** A script to compile, checked and complete. */
  public record Compilation(
      Submission.Script script,
      String platform,
      List<Integer> devices,
      List<String> arguments,
      Stage stage) {}

  /** After which step of the compiler. */
  public enum Stage {
    SOURCE,
    LOWERED
  }

  /**
   * Reads a job submission.
   *
   * @throws ProblemException for everything that the contract forbids
   */
  public Submission read(HttpServletRequest request) throws IOException, ServletException {
    var errors = new RequestErrors();
    var body = bodies.read(request, FIELDS, errors);
    var fields = new Fields(body.members(), "", errors).known(FIELDS);
    var script = script(body, fields, errors);
    var matrix = new MatrixReader(fields, errors);
    var chosen = matrix.platforms(offered());
    var offers = platforms(chosen, errors);
    var devices =
        fields
            .required("devices", "Give ids such as [0,1,2,3].")
            .map(value -> new DeviceLists(errors).several(value, "/devices"));
    var pool = fields.name("pool", MOST_POOL);
    var name = fields.name("name", MOST_NAME);
    var arguments = matrix.argumentSets();
    long seed = fields.number("seed", Long.MIN_VALUE, Long.MAX_VALUE).orElse(0L);
    int ranks =
        devices.stream()
            .flatMap(List::stream)
            .mapToInt(DeviceRequest::ranks)
            .min()
            .orElse(Integer.MAX_VALUE);
    var circumstances = matrix.circumstances(seed, ranks);
    var priority = oneOf(fields, "priority", Priority.class, errors).orElse(Priority.NORMAL);
    var labels = labels(fields, errors);
    var limits = limits(fields, errors);
    matrix.refuseTooManyRuns(
        (long) chosen.size() * devices.map(List::size).orElse(1) * arguments.size());
    errors.throwIfAny();
    for (int i = 0; i < offers.size(); i++) {
      refuseUnplaceable(offers.get(i), pool, devices.orElseThrow(), chosen.get(i).pointer());
    }
    return new Submission(
        name.orElse(script.orElseThrow().name()),
        script.orElseThrow(),
        offers.stream().map(Platform::name).toList(),
        devices.orElseThrow(),
        pool,
        arguments,
        seed,
        circumstances,
        Optional.empty(),
        priority,
        labels,
        limits);
  }

  /**
   * Reads a request to compile.
   *
   * @throws ProblemException for everything that the contract forbids
   */
  public Compilation readCompilation(HttpServletRequest request)
      throws IOException, ServletException {
    var errors = new RequestErrors();
    var body = bodies.read(request, COMPILE_FIELDS, errors);
    var fields = new Fields(body.members(), "", errors).known(COMPILE_FIELDS);
    var script = script(body, fields, errors);
    var matrix = new MatrixReader(fields, errors);
    var platform = platforms(matrix.platforms(offered()), errors).stream().findFirst();
    var devices =
        fields
            .required("devices", "Give ids such as [0,1,2,3].")
            .map(value -> new DeviceLists(errors).one(value, "/devices"));
    var arguments = matrix.argumentSets().getFirst();
    var stage = oneOf(fields, "stage", Stage.class, errors).orElse(Stage.LOWERED);
    errors.throwIfAny();
    return new Compilation(
        script.orElseThrow(),
        platform.orElseThrow().name(),
        devices.orElseThrow(),
        arguments,
        stage);
  }

  private Optional<Submission.Script> script(
      RequestBodies.Body body, Fields fields, RequestErrors errors) {
    var content = bodies.script(body, fields);
    if (content.isPresent() && content.get().length == 0) {
      errors.body("/script", Kind.BAD_VALUE, "The script is empty.");
    }
    var script =
        content.map(bytes -> Submission.Script.of(scriptName(body, fields, errors), bytes));
    var declaration = fields.value("declaration");
    if (declaration.isPresent()) {
      refuseArguments(fields, errors);
    }
    return script.isPresent() && declaration.isPresent()
        ? new DeclarationReader(errors).script(script.get(), declaration.get())
        : script;
  }

  /** The driver of a declared job is the service's own and reads none. */
  private static void refuseArguments(Fields fields, RequestErrors errors) {
    for (var name : List.of("arguments", "argumentSets")) {
      fields
          .value(name)
          .filter(value -> !(value instanceof Json.Items(var items) && items.isEmpty()))
          .ifPresent(
              some ->
                  errors.body(
                      "/" + name,
                      Kind.BAD_VALUE,
                      "A declared job has no driver that reads arguments; leave them out, entry can"
                          + " give the program what it needs."));
    }
  }

  /** From the field, else from the file; the same rule holds for both. */
  private static String scriptName(RequestBodies.Body body, Fields fields, RequestErrors errors) {
    var given = fields.text("scriptName");
    var name = given.or(body::fileName);
    name.flatMap(some -> Names.fileFault(some, MOST_NAME))
        .ifPresent(
            fault ->
                errors.body(
                    given.isPresent() ? "/scriptName" : "/script",
                    fault.startsWith("may have") ? Kind.TOO_LONG : Kind.BAD_VALUE,
                    (given.isPresent() ? "scriptName " : "The name of the file ") + fault));
    return name.orElse("kernel.py");
  }

  private List<Platform> platforms(List<MatrixReader.Named> names, RequestErrors errors) {
    var found = new ArrayList<Platform>();
    for (var named : names) {
      var platform = platforms.find(named.name());
      platform.ifPresent(found::add);
      if (platform.isEmpty()) {
        var nearest = Nearest.to(named.name(), platforms.names());
        errors.body(
            named.pointer(),
            Kind.BAD_VALUE,
            "There is no platform %s. %s%s"
                .formatted(
                    Quoting.quote(named.name()),
                    nearest.map(some -> "Did you mean " + some + "? ").orElse(""),
                    offered()));
      }
    }
    return found;
  }

  /**
   * Refuses what can never be executed here.
   *
   * @throws ProblemException CANNOT_BE_PLACED, BEYOND_QUOTA
   */
  void refuseUnplaceable(Submission submission) {
    for (var name : submission.platforms()) {
      var platform =
          platforms
              .find(name)
              .orElseThrow(
                  () ->
                      unplaceable(
                          "", "There is no platform %s any more. %s".formatted(name, offered())));
      refuseUnplaceable(platform, submission.pool(), submission.devices(), "");
    }
  }

  private String offered() {
    return "Offered: "
        + String.join(
            ", ", platforms.all().stream().filter(Platform::available).map(Platform::name).toList())
        + ".";
  }

  private void refuseUnplaceable(
      Platform platform, Optional<String> pool, List<DeviceRequest> lists, String where) {
    if (!platform.available()) {
      throw unplaceable(
          where,
          "No worker of this service offers %s, so the job would wait for ever. %s"
              .formatted(platform.name(), offered()));
    }
    for (int i = 0; i < lists.size(); i++) {
      var pointer = lists.size() == 1 ? "/devices" : "/devices/" + i;
      if (lists.get(i).ranks() > platform.maxDevices()) {
        throw unplaceable(
            pointer,
            "%,d devices are asked for; a run on %s has at most %,d."
                .formatted(lists.get(i).ranks(), platform.name(), platform.maxDevices()));
      }
      placeability
          .refusal(platform.name(), pool, lists.get(i))
          .ifPresent(
              refusal -> {
                throw unplaceable(refusal.isPool() ? "/pool" : pointer, refusal.sentence());
              });
      int ranks = lists.get(i).ranks();
      placeability
          .beyondQuota(platform.name(), ranks)
          .ifPresent(
              fault -> {
                throw beyondQuota(pointer, ranks, fault);
              });
    }
  }

  private static ProblemException beyondQuota(String pointer, int ranks, QuotaFault fault) {
    return ProblemException.of(
            ProblemCode.BEYOND_QUOTA,
            new RequestError(
                RequestError.Where.BODY,
                pointer,
                Kind.OUT_OF_RANGE,
                "%,d devices are asked for; the quota of %s is %,d %s at once. Ask for fewer, or the operator for more."
                    .formatted(
                        ranks, fault.owner(), fault.limit(), fault.name().replace('-', ' '))))
        .withQuota(fault);
  }

  private static ProblemException unplaceable(String pointer, String message) {
    return ProblemException.of(
        ProblemCode.CANNOT_BE_PLACED,
        new RequestError(RequestError.Where.BODY, pointer, Kind.OUT_OF_RANGE, message));
  }

  private static <E extends Enum<E>> Optional<E> oneOf(
      Fields fields, String name, Class<E> type, RequestErrors errors) {
    var text = fields.text(name);
    var constants = Arrays.asList(type.getEnumConstants());
    var found =
        text.flatMap(
            some -> constants.stream().filter(c -> c.name().equalsIgnoreCase(some)).findFirst());
    if (text.isPresent() && found.isEmpty()) {
      errors.body(
          "/" + name,
          Kind.BAD_VALUE,
          "%s must be one of %s, got %s."
              .formatted(
                  name,
                  String.join(", ", constants.stream().map(Enum::name).toList()),
                  Quoting.quote(text.get())));
    }
    return found;
  }

  private static SortedMap<String, String> labels(Fields fields, RequestErrors errors) {
    var labels = new TreeMap<String, String>();
    var value = fields.value("labels");
    if (value.isEmpty()) {
      return labels;
    }
    if (!(value.get() instanceof Json.Members(var members))) {
      errors.body(
          "/labels",
          Kind.WRONG_TYPE,
          "labels must be an object such as {\"branch\": \"main\"}, got %s."
              .formatted(value.get().described()));
      return labels;
    }
    if (members.size() > MOST_LABELS) {
      errors.body(
          "/labels",
          Kind.TOO_MANY,
          "There are %,d labels; there may be at most %d.".formatted(members.size(), MOST_LABELS));
      return labels;
    }
    var inner = new Fields(new Json.Members(members), "/labels", errors);
    for (Map.Entry<String, Json> member : members.entrySet()) {
      label(inner, member.getKey(), member.getValue(), errors)
          .ifPresent(text -> labels.put(member.getKey(), text));
    }
    return labels;
  }

  private static Optional<String> label(
      Fields fields, String key, Json value, RequestErrors errors) {
    if (!LABEL_KEY.matcher(key).matches()) {
      errors.body(
          fields.at(key),
          Kind.BAD_VALUE,
          "A label's key has 1 to 63 letters, digits, '.', '_', '-' or '/', got %s."
              .formatted(Quoting.quote(key)));
      return Optional.empty();
    }
    var text = fields.text(key, value);
    var fault = text.flatMap(some -> Names.fault(some, MOST_NAME));
    fault.ifPresent(
        some -> errors.body(fields.at(key), Kind.BAD_VALUE, "The label " + key + " " + some));
    return fault.isPresent() ? Optional.empty() : text;
  }

  private Limits limits(Fields fields, RequestErrors errors) {
    var value = fields.value("limits");
    var members =
        value.isPresent() && value.get() instanceof Json.Members some
            ? some
            : new Json.Members(new LinkedHashMap<>());
    if (value.isPresent() && !(value.get() instanceof Json.Members)) {
      errors.body(
          "/limits",
          Kind.WRONG_TYPE,
          "limits must be an object such as {\"wallSeconds\": 30}, got %s."
              .formatted(value.get().described()));
    }
    var inner = new Fields(members, "/limits", errors).known(LIMITS);
    return new Limits(
        Duration.ofSeconds(
            inner
                .number("wallSeconds", 1, rules.maxWall().toSeconds())
                .orElse(rules.wall().toSeconds())),
        inner.number("scriptSteps", 1, rules.maxScriptSteps()).orElse(rules.scriptSteps()),
        inner.number("kernelSteps", 1, rules.maxKernelSteps()).orElse(rules.kernelSteps()),
        inner
            .number("memoryBytes", 1, rules.maxMemory().toBytes())
            .orElse(rules.memory().toBytes()));
  }
}
