package io.ringmaster.service.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Talks to a service and holds every reply against the contract. */
public final class Api {

  private static final JsonMapper JSON = new JsonMapper();
  private static final ContractCheck CONTRACT = new ContractCheck();
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  private final String base;
  private final List<String> always;

  public Api(String base) {
    this(base, List.of());
  }

  private Api(String base, List<String> always) {
    this.base = base;
    this.always = always;
  }

  /** The same service, asked with a token. */
  public Api as(String token) {
    return new Api(base, List.of("Authorization", "Bearer " + token));
  }

  /** A reply that agrees with the contract. */
  public record Reply(int status, HttpResponse<byte[]> response) {

    public String text() {
      return new String(response.body(), StandardCharsets.UTF_8);
    }

    public JsonNode json() {
      return JSON.readTree(text());
    }

    /** A text property of the JSON, empty when it is absent. */
    public String get(String name) {
      return json().path(name).asString("");
    }

    public Optional<String> header(String name) {
      return response.headers().firstValue(name);
    }

    public Reply expect(int expected) {
      assertThat(status).as(text()).isEqualTo(expected);
      return this;
    }

    /** Pointers, parameters and headers of the problem's errors. */
    public List<String> places() {
      var places = new ArrayList<String>();
      for (var error : json().path("errors")) {
        for (var name : List.of("pointer", "parameter", "header")) {
          if (error.has(name)) {
            places.add(error.get(name).asString());
          }
        }
      }
      return places;
    }
  }

  public Reply get(String path, String... headers) {
    return send(request(path, headers).GET());
  }

  public Reply delete(String path) {
    return send(request(path).DELETE());
  }

  public Reply post(String path) {
    return send(request(path).POST(BodyPublishers.noBody()));
  }

  public Reply postJson(String path, String body, String... headers) {
    return postBytes(path, body.getBytes(StandardCharsets.UTF_8), "application/json", headers);
  }

  public Reply putJson(String path, String body) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .PUT(BodyPublishers.ofString(body)));
  }

  public Reply patchJson(String path, String body) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .method("PATCH", BodyPublishers.ofString(body)));
  }

  public Reply postBytes(String path, byte[] body, String type, String... headers) {
    return send(
        request(path, headers).header("Content-Type", type).POST(BodyPublishers.ofByteArray(body)));
  }

  public Reply postForm(String path, Form form) {
    return postBytes(path, form.bytes(), "multipart/form-data; boundary=" + Form.BOUNDARY);
  }

  /** The shortest submission of a script, as JSON. */
  public static String job(String script, String more) {
    return "{\"script\":%s,\"platform\":\"a2a3sim\",\"devices\":[0,1,2,3]%s}"
        .formatted(JSON.writeValueAsString(script), more.isEmpty() ? "" : "," + more);
  }

  /** Submits a script and waits until it is finished. */
  public Reply run(String script) {
    return postJson("/api/v1/jobs?wait=60", job(script, "")).expect(200);
  }

  /** Submits a script, and gives the job's id. */
  public String submit(String script, String more) {
    return postJson("/api/v1/jobs", job(script, more)).expect(202).get("id");
  }

  private HttpRequest.Builder request(String path, String... headers) {
    var request = HttpRequest.newBuilder(URI.create(base + path)).timeout(Duration.ofMinutes(3));
    var all = new ArrayList<>(always);
    all.addAll(List.of(headers));
    return all.isEmpty() ? request : request.headers(all.toArray(String[]::new));
  }

  private Reply send(HttpRequest.Builder builder) {
    var request = builder.build();
    try {
      var response = CLIENT.send(request, BodyHandlers.ofByteArray());
      CONTRACT.check(request, response);
      return new Reply(response.statusCode(), response);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** A multipart form. */
  public static final class Form {

    static final String BOUNDARY = "----ringmaster-test";
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    public Form field(String name, String value) {
      part("name=\"" + name + "\"", value.getBytes(StandardCharsets.UTF_8));
      return this;
    }

    public Form file(String name, String fileName, byte[] content) {
      part("name=\"" + name + "\"; filename=\"" + fileName + "\"", content);
      return this;
    }

    private void part(String disposition, byte[] content) {
      write("--" + BOUNDARY + "\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n");
      out.writeBytes(content);
      write("\r\n");
    }

    private void write(String text) {
      out.writeBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    byte[] bytes() {
      write("--" + BOUNDARY + "--\r\n");
      return out.toByteArray();
    }
  }
}
