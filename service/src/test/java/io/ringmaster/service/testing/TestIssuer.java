package io.ringmaster.service.testing;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.json.JsonMapper;

/** A little issuer of tokens, with a discovery document and keys that it can exchange. */
public final class TestIssuer implements AutoCloseable {

  private static final JsonMapper JSON = new JsonMapper();

  private final HttpServer server;
  private final AtomicInteger fetches = new AtomicInteger();
  private volatile RSAKey key = newKey("first");
  private volatile boolean away;

  private TestIssuer(HttpServer server) {
    this.server = server;
  }

  public static TestIssuer start() {
    try {
      var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      var issuer = new TestIssuer(server);
      server.createContext(
          "/realm/.well-known/openid-configuration",
          exchange ->
              issuer.reply(
                  exchange,
                  "{\"issuer\": \"%s\", \"jwks_uri\": \"%s/keys\"}"
                      .formatted(issuer.address(), issuer.address())));
      server.createContext(
          "/realm/keys",
          exchange -> {
            issuer.fetches.incrementAndGet();
            issuer.reply(
                exchange,
                JSON.writeValueAsString(new JWKSet(issuer.key.toPublicJWK()).toJSONObject(true)));
          });
      server.start();
      return issuer;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void reply(HttpExchange exchange, String body) throws IOException {
    var bytes = body.getBytes(StandardCharsets.UTF_8);
    try (exchange) {
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(away ? 503 : 200, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  public String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/realm";
  }

  /** How often somebody has asked for the keys. */
  public int fetches() {
    return fetches.get();
  }

  /** Whether it answers nothing but 503. */
  public void away(boolean isAway) {
    away = isAway;
  }

  private static RSAKey newKey(String id) {
    try {
      return new RSAKeyGenerator(2048).keyID(id).generate();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Exchanges its key for a new one. */
  public void rotate(String id) {
    key = newKey(id);
  }

  /** The claims of a good token. */
  public JWTClaimsSet.Builder claims(String owner, String... roles) {
    var now = Instant.now();
    return new JWTClaimsSet.Builder()
        .issuer(address())
        .audience(List.of("ringmaster"))
        .subject(owner)
        .claim("roles", List.of(roles))
        .issueTime(Date.from(now.minus(Duration.ofHours(1))))
        .expirationTime(Date.from(now.plus(Duration.ofMinutes(5))));
  }

  /** A good token. */
  public String token(String owner, String... roles) {
    return token(claims(owner, roles).build());
  }

  /** A token with these claims, signed with the key of now. */
  public String token(JWTClaimsSet claims) {
    return signed(claims, key);
  }

  /** A token that names a key that the issuer has never had. */
  public String withKeyId(String id, JWTClaimsSet claims) {
    return signed(claims, new RSAKey.Builder(key).keyID(id).build());
  }

  /** A token with these claims, signed with a key that isn't the issuer's but says so. */
  public String forged(JWTClaimsSet claims) {
    return signed(claims, newKey(key.getKeyID()));
  }

  private static String signed(JWTClaimsSet claims, RSAKey with) {
    try {
      var header =
          new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(with.getKeyID()).type(JOSEObjectType.JWT);
      var jwt = new SignedJWT(header.build(), claims);
      jwt.sign(new RSASSASigner(with));
      return jwt.serialize();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The issuer's public key as somebody would misuse it as a shared secret. */
  public byte[] publicKeyBytes() {
    try {
      return key.toRSAPublicKey().getEncoded();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
