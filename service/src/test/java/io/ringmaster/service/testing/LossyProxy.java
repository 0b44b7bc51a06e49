package io.ringmaster.service.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * Stands between a client and a service. It can swallow replies - what was asked for is done, and
 * nobody hears of it -, it can refuse, as a balancer or a busy service does, and it can cut the
 * line, so that nothing arrives at all.
 */
public final class LossyProxy implements AutoCloseable {

  private static final List<String> OWN =
      List.of("connection", "content-length", "host", "transfer-encoding", "upgrade");

  private final HttpClient client = HttpClient.newHttpClient();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer server;
  private final String target;
  private final AtomicInteger swallowed = new AtomicInteger();
  private volatile Predicate<HttpResponse<byte[]>> swallow = _ -> false;
  private final AtomicInteger refusals = new AtomicInteger();
  private volatile Refusal refusal = new Refusal(503, Map.of(), false);
  private volatile boolean cut;

  public LossyProxy(int port) {
    target = "http://127.0.0.1:" + port;
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(threads);
    server.createContext("/", this::pass);
    server.start();
  }

  public URI address() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** From now on replies like these get lost. */
  public void swallow(Predicate<HttpResponse<byte[]>> replies) {
    swallow = replies;
  }

  /**
   * Answers the next requests with a refusal.
   *
   * @param headers of the refusal
   * @param heard whether the service gets them all the same
   */
  public void refuse(int requests, int status, Map<String, String> headers, boolean heard) {
    refusal = new Refusal(status, headers, heard);
    refusals.set(requests);
  }

  private record Refusal(int status, Map<String, String> headers, boolean heard) {}

  /** How many refusals are still to come. */
  public int refusalsLeft() {
    return refusals.get();
  }

  /** How many replies were lost. */
  public int swallowed() {
    return swallowed.get();
  }

  /** Cuts the line, or mends it. */
  public void cut(boolean now) {
    cut = now;
  }

  private void pass(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (cut) {
        return;
      }
      if (refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        refuse(exchange);
        return;
      }
      var reply = client.send(request(exchange), BodyHandlers.ofByteArray());
      if (cut) {
        return;
      }
      if (swallow.test(reply)) {
        swallowed.incrementAndGet();
        return;
      }
      reply
          .headers()
          .map()
          .forEach(
              (name, values) -> {
                if (isPassedOn(name)) {
                  exchange.getResponseHeaders().put(name, values);
                }
              });
      byte[] body = reply.body();
      exchange.sendResponseHeaders(reply.statusCode(), body.length == 0 ? -1 : body.length);
      if (body.length > 0) {
        exchange.getResponseBody().write(body);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void refuse(HttpExchange exchange) throws IOException, InterruptedException {
    var how = refusal;
    var request = request(exchange);
    if (how.heard()) {
      var _ = client.send(request, BodyHandlers.discarding());
    }
    how.headers().forEach(exchange.getResponseHeaders()::set);
    exchange.sendResponseHeaders(how.status(), -1);
  }

  private HttpRequest request(HttpExchange exchange) throws IOException {
    var request =
        HttpRequest.newBuilder(URI.create(target + exchange.getRequestURI()))
            .method(
                exchange.getRequestMethod(),
                BodyPublishers.ofByteArray(exchange.getRequestBody().readAllBytes()));
    exchange
        .getRequestHeaders()
        .forEach(
            (name, values) -> {
              if (isPassedOn(name)) {
                values.forEach(value -> request.header(name, value));
              }
            });
    return request.build();
  }

  private static boolean isPassedOn(String name) {
    return !name.startsWith(":") && !OWN.contains(name.toLowerCase(Locale.ROOT));
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
    client.shutdownNow();
  }
}
