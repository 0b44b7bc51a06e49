package io.ringmaster.service.testing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/** Sends bytes that no client library would send. */
public final class RawHttp {

  private static final int TIMEOUT_MILLIS = 20_000;

  private final int port;

  public RawHttp(int port) {
    this.port = port;
  }

  /** What came back, up to the end of the connection. */
  public record Reply(int status, String head, String body) {

    public Optional<String> header(String name) {
      return Arrays.stream(head.split("\r\n", -1))
          .filter(line -> line.regionMatches(true, 0, name + ":", 0, name.length() + 1))
          .map(line -> line.substring(name.length() + 1).strip())
          .findFirst();
    }
  }

  /** Sends a request, every character as one byte, and reads until the service closes. */
  public Reply send(String request) {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      var out = new ByteArrayOutputStream();
      try {
        socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
        socket.getInputStream().transferTo(out);
      } catch (SocketException e) {
        // Closed while we were still sending: what came until then is the reply.
        out.flush();
      }
      return parse(out.toString(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Reply parse(String text) {
    int end = text.indexOf("\r\n\r\n");
    if (end < 0) {
      return new Reply(0, text, "");
    }
    var body = text.substring(end + 4);
    // Chunked or not: the JSON is between its first and its last brace.
    var json =
        body.indexOf('{') < 0 ? body : body.substring(body.indexOf('{'), body.lastIndexOf('}') + 1);
    return new Reply(Integer.parseInt(text.substring(9, 12)), text.substring(0, end), json);
  }
}
