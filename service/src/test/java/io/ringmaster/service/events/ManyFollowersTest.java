package io.ringmaster.service.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.testing.Awaiting;
import io.ringmaster.service.testing.EventStream;
import io.ringmaster.service.testing.TestService;
import java.util.ArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

@TestInstance(Lifecycle.PER_CLASS)
class ManyFollowersTest {

  private static final int MANY = 1000;

  private final TestService service = TestService.inMemory("--ringmaster.events.heartbeat=500ms");

  @AfterAll
  void stop() {
    service.close();
  }

  private static long platformThreads() {
    return Thread.getAllStackTraces().size();
  }

  @Test
  void aThousandClientsOnOneJobGetEveryEventWithoutAThreadEach() {
    var job = service.api().submit("# hold\n", "");
    Awaiting.until("it runs", () -> service.runner().holding().contains("kernel.py"));
    long before = platformThreads();
    var streams = new ArrayList<EventStream>();
    for (int i = 0; i < MANY; i++) {
      streams.add(EventStream.open(service.port(), job, ""));
    }
    Awaiting.until(
        "all have the beginning",
        () -> streams.stream().allMatch(stream -> stream.names().contains("run-started")));
    // The web server may have up to 200 of its own, and the clients here some.
    assertThat(platformThreads()).isLessThan(before + MANY / 2);
    assertThat(service.bean(EventStreams.class).followers()).isEqualTo(MANY);
    service.runner().release(1);
    streams.forEach(EventStream::awaitEnd);
    assertThat(streams)
        .allSatisfy(
            stream ->
                assertThat(stream.names().stream().filter(name -> !name.equals("progress")))
                    .containsExactly("queued", "run-started", "run-finished", "finished"));
    Awaiting.until(
        "nobody is kept in mind", () -> service.bean(EventStreams.class).followers() == 0);
  }

  @Test
  void clientsThatAreGoneAreForgotten() {
    var job = service.api().submit("# hold\n", "\"scriptName\": \"gone.py\"");
    var streams = new ArrayList<EventStream>();
    for (int i = 0; i < 50; i++) {
      streams.add(EventStream.open(service.port(), job, ""));
    }
    Awaiting.until("all follow", () -> service.bean(EventStreams.class).followers() == 50);
    Awaiting.until(
        "all have something", () -> streams.stream().allMatch(stream -> !stream.ids().isEmpty()));
    streams.forEach(EventStream::close);
    Awaiting.until(
        "nobody is kept in mind", () -> service.bean(EventStreams.class).followers() == 0);
    service.api().post("/api/v1/jobs/" + job + "/cancel");
  }
}
