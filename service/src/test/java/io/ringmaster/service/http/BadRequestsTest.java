package io.ringmaster.service.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.ringmaster.service.testing.Api;
import io.ringmaster.service.testing.Api.Form;
import io.ringmaster.service.testing.TestService;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** Bad requests name the place and the way out, and leave nothing behind. */
@TestInstance(Lifecycle.PER_CLASS)
class BadRequestsTest {

  private static final String JOBS = "/api/v1/jobs";
  private static final String FINE = "\"script\":\"x = 1\",\"platform\":\"a2a3sim\"";

  private final TestService service = TestService.inMemory();
  private final Api api = service.api();

  @AfterAll
  void stop() {
    service.close();
  }

  private static String with(String members) {
    return "{" + FINE + ",\"devices\":[0,1]," + members + "}";
  }

  private static String devices(String json) {
    return "{" + FINE + ",\"devices\":" + json + "}";
  }

  /** Name, body, place of the first error, and what its message must say. */
  static Stream<Arguments> bodies() {
    return Stream.of(
        arguments(
            "A01 misspelt field",
            with("\"tolerence\":1,\"prioritty\":\"LOW\""),
            "/tolerence",
            "no field \"tolerence\""),
        arguments(
            "A01 nearest name",
            with("\"prioritty\":\"LOW\""),
            "/prioritty",
            "Did you mean priority?"),
        arguments(
            "A01 a name like no other",
            with("\"foo\":1"),
            "/foo",
            "There is no field \"foo\" here. Known: "),
        arguments(
            "A02 limit abc",
            with("\"limits\":{\"wallSeconds\":\"abc\"}"),
            "/limits/wallSeconds",
            "from 1 to 3600, got \"abc\""),
        arguments(
            "A02 limit -1",
            with("\"limits\":{\"wallSeconds\":-1}"),
            "/limits/wallSeconds",
            "from 1 to 3600, got -1"),
        arguments(
            "A02 limit 0",
            with("\"limits\":{\"wallSeconds\":0}"),
            "/limits/wallSeconds",
            "from 1 to 3600, got 0"),
        arguments(
            "A02 limit 1e12",
            with("\"limits\":{\"wallSeconds\":1e12}"),
            "/limits/wallSeconds",
            "from 1 to 3600, got 1e12"),
        arguments(
            "A02 limit 1e999999999",
            with("\"limits\":{\"wallSeconds\":1e999999999}"),
            "/limits/wallSeconds",
            "from 1 to 3600"),
        arguments(
            "A02 limit NaN",
            with("\"limits\":{\"wallSeconds\":\"NaN\"}"),
            "/limits/wallSeconds",
            "got \"NaN\""),
        arguments(
            "A02 limit empty",
            with("\"limits\":{\"wallSeconds\":\"\"}"),
            "/limits/wallSeconds",
            "got an empty text"),
        arguments(
            "A02 unknown limit",
            with("\"limits\":{\"wallSecond\":1}"),
            "/limits/wallSecond",
            "Did you mean wallSeconds?"),
        arguments("A04 no devices", devices("[]"), "/devices", "empty"),
        arguments("A04 device -1", devices("[0,-1]"), "/devices/1", "from 0 to 2147483647, got -1"),
        arguments("A04 device 1.5", devices("[1.5]"), "/devices/0", "integers, written like 0"),
        arguments("A04 device 0.0", devices("[0.0]"), "/devices/0", "at /devices/0 is 0.0"),
        arguments("A04 device 1e3", devices("[0,1e3]"), "/devices/1", "at /devices/1 is 1e3"),
        arguments(
            "A04 device of 300 digits",
            devices("[" + "9".repeat(300) + "]"),
            "/devices/0",
            "from 0 to 2147483647, got 9999"),
        arguments("a field twice", with("\"seed\":1,\"seed\":2"), "/seed", "given twice"),
        arguments(
            "a label twice",
            with("\"labels\":{\"a/b\":\"1\",\"a\\u002fb\":\"2\"}"),
            "/labels/a~1b",
            "line 1, column"),
        arguments(
            "NUL in the script",
            devices("[0]").replace("x = 1", "x\\u0000"),
            "/script",
            "NUL at byte offset 1"),
        arguments(
            "NUL in an argument", with("\"arguments\":[\"\\u0000\"]"), "/arguments/0", "a NUL"),
        arguments(
            "half a character in an argument",
            with("\"arguments\":[\"a\\ud800\"]"),
            "/arguments/0",
            "half a surrogate pair (at character 2)"),
        arguments(
            "half a character in a field's name", with("\"\\ud800\":1"), "/\uFFFD", "no field"),
        arguments("file name ..", with("\"scriptName\":\"..\""), "/scriptName", "got \"..\""),
        arguments("empty file name", with("\"scriptName\":\"\""), "/scriptName", "not be empty"),
        arguments(
            "long file name",
            with("\"scriptName\":\"" + "n".repeat(10_000) + "\""),
            "/scriptName",
            "at most 200 characters, it has 10,000"),
        arguments("A04 device true", devices("[true]"), "/devices/0", "is true"),
        arguments("A04 device null", devices("[0,null]"), "/devices/1", "is null"),
        arguments("A04 device text", devices("[\"0\"]"), "/devices/0", "is \"0\""),
        arguments("A04 device 2^31", devices("[2147483648]"), "/devices/0", "got 2147483648"),
        arguments("A04 devices null", devices("null"), "/devices", "got null"),
        arguments("A04 an empty list among lists", devices("[[0,1],[]]"), "/devices/1", "empty"),
        arguments("A04 mixed", devices("[[0,1],2]"), "/devices/1", "must be a list, got 2"),
        arguments("K51 devices [4,4]", devices("[4,4]"), "/devices/1", "Device 4 is named twice"),
        arguments("the same list twice", devices("[[0,1],[0,1]]"), "/devices/1", "same as list 1"),
        arguments(
            "A05 unknown platform",
            "{\"script\":\"x\",\"platform\":\"a9z\",\"devices\":[0]}",
            "/platform",
            "a2a3sim, a5sim, sim"),
        arguments(
            "missing platform",
            "{\"script\":\"x\",\"devices\":[0]}",
            "/platform",
            "platform is missing"),
        arguments(
            "missing script",
            "{\"platform\":\"a2a3sim\",\"devices\":[0]}",
            "/script",
            "script is missing"),
        arguments(
            "empty script",
            "{\"script\":\"\",\"platform\":\"a2a3sim\",\"devices\":[0]}",
            "/script",
            "empty"),
        arguments("missing devices", "{" + FINE + "}", "/devices", "devices is missing"),
        arguments(
            "A14 long name",
            with("\"name\":\"" + "n".repeat(10_000) + "\""),
            "/name",
            "at most 200 characters, it has 10,000"),
        arguments("A14 line break", with("\"name\":\"a\\nb\""), "/name", "U+000A (at character 2)"),
        arguments("A14 right-to-left mark", with("\"name\":\"a\\u202Eb\""), "/name", "U+202E"),
        arguments("A14 NUL", with("\"name\":\"a\\u0000b\""), "/name", "U+0000"),
        arguments("A14 empty name", with("\"name\":\"\""), "/name", "must not be empty"),
        arguments(
            "a path as file name",
            with("\"scriptName\":\"../etc/passwd\""),
            "/scriptName",
            "without folders"),
        arguments(
            "arguments not a list",
            with("\"arguments\":\"--mode\""),
            "/arguments",
            "must be a list"),
        arguments(
            "an argument that is a number",
            with("\"arguments\":[\"--n\",4]"),
            "/arguments/1",
            "got 4"),
        arguments(
            "unknown priority", with("\"priority\":\"URGENT\""), "/priority", "LOW, NORMAL, HIGH"),
        arguments(
            "label key", with("\"labels\":{\"a b\":\"c\"}"), "/labels/a b", "1 to 63 letters"),
        arguments("label value", with("\"labels\":{\"a\":1}"), "/labels/a", "must be a text"),
        arguments("schedules", with("\"schedules\":1001"), "/schedules", "1000"),
        arguments("seed", with("\"seed\":1.5"), "/seed", "whole number"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("bodies")
  void aBadBodyIsRefusedWithItsPlace(String name, String body, String pointer, String message) {
    long before = service.rows();
    var reply = api.postJson(JOBS, body).expect(400);
    assertThat(reply.get("code")).isEqualTo("INVALID_REQUEST");
    assertThat(reply.places().getFirst()).isEqualTo(pointer);
    assertThat(reply.json().at("/errors/0/message").asString()).contains(message);
    assertThat(reply.get("instance")).isEqualTo(JOBS);
    assertThat(service.rows()).isEqualTo(before);
  }

  @Test
  void allFaultsAreSaidAtOnce() {
    var reply = api.postJson(JOBS, "{\"devices\":[0,0,-1],\"x\":1}").expect(400);
    assertThat(reply.places())
        .containsExactlyInAnyOrder("/x", "/script", "/platform", "/devices/1", "/devices/2");
  }

  @Test
  void aMillionDevicesAreRefusedInLittleTime() {
    var many = new StringBuilder("[0");
    for (int i = 1; i < 3_000_000; i++) {
      many.append(',').append(i);
    }
    var reply = api.postJson(JOBS, devices(many.append(']').toString())).expect(400);
    assertThat(reply.places()).containsExactly("/devices");
    assertThat(reply.get("detail")).contains("65,536");
    var form = form().field("devices", many.substring(1, 1_000_000));
    assertThat(api.postForm(JOBS, form).expect(400).get("detail")).contains("65,536");
    var bad = devices("[" + "true,".repeat(60_000) + "true]");
    assertThat(api.postJson(JOBS, bad).expect(400).json().get("errors")).hasSize(20);
  }

  @Test
  void whatCanNeverRunIsSaidAtOnce() {
    var absent = "{\"script\":\"x\",\"platform\":\"opencl\",\"devices\":[0]}";
    assertThat(api.postJson(JOBS, absent).expect(422).get("code")).isEqualTo("CANNOT_BE_PLACED");
    var ids = new StringBuilder("[0");
    for (int i = 1; i < 1025; i++) {
      ids.append(',').append(i);
    }
    var wide = api.postJson(JOBS, devices(ids.append(']').toString())).expect(422);
    assertThat(wide.get("detail")).contains("1,025 devices").contains("at most 1,024");
  }

  private static Form form() {
    return new Form()
        .file("script", "k.py", "x = 1".getBytes(StandardCharsets.UTF_8))
        .field("platform", "a2a3sim");
  }

  @Test
  void formsAreJudgedByTheSameRules() {
    assertThat(api.postForm(JOBS, form().field("devices", "")).expect(400).places())
        .containsExactly("/devices");
    assertThat(api.postForm(JOBS, form().field("devices", "0,,1")).expect(400).places())
        .containsExactly("/devices/1");
    var broken = api.postForm(JOBS, form().field("devices", "[[0,1],[0")).expect(400);
    assertThat(broken.get("code")).isEqualTo("MALFORMED_BODY");
    assertThat(broken.places()).containsExactly("/devices");
    assertThat(broken.get("detail")).contains("The field devices").contains("ends at character 9");
    assertThat(api.postForm(JOBS, form().field("devices", "0.0,1")).expect(400).places())
        .containsExactly("/devices/0");
    var twice = form().field("devices", "0").field("devices", "1");
    assertThat(api.postForm(JOBS, twice).expect(400).get("detail")).contains("only once");
    var typo = form().field("devices", "0").field("limits.wallSecond", "3");
    assertThat(api.postForm(JOBS, typo).expect(400).get("detail"))
        .contains("Did you mean wallSeconds?");
    var limit = form().field("devices", "0").field("limits.wallSeconds", "NaN");
    assertThat(api.postForm(JOBS, limit).expect(400).get("detail")).contains("got \"NaN\"");
    var label = form().field("devices", "0").field("labels", "novalue");
    assertThat(api.postForm(JOBS, label).expect(400).get("detail")).contains("key:value");
    var noScript = new Form().field("platform", "a2a3sim").field("devices", "0");
    assertThat(api.postForm(JOBS, noScript).expect(400).places()).containsExactly("/script");
  }

  @Test
  void unknownOrImpossibleParametersAreRefused() {
    var reply = api.get(JOBS + "?verdct=PASSED").expect(400);
    assertThat(reply.places()).containsExactly("verdct");
    assertThat(reply.get("detail")).contains("Did you mean verdict?");
    assertThat(api.get(JOBS + "?pageSize=0").expect(400).get("detail")).contains("from 1 to 200");
    assertThat(api.get(JOBS + "?pageSize=abc").expect(400).get("detail")).contains("\"abc\"");
    assertThat(api.get(JOBS + "?state=DONE").expect(400).get("detail")).contains("QUEUED");
    assertThat(api.get(JOBS + "?state=QUEUED&state=RUNNING").expect(400).get("detail"))
        .contains("only once");
    assertThat(api.get(JOBS + "?createdAfter=yesterday").expect(400).places())
        .containsExactly("createdAfter");
    assertThat(api.get(JOBS + "?createdAfter=-999999999-01-01T00:00:00Z").expect(400).places())
        .containsExactly("createdAfter");
    assertThat(api.get(JOBS + "?name=%00").expect(400).get("detail")).contains("NUL");
    assertThat(api.get(JOBS + "?label=a").expect(400).get("detail")).contains("as key:value");
    assertThat(api.get(JOBS + "?pageToken=abc").expect(400).places()).containsExactly("pageToken");
    assertThat(api.postJson(JOBS + "?wait=61", with("\"seed\":1")).expect(400).places())
        .containsExactly("wait");
    assertThat(
            api.postJson(JOBS, with("\"seed\":1"), "Idempotency-Key", "with space")
                .expect(400)
                .places())
        .containsExactly("Idempotency-Key");
  }

  @Test
  void whatIsNotThereIsNotFound() {
    api.get(JOBS + "/job_00000000-0000-7000-8000-000000000000").expect(404);
    api.get(JOBS + "/1").expect(404);
    api.get(JOBS + "/..%2f..%2fetc").expect(400);
    api.get("/api/v1/nothing").expect(404);
    api.post(JOBS + "/job_00000000-0000-7000-8000-000000000000/cancel").expect(404);
    api.delete(JOBS).expect(405);
  }

  @Test
  void theBodysTypeIsChecked() {
    var plain = api.postBytes(JOBS, new byte[] {'x'}, "text/plain").expect(415);
    assertThat(plain.get("detail")).contains("multipart/form-data");
    api.get(JOBS, "Accept", "image/png").expect(406);
  }

  @Test
  void brokenJsonIsNamedWithItsPlace() {
    assertThat(api.postJson(JOBS, "{\"script\": }").expect(400).get("detail"))
        .contains("line 1, column");
    assertThat(api.postJson(JOBS, "").expect(400).get("detail")).contains("empty");
    assertThat(api.postJson(JOBS, "[1]").expect(400).get("detail")).contains("JSON object");
    assertThat(api.postJson(JOBS, "{} x").expect(400).get("code")).isEqualTo("MALFORMED_BODY");
    assertThat(api.postJson(JOBS, "{\"seed\":1,\"seed\":2}").expect(400).get("detail"))
        .contains("seed");
    assertThat(api.postJson(JOBS, with("\"limits\":{\"wallSeconds\":NaN}")).expect(400).get("code"))
        .isEqualTo("MALFORMED_BODY");
    var deep = "[".repeat(100_000) + "]".repeat(100_000);
    assertThat(api.postJson(JOBS, with("\"labels\":" + deep)).expect(400).get("detail"))
        .contains("64 levels");
  }

  /** What stands there is said in our words: the parser's are for who wrote the parser. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          [NaN]         | "NaN" cannot stand at line 1, column
          [0,-Infinity] | JSON has no such number
          [0,]          | "]" cannot stand
          [01]          | "01" cannot stand
          [0] trailing  | "trailing" cannot stand
          [True]        | true, false, null
          ['0']         | Texts are in double quotes
          [0 /* a */]   | "/" cannot stand
          """)
  void brokenJsonIsSaidInOurWords(String devices, String message) {
    var detail = api.postJson(JOBS, devices(devices)).expect(400).get("detail");
    assertThat(detail).contains(message).doesNotContain("token", "Jackson", "Parser");
  }

  @Test
  void jsonOfAbsurdSizeIsRefusedWithItsPlace() {
    var number = api.postJson(JOBS, devices("[" + "9".repeat(5_000) + "]")).expect(400);
    assertThat(number.get("detail")).contains("more than 1,000 characters at line 1");
    var name = api.postJson(JOBS, with("\"" + "k".repeat(5_000) + "\":1")).expect(400);
    assertThat(name.get("detail")).contains("more than 1,000 characters");
    var deep = api.postJson(JOBS, devices("[".repeat(65) + "]".repeat(65))).expect(400);
    assertThat(deep.get("detail")).contains("deeper than 64 levels at line 1, column");
  }

  /** One rule for a file's name, whichever way it comes. */
  @ParameterizedTest
  @ValueSource(strings = {"..", "../../etc/passwd", "a/b.py", "", "a\u0007b.py"})
  void aFilesNameIsRefusedWhereItIsMoreThanAName(String name) {
    var form =
        new Form()
            .file("script", name, "x = 1".getBytes(StandardCharsets.UTF_8))
            .field("platform", "a2a3sim")
            .field("devices", "0");
    assertThat(api.postForm(JOBS, form).expect(400).places()).containsExactly("/script");
    var json = new JsonMapper().writeValueAsString(name);
    assertThat(api.postJson(JOBS, with("\"scriptName\":" + json)).expect(400).places())
        .containsExactly("/scriptName");
  }

  @Test
  void aNulInAScriptIsNamedByItsOffset() {
    var form =
        new Form()
            .file("script", "k.py", "x = 1\0".getBytes(StandardCharsets.UTF_8))
            .field("platform", "a2a3sim")
            .field("devices", "0");
    assertThat(api.postForm(JOBS, form).expect(400).json().get("byteOffset").asLong()).isEqualTo(5);
  }

  @Test
  void enumerationsAreReadInAnyCase() {
    var job = api.postJson(JOBS + "?wait=30", with("\"priority\":\"high\"")).expect(200);
    assertThat(job.get("priority")).isEqualTo("HIGH");
    var run = JOBS + "/" + job.get("id") + "/runs/1";
    assertThat(api.get(run + "/ir?stage=lowered").expect(200).text()).contains("LOWERED");
    assertThat(api.get(run + "/ir?stage=Source").expect(200).text()).contains("SOURCE");
    assertThat(api.get(run + "/ir?stage=raw").expect(400).get("detail"))
        .contains("SOURCE, LOWERED");
    assertThat(api.get(JOBS + "?state=finished&verdict=passed").expect(200).json().get("jobs"))
        .isNotEmpty();
    api.get("/api/v1/golden-results?passed=TRUE").expect(200);
    var compile = api.postJson("/api/v1/compile", with("\"stage\":\"source\"")).expect(200);
    assertThat(compile.get("stage")).isEqualTo("SOURCE");
    api.delete(JOBS + "/" + job.get("id")).expect(204);
  }

  @Test
  void runsCountFromOne() {
    var id = api.run("x = 1").get("id");
    assertThat(api.get(JOBS + "/" + id + "/runs/0").expect(404).get("detail"))
        .contains("\"0\" cannot be a run")
        .contains("counted from 1");
    assertThat(api.get(JOBS + "/" + id + "/runs/2").expect(404).get("detail"))
        .contains("runs 1 to 1");
    api.delete(JOBS + "/" + id).expect(204);
  }

  @Test
  void bytesThatAreNoUtf8AreNamedByTheirOffset() {
    byte[] script = "x = '?'\n".getBytes(StandardCharsets.UTF_8);
    script[5] = (byte) 0xFF;
    var form =
        new Form()
            .file("script", "k.py", script)
            .field("platform", "a2a3sim")
            .field("devices", "0");
    var reply = api.postForm(JOBS, form).expect(400);
    assertThat(reply.get("code")).isEqualTo("NOT_UTF8");
    assertThat(reply.json().get("byteOffset").asLong()).isEqualTo(5);
    var half = api.postJson(JOBS, with("\"seed\":1").replace("x = 1", "\\ud800")).expect(400);
    assertThat(half.get("code")).isEqualTo("NOT_UTF8");
  }

  /** A07. */
  @Test
  void aByteOrderMarkAndCarriageReturnsAreAccepted() {
    var plain = "# verdict: RACE\nx = 1\n";
    var form =
        new Form()
            .file(
                "script",
                "k.py",
                ("\uFEFF" + plain.replace("\n", "\r\n")).getBytes(StandardCharsets.UTF_8))
            .field("platform", "a2a3sim")
            .field("devices", "0");
    assertThat(api.postForm(JOBS + "?wait=30", form).expect(200).get("verdict")).isEqualTo("RACE");
  }

  @Test
  void everyReplyNamesItsTrace() {
    var id = "0af7651916cd43dd8448eb211c80319c";
    var reply =
        api.get(JOBS + "/1", "traceparent", "00-" + id + "-b7ad6b7169203331-01").expect(404);
    assertThat(reply.get("traceId")).isEqualTo(id);
    assertThat(reply.header("traceparent").orElseThrow()).contains(id);
  }
}
