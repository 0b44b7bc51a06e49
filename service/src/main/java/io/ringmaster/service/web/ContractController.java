package io.ringmaster.service.web;

import io.ringmaster.service.problems.ProblemException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Properties;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Hands out the contract itself, and a page to browse it with. */
@RestController
class ContractController {

  private static final String POLICY = "Content-Security-Policy";

  /** Nothing from elsewhere; the page sets styles of its own elements. */
  private static final String LOCAL_ONLY =
      "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;"
          + " frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

  private static final String PAGE =
      """
      <!doctype html>
      <html lang="en">
      <head>
        <meta charset="utf-8">
        <title>Ringmaster's HTTP interface</title>
        <link rel="stylesheet" href="/docs/swagger-ui.css">
        <link rel="icon" href="/docs/favicon-32x32.png">
      </head>
      <body>
        <div id="page"></div>
        <script src="/docs/swagger-ui-bundle.js"></script>
        <script src="/docs/start.js"></script>
      </body>
      </html>
      """;

  private static final String START =
      """
      SwaggerUIBundle({url: '/openapi.yaml', dom_id: '#page', deepLinking: true, validatorUrl: null});
      """;

  private static final Map<String, MediaType> FILES =
      Map.of(
          "swagger-ui.css", MediaType.valueOf("text/css"),
          "swagger-ui-bundle.js", MediaType.valueOf("text/javascript"),
          "favicon-32x32.png", MediaType.IMAGE_PNG);

  private final Contract contract;

  ContractController(Contract contract) {
    this.contract = contract;
  }

  @GetMapping("/openapi.yaml")
  ResponseEntity<String> contract() {
    return ResponseEntity.ok().contentType(MediaType.APPLICATION_YAML).body(contract.text());
  }

  @GetMapping({"/docs", "/docs/"})
  ResponseEntity<String> page() {
    return ResponseEntity.ok()
        .header(POLICY, LOCAL_ONLY)
        .contentType(MediaType.valueOf("text/html;charset=UTF-8"))
        .body(PAGE);
  }

  @GetMapping("/docs/start.js")
  ResponseEntity<String> start() {
    return ResponseEntity.ok()
        .contentType(MediaType.valueOf("text/javascript;charset=UTF-8"))
        .body(START);
  }

  /** The page's parts come out of this build, so that it works without any network. */
  @GetMapping("/docs/{file}")
  ResponseEntity<Resource> part(@PathVariable String file) {
    var type = FILES.get(file);
    if (type == null) {
      throw ProblemException.notFound("The page /docs has no part of that name.");
    }
    return ResponseEntity.ok()
        .contentType(type)
        .body(
            new ClassPathResource(
                "META-INF/resources/webjars/swagger-ui/" + version() + "/" + file));
  }

  private static String version() {
    var properties = new Properties();
    try (var in =
        new ClassPathResource("META-INF/maven/org.webjars/swagger-ui/pom.properties")
            .getInputStream()) {
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException("The parts of /docs are not in this build.", e);
    }
    return properties.getProperty("version");
  }
}
