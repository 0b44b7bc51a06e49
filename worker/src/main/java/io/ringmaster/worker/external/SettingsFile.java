package io.ringmaster.worker.external;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.json.JsonMapper;

/** Reads {@link ExternalSettings} from a JSON file that an operator writes. */
public final class SettingsFile {

  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  private static final int OUTPUT = 800_000;

  private SettingsFile() {}

  /** The file as it is written; what it leaves out has a default. */
  private record Form(
      @Nullable List<String> platforms,
      @Nullable List<String> command,
      @Nullable List<String> probe,
      @Nullable List<String> pass,
      @Nullable Map<String, String> set,
      @Nullable String folder,
      @Nullable Integer deviceSeconds,
      @Nullable Integer runSeconds,
      @Nullable Integer politeSeconds,
      @Nullable Integer killSeconds,
      @Nullable Integer probeSeconds,
      @Nullable Integer outputCharacters,
      @Nullable Boolean rehearse) {}

  /**
   * Reads a file.
   *
   * @throws IllegalArgumentException with a sentence for people that names the file and the field
   */
  public static ExternalSettings read(Path file) {
    String text;
    try {
      text = Files.readString(file);
    } catch (IOException e) {
      throw new IllegalArgumentException(file + " can't be read: " + e, e);
    }
    try {
      return settings(parse(text));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
    }
  }

  private static Form parse(String text) {
    try {
      return MAPPER.readValue(text, Form.class);
    } catch (UnrecognizedPropertyException e) {
      throw new IllegalArgumentException(
          "there is no setting '%s'; there are %s"
              .formatted(
                  e.getPropertyName(),
                  String.join(
                      ", ",
                      java.util.Arrays.stream(Form.class.getRecordComponents())
                          .map(java.lang.reflect.RecordComponent::getName)
                          .toList())),
          e);
    } catch (JacksonException e) {
      throw new IllegalArgumentException(
          "line %d: %s".formatted(e.getLocation().getLineNr(), e.getOriginalMessage()), e);
    }
  }

  private static ExternalSettings settings(Form form) {
    var standard = ExternalSettings.Limits.DEFAULT;
    return new ExternalSettings(
        required("platforms", form.platforms()),
        required("command", form.command()),
        Objects.requireNonNullElse(form.probe(), List.of()),
        Objects.requireNonNullElse(form.pass(), ExternalSettings.PASSED),
        Objects.requireNonNullElse(form.set(), Map.of()),
        Path.of(required("folder", form.folder())),
        new ExternalSettings.Limits(
            seconds(form.deviceSeconds(), standard.device()),
            seconds(form.runSeconds(), standard.run()),
            seconds(form.politeSeconds(), standard.polite()),
            seconds(form.killSeconds(), standard.kill()),
            seconds(form.probeSeconds(), standard.probe())),
        Objects.requireNonNullElse(form.outputCharacters(), OUTPUT),
        Objects.requireNonNullElse(form.rehearse(), true));
  }

  private static <T> T required(String name, @Nullable T value) {
    if (value == null) {
      throw new IllegalArgumentException("it needs " + name);
    }
    return value;
  }

  private static Duration seconds(@Nullable Integer given, Duration standard) {
    return given == null ? standard : Duration.ofSeconds(given);
  }
}
