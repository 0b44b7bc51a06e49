package io.ringmaster.service.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.testing.TestService;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class DocsPageTest {

  @Test
  void theContractCanBeBrowsedWithoutAnyNetwork() {
    try (var service = TestService.inMemory()) {
      var api = service.api();
      var page = api.get("/docs").expect(200);
      assertThat(page.header("Content-Type").orElse("")).startsWith("text/html");
      assertThat(page.header("Content-Security-Policy").orElse("")).contains("default-src 'self'");
      assertThat(page.header("X-Content-Type-Options")).contains("nosniff");
      assertThat(page.header("X-Frame-Options")).contains("DENY");
      assertThat(page.text()).doesNotContain("http:", "https:", "//");
      var parts = Pattern.compile("(?:src|href)=\"([^\"]+)\"").matcher(page.text());
      int count = 0;
      while (parts.find()) {
        count++;
        assertThat(api.get(parts.group(1)).expect(200).response().body()).isNotEmpty();
      }
      assertThat(count).isEqualTo(4);
      assertThat(api.get("/docs/start.js").text()).contains("/openapi.yaml");
      assertThat(api.get("/openapi.yaml").expect(200).text()).startsWith("openapi: 3.1.0");
      assertThat(api.get("/docs/oauth2-redirect.js").expect(404).get("code"))
          .isEqualTo("NOT_FOUND");
    }
  }
}
