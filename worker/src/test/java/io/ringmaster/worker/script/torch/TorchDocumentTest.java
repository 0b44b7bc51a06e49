package io.ringmaster.worker.script.torch;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.script.value.NativeFunction;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page about the torch subset lists what there is, and nothing else. */
class TorchDocumentTest {

  private static Set<String> named() throws IOException {
    Set<String> names = new TreeSet<>();
    String page = Files.readString(Path.of("../docs/torch.md"));
    Matcher matcher = Pattern.compile("`(\\w+)`").matcher(page);
    while (matcher.find()) {
      names.add(matcher.group(1));
    }
    return names;
  }

  private static Set<String> functions() throws IOException {
    Set<String> names = new TreeSet<>(layers());
    TorchModule.TORCH
        .members()
        .forEach(
            (name, value) -> {
              if (value instanceof NativeFunction) {
                names.add(name);
              }
            });
    names.addAll(Functional.MODULE.members().keySet());
    names.addAll(LinearAlgebra.LINALG.members().keySet());
    return names;
  }

  /** The classes and functions of {@code torch.nn}, which are written as a script is. */
  private static Set<String> layers() throws IOException {
    Set<String> names = new TreeSet<>();
    try (InputStream text =
        TorchModule.class.getResourceAsStream("/io/ringmaster/worker/script/library/torch.nn.py")) {
      assertThat(text).isNotNull();
      Matcher matcher =
          Pattern.compile("(?m)^(?:class|def) ([A-Za-z]\\w+)")
              .matcher(new String(text.readAllBytes(), StandardCharsets.UTF_8));
      while (matcher.find()) {
        names.add(matcher.group(1));
      }
    }
    return names;
  }

  @Test
  void everyFunctionAndMethodIsOnThePage() throws IOException {
    Set<String> missing = functions();
    // The methods in place are told by a rule: the name with an underscore.
    TensorMethods.TABLE.names().stream().filter(name -> !name.endsWith("_")).forEach(missing::add);
    missing.removeAll(named());
    assertThat(missing).isEmpty();
  }

  @Test
  void everyNameOnThePageIsThere() throws IOException {
    Set<String> unknown = named();
    unknown.removeAll(functions());
    unknown.removeAll(TensorMethods.names());
    unknown.removeAll(TorchModule.TORCH.members().keySet());
    unknown.removeAll(Environment.CUDA.members().keySet());
    unknown.removeAll(Set.of("None", "keepdim", "dim", "torch"));
    assertThat(unknown).isEmpty();
  }
}
