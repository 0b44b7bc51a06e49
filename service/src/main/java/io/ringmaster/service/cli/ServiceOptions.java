package io.ringmaster.service.cli;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Which service to talk to: shared by every command that does. */
final class ServiceOptions {

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec spec;

  @Option(
      names = "--service",
      paramLabel = "URL",
      defaultValue = "${env:RINGMASTER_SERVICE:-http://localhost:8080}",
      description = "the job service; default RINGMASTER_SERVICE, else http://localhost:8080")
  private String service = "";

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      defaultValue = "${env:RINGMASTER_TOKEN_FILE:-}",
      description =
          "file with the token for a service with a login; RINGMASTER_TOKEN_FILE or"
              + " RINGMASTER_TOKEN without it")
  private String tokenFile = "";

  ServiceClient client() {
    return new ServiceClient(address(), token());
  }

  /** What to prove with who we are. */
  Optional<String> token() {
    if (tokenFile.isEmpty()) {
      // Where pipelines put their secrets; an option would show it to everybody on the machine.
      return Optional.ofNullable(System.getenv("RINGMASTER_TOKEN"))
          .map(String::strip)
          .filter(token -> !token.isEmpty())
          .map(token -> checked("RINGMASTER_TOKEN", token));
    }
    try {
      var token = Files.readString(Path.of(tokenFile)).strip();
      return Optional.of(checked("--token-file: " + tokenFile, token));
    } catch (IOException e) {
      throw usage("--token-file: can't read " + tokenFile + ": " + e.getMessage());
    }
  }

  private String checked(String where, String token) {
    if (token.isEmpty() || token.chars().anyMatch(c -> c <= ' ' || c > '~')) {
      throw usage(where + " must hold one token, visible ASCII characters");
    }
    return token;
  }

  /** Where the service is. */
  URI address() {
    try {
      var uri =
          new URI(service.endsWith("/") ? service.substring(0, service.length() - 1) : service);
      if (uri.getHost() != null && (isScheme(uri, "http") || isScheme(uri, "https"))) {
        return uri;
      }
    } catch (URISyntaxException e) {
      // Said below, together with addresses of other kinds.
    }
    throw usage("--service: '" + service + "' isn't an address such as http://localhost:8080");
  }

  private ParameterException usage(String message) {
    return new ParameterException(
        Objects.requireNonNull(spec, "set by picocli").commandLine(), message);
  }

  private static boolean isScheme(URI uri, String scheme) {
    return scheme.equalsIgnoreCase(uri.getScheme());
  }
}
