package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.script.ScriptResult;
import io.ringmaster.worker.script.Scripts;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** Runs expressions over a few tensors of every kind, and reads the tables of expressions. */
final class Torch {

  static final String TENSORS =
      """
      import torch
      import torch.nn.functional as F
      a = torch.arange(6, dtype=torch.float32).reshape(2, 3)
      i = torch.tensor([3, -1, 2, -1])
      b = torch.tensor([True, False, True])
      m = torch.tensor([[1., -2.], [0.5, 4.]])
      n = torch.tensor([float('nan'), 1., float('inf'), -float('inf')])
      h = torch.tensor([1.0, 2048.0, 0.0001], dtype=torch.float16)
      g = torch.tensor([1.0, 256.0, 0.01], dtype=torch.bfloat16)
      u = torch.tensor([0, 200, 255], dtype=torch.uint8)
      s = torch.tensor([-32768, 32767], dtype=torch.int16)
      z = torch.tensor(2.5)
      e = torch.zeros(0, 3)
      x = torch.arange(24).reshape(2, 3, 4)
      """;

  private Torch() {}

  static ScriptResult run(String text) {
    return Scripts.run(TENSORS + text);
  }

  /** What an expression prints, on one line. */
  static String printed(String expression) {
    String printed = Scripts.output(TENSORS + "print((" + expression + "))");
    return printed.replaceAll("\\s*\n\\s*", " ");
  }

  /** The lines of a table: what to evaluate, and what must come out. */
  static Stream<Arguments> table(String name) {
    try (InputStream file = Torch.class.getResourceAsStream(name)) {
      String text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
      return text.lines()
          .map(line -> line.split(" => ", 2))
          .map(parts -> Arguments.of(parts[0], parts[1]));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
