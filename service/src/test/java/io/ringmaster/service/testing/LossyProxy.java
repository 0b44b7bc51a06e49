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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * Stands between a client and a service. It can swallow replies - what was asked for is done, and
 * nobody hears of it - and it can cut the line, so that nothing arrives at all.
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
