package io.ringmaster.worker.external;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.external.ResultRecord.Absent;
import io.ringmaster.worker.external.ResultRecord.Found;
import io.ringmaster.worker.external.ResultRecord.Reading;
import io.ringmaster.worker.external.ResultRecord.Unusable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Only what this run signed, and wrote whole, is its result. */
class ResultRecordTest {

  private static final byte[] KEY = HexFormat.of().parseHex("00112233445566778899aabbccddeeff");
  private static final byte[] OTHER = HexFormat.of().parseHex("10112233445566778899aabbccddeeff");
  private static final String BODY =
      "{\"version\": 1, \"run\": \"r1\", \"platform\": \"a2a3\", \"devices\": [4, 5],"
          + " \"status\": \"FINISHED\", \"checks\": [{\"name\": \"c\", \"kind\": \"allclose\","
          + " \"passed\": true, \"line\": 3, \"elements\": 8, \"mismatches\": 0, \"wantsDifference\": false,"
          + " \"itself\": false}]}";

  @TempDir private Path folder;
  private Path file;

  @BeforeEach
  void place() {
    file = folder.resolve("record.json");
  }

  private static String signed(String body, byte[] key) {
    return "{\"body\": \"%s\", \"hmac\": \"%s\"}"
        .formatted(
            body.replace("\"", "\\\""),
            HexFormat.of().formatHex(ResultRecord.signature(body, key)));
  }

  private Reading read(String text) throws IOException {
    Files.writeString(file, text);
    return read();
  }

  private Reading read() {
    return ResultRecord.read(file, KEY, "r1", "a2a3", List.of(4, 5));
  }

  private static void isUnusable(Reading reading, String why) {
    assertThat(reading)
        .isInstanceOfSatisfying(Unusable.class, bad -> assertThat(bad.why()).contains(why));
  }

  @Test
  void aSignedRecordIsTheResult() throws IOException {
    assertThat(read(signed(BODY, KEY)))
        .isInstanceOfSatisfying(
            Found.class,
            found -> {
              assertThat(found.result().status()).isEqualTo(ResultRecord.Status.FINISHED);
              assertThat(found.result().checks()).hasSize(1);
              assertThat(found.result().checks().getFirst().elements()).isEqualTo(8);
            });
  }

  @Test
  void noneIsNone() {
    assertThat(read()).isEqualTo(new Absent());
  }

  @Test
  void aForgedOneIsNot() throws IOException {
    isUnusable(read(signed(BODY, OTHER)), "its signature isn't this run's");
    isUnusable(read(signed(BODY, KEY).replace("true", "false")), "its signature isn't this run's");
    isUnusable(read("{\"body\": \"{}\", \"hmac\": \"zz\"}"), "its signature isn't this run's");
    isUnusable(read("{\"body\": \"{}\"}"), "no signature");
  }

  /** Signed with the right key, but for something else. */
  @Test
  void anotherRunsIsNot() throws IOException {
    for (var other :
        List.of(
            BODY.replace("\"r1\"", "\"r0\""),
            BODY.replace("[4, 5]", "[5, 4]"),
            BODY.replace("a2a3", "a5"),
            BODY.replace("\"version\": 1", "\"version\": 2"))) {
      isUnusable(read(signed(other, KEY)), "another run, platform or devices");
    }
  }

  @Test
  void aPartOfOneIsNot() throws IOException {
    var whole = signed(BODY, KEY);
    for (int length = 0; length < whole.length(); length += 7) {
      assertThat(read(whole.substring(0, length)))
          .as("the first " + length + " characters")
          .isInstanceOf(Unusable.class);
    }
    isUnusable(read(signed(BODY.replace("\"FINISHED\"", "null"), KEY)), "no status");
    isUnusable(read(signed(BODY.replace("FINISHED", "SPLENDID"), KEY)), "isn't whole");
    isUnusable(read(signed(BODY.replace("\"name\": \"c\", ", ""), KEY)), "without a name");
    isUnusable(read("null"), "no body");
  }

  @Test
  void whatIsNoFileIsNotRead() throws Exception {
    Files.createDirectory(file);
    isUnusable(read(), "it isn't a file");
    Files.delete(file);
    Files.createSymbolicLink(file, Path.of("/dev/zero"));
    isUnusable(read(), "it isn't a file");
    Files.delete(file);
    assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor()).isZero();
    isUnusable(read(), "it isn't a file");
  }

  @Test
  void aHugeOneIsNotRead() throws IOException {
    try (var channel = new java.io.RandomAccessFile(file.toFile(), "rw")) {
      channel.setLength(1L << 34);
    }
    isUnusable(read(), "at most 16777216 are read");
  }
}
