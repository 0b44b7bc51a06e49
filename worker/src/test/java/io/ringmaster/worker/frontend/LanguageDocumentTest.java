package io.ringmaster.worker.frontend;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.frontend.ops.OpTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page about the language names the operations that there are, and no others. */
class LanguageDocumentTest {

  /** What isn't an operation: heads of loops and blocks, decorators, names in types. */
  private static final Set<String> SYNTAX =
      Set.of(
          "pl.X",
          "pl.aiv_shard",
          "pl.split",
          "pl.cross_core_slot",
          "pl.at",
          "pl.cluster",
          "pl.cond",
          "pl.const",
          "pl.dynamic",
          "pl.func_attr",
          "pl.function",
          "pl.get_block_idx",
          "pl.inline",
          "pl.jit",
          "pl.jit.extern",
          "pl.jit.host",
          "pl.jit.incore",
          "pl.jit.inline",
          "pl.jit.opaque",
          "pl.manual_scope",
          "pl.max",
          "pl.min",
          "pl.no_dep",
          "pl.parallel",
          "pl.pipeline",
          "pl.program",
          "pl.range",
          "pl.scope",
          "pl.split_aiv",
          "pl.spmd",
          "pl.spmd_submit",
          "pl.static_assert",
          "pl.static_print",
          "pl.submit",
          "pl.system.task_dummy",
          "pl.tensor.X",
          "pl.tile.X",
          "pl.tile.get_block_idx",
          "pl.unroll",
          "pl.while_",
          "pl.yield_",
          "pl.Level.HOST",
          "pl.TASK_ID");

  private final OpTable table = OpTable.STANDARD;

  private static Set<String> onThePage() throws IOException {
    Set<String> names = new TreeSet<>();
    Matcher matcher =
        Pattern.compile("`@?(pld?\\.[\\w.]+)")
            .matcher(Files.readString(Path.of("../docs/language.md")));
    while (matcher.find()) {
      names.add(matcher.group(1));
    }
    return names;
  }

  @Test
  void everyOperationIsOnThePage() throws IOException {
    Set<String> missing = table.names();
    missing.removeAll(onThePage());
    assertThat(missing).isEmpty();
  }

  @Test
  void everyNameOnThePageIsThere() throws IOException {
    Set<String> unknown = onThePage();
    unknown.removeIf(name -> table.knows(name) || SYNTAX.contains(name));
    assertThat(unknown).isEmpty();
  }
}
