package io.ringmaster.service.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import io.ringmaster.service.testing.Api;
import io.ringmaster.service.testing.TestIssuer;
import io.ringmaster.service.testing.TestService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** A service that lets in tokens of a real issuer beside those of a file. */
@TestInstance(Lifecycle.PER_CLASS)
class OidcTest {

  private static final String JOBS = "/api/v1/jobs";

  private final TestIssuer issuer = TestIssuer.start();
  private final String file = Token.random();
  private TestService service;
  private Api api;

  @BeforeAll
  void start(@TempDir Path folder) throws IOException {
    var tokens = new Token("frank", Role.SUBMITTER, Token.digestOf(file)).line();
    service =
        TestService.inMemory(
            "--ringmaster.security.tokens-file=" + Files.writeString(folder.resolve("t"), tokens),
            "--ringmaster.security.oidc.issuer=" + issuer.address(),
            "--ringmaster.security.oidc.audiences=ringmaster",
            "--ringmaster.security.oidc.roles.operator=sre,platform-admins",
            "--ringmaster.quotas.owners[ann@example.org].devices=2");
    api = service.api();
  }

  @AfterAll
  void stop() {
    service.close();
    issuer.close();
  }

  private int asked(String token) {
    return api.as(token).get(JOBS).status();
  }

  private String refusal(String token) {
    var reply = api.as(token).get(JOBS).expect(401);
    assertThat(reply.header("WWW-Authenticate")).contains("Bearer error=\"invalid_token\"");
    assertThat(reply.get("code")).isEqualTo("UNAUTHENTICATED");
    return reply.get("detail");
  }

  private static Date inSeconds(long seconds) {
    return Date.from(Instant.now().plusSeconds(seconds));
  }

  @Test
  void aTokenOfTheIssuerLetsInAndItsSubjectOwnsWhatItSubmits() {
    var ann = api.as(issuer.token("ann@example.org", "submitter"));
    var id = ann.postJson(JOBS + "?wait=30", job("[0, 1]")).expect(200).get("id");
    ann.get(JOBS + "/" + id).expect(200);
    api.as(issuer.token("bob", "submitter")).get(JOBS + "/" + id).expect(404);
    api.as(file).get(JOBS + "/" + id).expect(404);
    api.as(issuer.token("eve", "viewer")).get(JOBS + "/" + id).expect(200);
    var owners = service.jdbc().sql("select distinct owner from job").query(String.class).list();
    assertThat(owners).contains("ann@example.org");
    assertThat(ann.postJson(JOBS, job("[0, 1, 2]")).expect(422).get("code"))
        .isEqualTo("BEYOND_QUOTA");
  }

  private static String job(String devices) {
    return "{\"script\": \"x = 1\", \"platform\": \"sim\", \"devices\": %s}".formatted(devices);
  }

  @Test
  void tokensOfTheFileGoOnToWork() {
    assertThat(asked(file)).isEqualTo(200);
    assertThat(refusal("rm_guessed")).startsWith("This token is not known here.");
  }

  @Test
  void rolesComeFromTheClaimByTheirNamesOrByThoseThatAreSet() {
    var drain = "{\"enabled\": false}";
    api.as(issuer.token("olga", "sre", "other")).putJson("/api/v1/maintenance", drain).expect(200);
    // A value that another one stands for isn't that role any more.
    api.as(issuer.token("olga", "operator")).putJson("/api/v1/maintenance", drain).expect(403);
    api.as(issuer.token("eve", "viewer")).postJson(JOBS, job("[0]")).expect(403);
    api.as(issuer.token("w", "worker")).get(JOBS).expect(403);
    var both = api.as(issuer.token("both", "viewer", "submitter"));
    both.postJson(JOBS, job("[0]")).expect(202);
    both.get(JOBS).expect(200);
  }

  @Test
  void aTokenWithoutARoleIsGoodForNothing() {
    for (var token :
        List.of(
            issuer.token("nobody"),
            issuer.token("nobody", "janitor"),
            issuer.token(issuer.claims("nobody").claim("roles", 7).build()),
            issuer.token(issuer.claims("nobody").claim("roles", null).build()))) {
      var refused = api.as(token).get(JOBS).expect(403);
      assertThat(refused.get("detail")).contains("gives no role here");
      api.as(token).get("/openapi.yaml").expect(200);
    }
  }

  @Test
  void anExpiredTokenIsRefusedAndAClockMayDifferALittle() {
    var late = issuer.claims("ann", "viewer");
    assertThat(refusal(issuer.token(late.expirationTime(inSeconds(-120)).build())))
        .contains("Jwt expired at");
    assertThat(asked(issuer.token(late.expirationTime(inSeconds(-20)).build()))).isEqualTo(200);
    assertThat(refusal(issuer.token(late.expirationTime(null).build()))).contains("exp");
    var early = issuer.claims("ann", "viewer");
    assertThat(refusal(issuer.token(early.notBeforeTime(inSeconds(120)).build())))
        .contains("Jwt used before");
  }

  @Test
  void aTokenForOthersOrOfOthersIsRefused() {
    assertThat(refusal(issuer.token(issuer.claims("a", "viewer").audience("other").build())))
        .contains("aud claim");
    assertThat(refusal(issuer.token(issuer.claims("a", "viewer").audience((String) null).build())))
        .contains("aud claim");
    assertThat(
            asked(
                issuer.token(
                    issuer.claims("a", "viewer").audience(List.of("x", "ringmaster")).build())))
        .isEqualTo(200);
    assertThat(refusal(issuer.token(issuer.claims("a", "viewer").issuer("http://evil").build())))
        .contains("iss claim");
    assertThat(refusal(issuer.token(issuer.claims("x".repeat(101), "viewer").build())))
        .contains("its claim sub");
    assertThat(refusal(issuer.token(issuer.claims("a", "viewer").subject(null).build())))
        .contains("its claim sub");
  }

  @Test
  void whatTheIssuersKeyHasNotSignedIsRefused() throws JOSEException {
    var claims = issuer.claims("ann", "sre").build();
    assertThat(refusal(issuer.forged(claims))).contains("Invalid signature");
    assertThat(refusal(new PlainJWT(claims).serialize())).contains("algorithm of none");
    assertThat(refusal(withPublicKeyAsSecret(claims))).contains("This token is not let in");
    var good = issuer.token(claims);
    var parts = good.split("\\.", -1);
    var other = issuer.token(issuer.claims("mallory", "sre").build()).split("\\.", -1);
    assertThat(refusal(parts[0] + "." + other[1] + "." + parts[2])).contains("signature");
    assertThat(refusal(parts[0] + "." + parts[1] + ".")).contains("not let in");
    assertThat(refusal("a.b.c")).contains("not let in");
    assertThat(asked(good)).isEqualTo(200);
  }

  private String withPublicKeyAsSecret(JWTClaimsSet claims) throws JOSEException {
    var jwt = new SignedJWT(new JWSHeader(JWSAlgorithm.HS256), claims);
    jwt.sign(new MACSigner(issuer.publicKeyBytes()));
    return jwt.serialize();
  }

  @Test
  void anExchangedKeyIsFoundAndTheOldOneIsGone() {
    try (var other = TestIssuer.start();
        var small = service(other)) {
      var before = other.token("ann", "viewer");
      small.api().as(before).get(JOBS).expect(200);
      other.rotate("second");
      small.api().as(other.token("ann", "viewer")).get(JOBS).expect(200);
      small.api().as(before).get(JOBS).expect(401);
      // Invented keys make nobody ask the issuer for each of them.
      for (int i = 0; i < 40; i++) {
        var invented = other.withKeyId("invented" + i, other.claims("ann", "viewer").build());
        small.api().as(invented).get(JOBS).expect(401);
      }
      assertThat(other.fetches()).isLessThan(20);
    }
  }

  private static TestService service(TestIssuer issuer) {
    return TestService.inMemory(
        "--ringmaster.security.oidc.issuer=" + issuer.address(),
        "--ringmaster.security.oidc.audiences=ringmaster",
        "--ringmaster.workers.embedded=0");
  }

  /** It starts without the issuer, says why nobody gets in, and needs no restart. */
  @Test
  void anIssuerThatIsAwayIsNobodysFault() {
    try (var other = TestIssuer.start()) {
      other.away(true);
      try (var small = service(other)) {
        var refused = small.api().as(other.token("ann", "viewer")).get(JOBS).expect(503);
        assertThat(refused.get("detail")).contains("keys of the issuer " + other.address());
        assertThat(refused.header("Retry-After")).contains("5");
        small.api().get(JOBS).expect(401);
      }
    }
  }

  @Test
  void rolesMayLieDeepOrBeOneText() {
    var deep = new JwtRoles("realm_access.roles", Map.of("viewer", List.of("read")));
    assertThat(deep.of(Map.of("realm_access", Map.of("roles", List.of("read", "worker")))))
        .containsExactlyInAnyOrder(Role.VIEWER, Role.WORKER);
    var dotted = new JwtRoles("https://example.org/roles", Map.of());
    assertThat(dotted.of(Map.of("https://example.org/roles", "submitter openid")))
        .containsExactly(Role.SUBMITTER);
    assertThatThrownBy(() -> new JwtRoles("roles", Map.of("boss", List.of("x"))))
        .hasMessageContaining("oidc.roles.boss")
        .hasMessageContaining("viewer, submitter, operator, worker");
  }

  @Test
  void settingsThatWouldLetInOthersAreRefusedAtTheStart() {
    assertThatThrownBy(
            () ->
                TestService.inMemory("--ringmaster.security.oidc.issuer=" + issuer.address())
                    .close())
        .rootCause()
        .hasMessageContaining("ringmaster.security.oidc.audiences");
    assertThatThrownBy(
            () ->
                TestService.inMemory(
                        "--ringmaster.security.oidc.issuer=http://issuer.example.org",
                        "--ringmaster.security.oidc.audiences=ringmaster")
                    .close())
        .rootCause()
        .hasMessageContaining("must be an https address");
  }

  @Test
  void anIssuerIsLoginEnoughToListenForOthers() {
    try (var open =
        TestService.inMemory(
            "--server.address=0.0.0.0",
            "--ringmaster.security.oidc.issuer=" + issuer.address(),
            "--ringmaster.security.oidc.audiences=ringmaster",
            "--ringmaster.workers.embedded=0")) {
      open.api().get(JOBS).expect(401);
      open.api().as(issuer.token("ann", "viewer")).get(JOBS).expect(200);
    }
  }
}
