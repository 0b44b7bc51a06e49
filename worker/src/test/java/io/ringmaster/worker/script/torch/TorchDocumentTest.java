package io.ringmaster.worker.script.torch;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.script.value.NativeFunction;
import java.io.IOException;
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

  private static Set<String> functions() {
    Set<String> names = new TreeSet<>();
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
