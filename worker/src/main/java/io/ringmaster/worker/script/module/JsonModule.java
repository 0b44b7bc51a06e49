package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code json.loads}; {@code json.dumps} is written in the language of scripts. */
final class JsonModule {

  /** Levels of lists and dicts within each other, about as many as Python reads. */
  private static final int DEEPEST = 990;

  private static final JsonMapper READER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(DEEPEST)
                          .maxNumberLength(4300)
                          .build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  static final ModuleValue MODULE =
      new ModuleValue(
          "json",
          Map.of(
              "loads",
              NativeFunction.of("loads", "s", JsonModule::loads),
              "JSONDecodeError",
              Exceptions.JSON_DECODE));

  private JsonModule() {}

  private static Value loads(Bound a, Call call) {
    String text = a.string("s");
    call.interp().session().budget().work(text.length());
    call.interp().session().budget().objects(8L * text.length());
    try {
      JsonNode root = READER.readTree(text);
      if (root.isMissingNode()) {
        throw Errors.json("Expecting value: line 1 column 1 (char 0)");
      }
      return value(root);
    } catch (StreamConstraintsException e) {
      // Said without a place. Python recurses here, and says so when it goes too deep.
      throw e.getOriginalMessage().contains("nesting depth")
          ? Errors.of(
              Exceptions.RECURSION_ERROR,
              "maximum recursion depth exceeded while decoding a JSON array or object: more than "
                  + DEEPEST
                  + " levels")
          : Errors.value(e.getOriginalMessage());
    } catch (JacksonException e) {
      var at = Optional.ofNullable(e.getLocation()).orElse(TokenStreamLocation.NA);
      throw Errors.json(
          e.getOriginalMessage()
              + ": line "
              + Math.max(at.getLineNr(), 1)
              + " column "
              + Math.max(at.getColumnNr(), 1)
              + " (char "
              + Math.max(at.getCharOffset(), 0)
              + ")");
    }
  }

  private static Value value(JsonNode node) {
    if (node.isObject()) {
      DictValue dict = new DictValue();
      node.properties().forEach(e -> dict.put(Value.of(e.getKey()), value(e.getValue())));
      return dict;
    }
    if (node.isArray()) {
      List<Value> items = new ArrayList<>();
      node.forEach(item -> items.add(value(item)));
      return new ListValue(items);
    }
    if (node.isBoolean()) {
      return Value.of(node.booleanValue());
    }
    if (node.isIntegralNumber()) {
      return new Value.Int(node.bigIntegerValue());
    }
    if (node.isNumber()) {
      return Value.of(node.doubleValue());
    }
    return node.isNull() ? Value.NONE : Value.of(node.stringValue());
  }
}
