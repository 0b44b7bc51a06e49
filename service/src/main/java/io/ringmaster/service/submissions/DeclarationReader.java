package io.ringmaster.service.submissions;

import io.ringmaster.service.jobs.Submission;
import io.ringmaster.service.problems.Quoting;
import io.ringmaster.service.problems.RequestError.Kind;
import io.ringmaster.service.problems.RequestErrors;
import io.ringmaster.worker.job.Declaration;
import io.ringmaster.worker.job.DeclaredScript;
import io.ringmaster.worker.source.SourceFile;
import io.ringmaster.worker.tensor.DType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/** Makes the script of a job that declares what goes in and what must come out. */
final class DeclarationReader {

  private static final String POINTER = "/declaration";
  private static final List<String> FIELDS = List.of("entry", "inputs", "outputs", "golden");
  private static final List<String> CONTENTS = List.of("arange", "randn", "full", "npy");
  private static final int MOST_TENSORS = 64;

  private final RequestErrors errors;

  DeclarationReader(RequestErrors errors) {
    this.errors = errors;
  }

  /**
   * Reads a declaration over a program; empty when something is wrong with it, which is then among
   * the errors.
   */
  Optional<Submission.Script> script(Submission.Script program, Json value) {
    var fields = object(value, POINTER, FIELDS);
    if (fields.isEmpty()) {
      return Optional.empty();
    }
    int before = errors.count();
    var entry =
        fields
            .get()
            .required("entry", "Name the program, or call its factory: build(nr).")
            .flatMap(some -> fields.get().text("entry", some));
    var inputs = each(fields.get(), "inputs", this::input);
    var outputs = each(fields.get(), "outputs", this::output);
    var goldens = each(fields.get(), "golden", this::golden);
    if (errors.count() > before) {
      return Optional.empty();
    }
    var source =
        SourceFile.of(program.name(), new String(program.content(), StandardCharsets.UTF_8));
    var declaration = new Declaration(source, entry.orElseThrow(), inputs, outputs, goldens);
    return switch (DeclaredScript.of(declaration)) {
      case DeclaredScript.Script(SourceFile script) ->
          Optional.of(
              Submission.Script.of(program.name(), script.text().getBytes(StandardCharsets.UTF_8)));
      case DeclaredScript.Faulty(List<DeclaredScript.Fault> faults) -> {
        faults.forEach(
            fault -> errors.body(POINTER + fault.pointer(), Kind.BAD_VALUE, sentence(fault)));
        yield Optional.empty();
      }
    };
  }

  private static String sentence(DeclaredScript.Fault fault) {
    var message = fault.message();
    return Character.toUpperCase(message.charAt(0)) + message.substring(1) + ".";
  }

  private Optional<Declaration.Input> input(Json value, String pointer) {
    var read =
        object(value, pointer, List.of("name", "dtype", "shape", "arange", "randn", "full", "npy"));
    if (read.isEmpty()) {
      return Optional.empty();
    }
    var fields = read.get();
    var name = name(fields);
    var given = CONTENTS.stream().filter(content -> fields.value(content).isPresent()).toList();
    if (given.size() != 1) {
      errors.body(
          pointer,
          given.isEmpty() ? Kind.MISSING : Kind.DUPLICATE,
          "An input is filled in one way, one of %s; here are %s."
              .formatted(
                  String.join(", ", CONTENTS),
                  given.isEmpty() ? "none" : String.join(", ", given)));
      return Optional.empty();
    }
    var content = given.getFirst();
    if (content.equals("npy")) {
      for (var own : List.of("dtype", "shape")) {
        fields
            .value(own)
            .ifPresent(
                some ->
                    errors.body(
                        fields.at(own),
                        Kind.DUPLICATE,
                        "An npy file brings its own element type and shape; leave %s out."
                            .formatted(own)));
      }
      return name.flatMap(some -> npy(fields).map(file -> new Declaration.Input(some, file)));
    }
    var dtype = dtype(fields);
    var shape = shape(fields);
    var values =
        dtype.flatMap(
            type ->
                shape.flatMap(
                    extents -> values(fields, content, pointer + "/" + content, type, extents)));
    return name.flatMap(some -> values.map(filled -> new Declaration.Input(some, filled)));
  }

  private Optional<Declaration.Values> values(
      Fields fields, String content, String pointer, DType dtype, List<String> shape) {
    var value = fields.value(content).orElseThrow();
    return switch (content) {
      case "arange" ->
          object(value, pointer, List.of("start", "step"))
              .map(
                  inner ->
                      new Declaration.Arange(
                          dtype,
                          shape,
                          inner.decimal("start").orElse(0.0),
                          inner.decimal("step").orElse(1.0)));
      case "randn" ->
          object(value, pointer, List.of("seed"))
              .map(
                  inner ->
                      new Declaration.Randn(
                          dtype, shape, inner.number("seed", 0, Long.MAX_VALUE).orElse(0L)));
      default -> fields.decimal("full").map(number -> new Declaration.Full(dtype, shape, number));
    };
  }

  private Optional<Declaration.Output> output(Json value, String pointer) {
    return object(value, pointer, List.of("name", "dtype", "shape"))
        .flatMap(
            fields -> {
              var name = name(fields);
              var dtype = dtype(fields);
              var shape = shape(fields);
              return name.isPresent() && dtype.isPresent() && shape.isPresent()
                  ? Optional.of(new Declaration.Output(name.get(), dtype.get(), shape.get()))
                  : Optional.empty();
            });
  }

  private Optional<Declaration.Golden> golden(Json value, String pointer) {
    var read = object(value, pointer, List.of("argument", "expression", "npy", "rtol", "atol"));
    if (read.isEmpty()) {
      return Optional.empty();
    }
    var fields = read.get();
    var argument =
        fields
            .required("argument", "Name the output that it is for.")
            .flatMap(some -> fields.text("argument", some));
    boolean asFile = fields.value("npy").isPresent();
    if (asFile == fields.value("expression").isPresent()) {
      errors.body(
          pointer,
          asFile ? Kind.DUPLICATE : Kind.MISSING,
          "A golden is either an expression over the inputs or an npy file.");
      return Optional.empty();
    }
    Optional<? extends Declaration.Expected> expected =
        asFile ? npy(fields) : fields.text("expression").map(Declaration.Formula::new);
    var rtol = fields.decimal("rtol");
    var atol = fields.decimal("atol");
    return argument.isPresent() && expected.isPresent()
        ? Optional.of(new Declaration.Golden(argument.get(), expected.get(), rtol, atol))
        : Optional.empty();
  }

  private static Optional<String> name(Fields fields) {
    return fields.required("name", "Call it something.").flatMap(some -> fields.text("name", some));
  }

  private Optional<DType> dtype(Fields fields) {
    var text =
        fields
            .required("dtype", "Give an element type such as FP32.")
            .flatMap(some -> fields.text("dtype", some));
    var dtype = text.flatMap(DType::named);
    if (text.isPresent() && dtype.isEmpty()) {
      errors.body(
          fields.at("dtype"),
          Kind.BAD_VALUE,
          "There is no element type %s; FP32, FP16, BF16, INT32 are some."
              .formatted(Quoting.quote(text.get())));
    }
    return dtype;
  }

  /** Extents as numbers, or as expressions over nr. */
  private Optional<List<String>> shape(Fields fields) {
    var value = fields.required("shape", "Give extents such as [\"nr\", 1, 64].");
    if (value.isEmpty()) {
      return Optional.empty();
    }
    if (!(value.get() instanceof Json.Items(List<Json> items))) {
      errors.body(
          fields.at("shape"),
          Kind.WRONG_TYPE,
          "shape must be a list of extents such as [\"nr\", 1, 64], got %s."
              .formatted(value.get().described()));
      return Optional.empty();
    }
    var extents = new ArrayList<String>();
    for (int i = 0; i < items.size(); i++) {
      switch (items.get(i)) {
        case Json.Text(String text) -> extents.add(text);
        case Json.Numeral(String numeral) when Fields.whole(numeral).isPresent() ->
            extents.add(Long.toString(Fields.whole(numeral).orElseThrow()));
        case Json other ->
            errors.body(
                fields.at("shape") + "/" + i,
                Kind.WRONG_TYPE,
                "An extent is a whole number, or an expression over nr as a text, got %s."
                    .formatted(other.described()));
      }
    }
    return extents.size() == items.size() ? Optional.of(extents) : Optional.empty();
  }

  private static Optional<Declaration.Npy> npy(Fields fields) {
    return fields.text("npy").map(Declaration.Npy::new);
  }

  private Optional<Fields> object(Json value, String pointer, List<String> known) {
    if (value instanceof Json.Members members) {
      return Optional.of(new Fields(members, pointer, errors).known(known));
    }
    errors.body(
        pointer,
        Kind.WRONG_TYPE,
        "%s must be an object with %s, got %s."
            .formatted(
                pointer.substring(pointer.lastIndexOf('/') + 1),
                String.join(", ", known),
                value.described()));
    return Optional.empty();
  }

  private <T> List<T> each(
      Fields fields, String name, BiFunction<Json, String, Optional<T>> reader) {
    var value = fields.value(name).orElse(new Json.Items(List.of()));
    if (!(value instanceof Json.Items(List<Json> items)) || items.size() > MOST_TENSORS) {
      errors.body(
          fields.at(name),
          value instanceof Json.Items ? Kind.TOO_MANY : Kind.WRONG_TYPE,
          "%s must be a list of at most %d objects, got %s."
              .formatted(name, MOST_TENSORS, value.described()));
      return List.of();
    }
    var read = new ArrayList<T>();
    for (int i = 0; i < items.size(); i++) {
      reader.apply(items.get(i), fields.at(name) + "/" + i).ifPresent(read::add);
    }
    return read;
  }
}
