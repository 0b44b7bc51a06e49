package io.ringmaster.service.cli;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Objects;
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

  ServiceClient client() {
    return new ServiceClient(address());
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
    throw new ParameterException(
        Objects.requireNonNull(spec, "set by picocli").commandLine(),
        "--service: '" + service + "' isn't an address such as http://localhost:8080");
  }

  private static boolean isScheme(URI uri, String scheme) {
    return scheme.equalsIgnoreCase(uri.getScheme());
  }
}
