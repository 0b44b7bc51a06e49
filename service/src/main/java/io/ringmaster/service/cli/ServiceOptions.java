package io.ringmaster.service.cli;

import io.ringmaster.worker.agent.ServiceTrust;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Which service to talk to, and who asks. */
class ServiceOptions {

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

  @Option(
      names = "--ca-file",
      paramLabel = "FILE",
      defaultValue = "${env:RINGMASTER_CA_FILE:-}",
      description =
          "PEM certificates of those who may have signed the service's; default"
              + " RINGMASTER_CA_FILE, else those that Java trusts")
  private String caFile = "";

  /** Whose signature makes the service's certificate believable, if that was said. */
  final Optional<SSLContext> trust() {
    if (caFile.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(ServiceTrust.only(Path.of(caFile)));
    } catch (NoSuchFileException e) {
      throw usage("--ca-file: there is no file " + caFile);
    } catch (IOException e) {
      throw usage("--ca-file: can't use " + caFile + ": " + e.getMessage());
    }
  }

  /** What to prove with who we are. */
  final Optional<String> token() {
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
  final URI address() {
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

  final ParameterException usage(String message) {
    return new ParameterException(line(), message);
  }

  /** The command that these belong to. */
  final CommandLine line() {
    return Objects.requireNonNull(spec, "set by picocli").commandLine();
  }

  private static boolean isScheme(URI uri, String scheme) {
    return scheme.equalsIgnoreCase(uri.getScheme());
  }
}
