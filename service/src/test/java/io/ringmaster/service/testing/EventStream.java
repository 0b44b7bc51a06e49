package io.ringmaster.service.testing;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A client of an event stream that keeps all that comes. */
public final class EventStream implements AutoCloseable, Flow.Subscriber<String> {

  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final List<String> names = new CopyOnWriteArrayList<>();
  private final List<Long> ids = new CopyOnWriteArrayList<>();
  private final List<String> data = new CopyOnWriteArrayList<>();
  private final AtomicInteger heartbeats = new AtomicInteger();
  private final CompletableFuture<Boolean> ended = new CompletableFuture<>();
  private volatile Flow.@Nullable Subscription subscription;

  private EventStream() {}

  public static EventStream open(int port, String job, String lastId) {
    var stream = new EventStream();
    var request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + port + "/api/v1/jobs/" + job + "/events"))
            .header("Accept", "text/event-stream")
            .header("Last-Event-ID", lastId)
            .build();
    var _ =
        CLIENT
            .sendAsync(request, BodyHandlers.fromLineSubscriber(stream))
            .whenComplete(
                (_, failure) -> {
                  if (failure != null) {
                    stream.ended.completeExceptionally(failure);
                  }
                });
    return stream;
  }

  public List<String> names() {
    return new ArrayList<>(names);
  }

  public List<Long> ids() {
    return new ArrayList<>(ids);
  }

  public List<String> data() {
    return new ArrayList<>(data);
  }

  public int heartbeats() {
    return heartbeats.get();
  }

  public void awaitEnd() {
    Awaiting.until("the stream ends", ended::isDone);
    ended.join();
  }

  @Override
  public void onSubscribe(Flow.Subscription some) {
    subscription = some;
    some.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(String line) {
    if (line.startsWith("id:")) {
      ids.add(Long.parseLong(line.substring(3)));
    } else if (line.startsWith("event:")) {
      names.add(line.substring(6));
    } else if (line.startsWith("data:")) {
      data.add(line.substring(5));
    } else if (line.startsWith(":")) {
      heartbeats.incrementAndGet();
    }
  }

  @Override
  public void onError(Throwable failure) {
    ended.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    ended.complete(true);
  }

  @Override
  public void close() {
    var some = subscription;
    if (some != null) {
      some.cancel();
    }
  }
}
