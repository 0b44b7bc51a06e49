package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The catalogue of wrong programs is held as a whole: each of its rows by a record at least. */
class CatalogueCountTest {

  private static final int ROWS = 139;

  private static final Pattern RECORD = Pattern.compile("(?m)^=== (\\d+): \\S");

  @Test
  void everyRowIsHeld() throws IOException {
    Map<Integer, String> held = new TreeMap<>();
    for (Path file : catalogues()) {
      Matcher record = RECORD.matcher(Files.readString(file));
      while (record.find()) {
        held.put(Integer.valueOf(record.group(1)), file.toString());
      }
    }

    assertThat(held.keySet())
        .containsExactlyElementsOf(IntStream.rangeClosed(1, ROWS).boxed().toList());
  }

  private static List<Path> catalogues() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("src", "test", "resources"))) {
      return files.filter(file -> file.toString().endsWith("catalogue.txt")).sorted().toList();
    }
  }
}
