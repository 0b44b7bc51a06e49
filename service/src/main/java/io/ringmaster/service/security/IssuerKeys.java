package io.ringmaster.service.security;

import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.RemoteKeySourceException;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.DefaultResourceRetriever;
import com.nimbusds.jose.util.JSONObjectUtils;
import java.io.IOException;
import java.net.URI;
import java.text.ParseException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An issuer's keys, fetched when they are first needed and kept: the service starts, and tokens of
 * its own file work, while the issuer is away. A key that isn't among them is looked for again, but
 * not more often than twice in half a minute, since anybody can send tokens with invented keys.
 */
final class IssuerKeys implements JWKSource<SecurityContext> {

  private static final int CONNECT_MILLIS = 5_000;
  private static final int READ_MILLIS = 5_000;
  private static final int MOST_BYTES = 1 << 20;
  private static final long PAUSE_NANOS = Duration.ofSeconds(5).toNanos();

  private final URI issuer;
  private final Optional<URI> jwksUri;
  private final DefaultResourceRetriever retriever =
      new DefaultResourceRetriever(CONNECT_MILLIS, READ_MILLIS, MOST_BYTES);
  private volatile @Nullable JWKSource<SecurityContext> keys;
  private @Nullable KeySourceException failure;
  private long failedAt;

  IssuerKeys(URI issuer, Optional<URI> jwksUri) {
    this.issuer = issuer;
    this.jwksUri = jwksUri;
  }

  @Override
  public List<JWK> get(JWKSelector selector, @Nullable SecurityContext context)
      throws KeySourceException {
    var found = keys;
    return (found == null ? find() : found).get(selector, context);
  }

  /** Those who come while it can't be found are told so at once for a while. */
  private synchronized JWKSource<SecurityContext> find() throws KeySourceException {
    var found = keys;
    if (found != null) {
      return found;
    }
    if (failure != null && System.nanoTime() - failedAt < PAUSE_NANOS) {
      throw failure;
    }
    try {
      var uri = jwksUri.isPresent() ? jwksUri.get() : discover();
      found =
          JWKSourceBuilder.<SecurityContext>create(uri.toURL(), retriever)
              .retrying(true)
              .outageTolerant(true)
              .build();
      keys = found;
      return found;
    } catch (IOException | ParseException | IllegalArgumentException e) {
      failure = new RemoteKeySourceException(String.valueOf(e.getMessage()), e);
      failedAt = System.nanoTime();
      throw failure;
    }
  }

  /** OpenID Connect Discovery 1.0, section 4. */
  private URI discover() throws IOException, ParseException {
    var place =
        URI.create(issuer.toString().replaceFirst("/$", "") + "/.well-known/openid-configuration");
    var document = JSONObjectUtils.parse(retriever.retrieveResource(place.toURL()).getContent());
    var named = JSONObjectUtils.getString(document, "issuer");
    if (!issuer.toString().equals(named)) {
      throw new IOException(
          place + " is of the issuer " + named + "; ringmaster.security.oidc.issuer is " + issuer);
    }
    var uri = JSONObjectUtils.getString(document, "jwks_uri");
    if (uri == null) {
      throw new IOException(place + " names no jwks_uri");
    }
    return URI.create(uri);
  }
}
