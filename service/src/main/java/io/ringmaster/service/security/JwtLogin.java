package io.ringmaster.service.security;

import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.RateLimitReachedException;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import io.ringmaster.service.config.RingmasterProperties.Oidc;
import java.net.URI;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2Error;
import org.springframework.security.oauth2.jwt.BadJwtException;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtClaimValidator;
import org.springframework.security.oauth2.jwt.JwtException;
import org.springframework.security.oauth2.jwt.JwtIssuerValidator;
import org.springframework.security.oauth2.jwt.JwtTimestampValidator;
import org.springframework.security.oauth2.jwt.JwtValidationException;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;

/**
 * Lets in who has a token of the issuer: signed by one of its keys, meant for this service, and not
 * expired.
 */
final class JwtLogin {

  private static final Logger LOG = LoggerFactory.getLogger(JwtLogin.class);

  /** Nothing that a public key could be passed off as a secret for, and nothing unsigned. */
  private static final Set<JWSAlgorithm> ALGORITHMS =
      Set.of(
          JWSAlgorithm.RS256,
          JWSAlgorithm.RS384,
          JWSAlgorithm.RS512,
          JWSAlgorithm.PS256,
          JWSAlgorithm.PS384,
          JWSAlgorithm.PS512,
          JWSAlgorithm.ES256,
          JWSAlgorithm.ES384,
          JWSAlgorithm.ES512);

  private static final Pattern FORM = Pattern.compile("[\\w-]+\\.[\\w-]*\\.[\\w-]*");
  private static final Pattern OWNER = Pattern.compile("\\P{Cntrl}{1,100}");

  private final NimbusJwtDecoder decoder;
  private final Oidc settings;
  private final JwtRoles roles;

  JwtLogin(Oidc settings, JWKSource<SecurityContext> keys) {
    this.settings = settings;
    this.roles = new JwtRoles(settings.rolesClaim(), settings.roles());
    var processor = new DefaultJWTProcessor<SecurityContext>();
    processor.setJWSKeySelector(new JWSVerificationKeySelector<>(ALGORITHMS, keys));
    processor.setJWSTypeVerifier(
        new DefaultJOSEObjectTypeVerifier<>(
            JOSEObjectType.JWT, new JOSEObjectType("at+jwt"), null));
    processor.setJWTClaimsSetVerifier((_, _) -> {}); // the validators below do that
    decoder = new NimbusJwtDecoder(processor);
    var times = new JwtTimestampValidator(settings.clockSkew());
    times.setAllowEmptyExpiryClaim(false);
    decoder.setJwtValidator(
        new DelegatingOAuth2TokenValidator<>(
            times,
            new JwtIssuerValidator(String.valueOf(settings.issuer())),
            new JwtClaimValidator<Collection<String>>(
                "aud",
                given ->
                    given != null && given.stream().anyMatch(settings.audiences()::contains))));
  }

  /** Whether a secret looks like a JSON Web Token at all. */
  static boolean isMeant(String secret) {
    return FORM.matcher(secret).matches();
  }

  /** Whom a token stands for. */
  Login find(String token) {
    try {
      return as(decoder.decode(token));
    } catch (JwtValidationException e) {
      return refused(
          e.getErrors().stream()
              .map(OAuth2Error::getDescription)
              .distinct()
              .collect(Collectors.joining("; ")));
    } catch (BadJwtException e) {
      return refused(
          String.valueOf(e.getMessage())
              .replaceFirst("^An error occurred while attempting to decode the Jwt: ", ""));
    } catch (JwtException e) {
      if (isOfRate(e)) {
        return refused("none of its issuer's keys has signed it");
      }
      LOG.warn("Cannot have the keys of {}: {}", settings.issuer(), rootMessage(e));
      return new Login.Unknowable(
          "The keys of the issuer %s can't be fetched, so nobody can say whether this token is good."
              .formatted(settings.issuer()));
    }
  }

  private Login as(Jwt jwt) {
    var owner = jwt.getClaims().get(settings.ownerClaim());
    if (!(owner instanceof String name) || !OWNER.matcher(name).matches()) {
      return refused(
          "its claim %s, which says whose it is, is no text of 1 to 100 characters"
              .formatted(settings.ownerClaim()));
    }
    return new Login.As(new TokenAuthentication(name, roles.of(jwt.getClaims())));
  }

  private static Login refused(String reason) {
    return new Login.Refused("This token is not let in: %s.".formatted(reason));
  }

  /** An unknown key, after enough others were looked for. */
  private static boolean isOfRate(Throwable e) {
    Throwable cause = e;
    while (cause != null) {
      if (cause instanceof RateLimitReachedException) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  private static String rootMessage(Throwable e) {
    Throwable root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.toString();
  }

  /**
   * The login that settings ask for, if they do.
   *
   * @throws IllegalStateException naming the setting that can't be
   */
  static Optional<JwtLogin> of(Oidc settings) {
    var issuer = settings.issuer();
    if (issuer == null) {
      return Optional.empty();
    }
    if (settings.audiences().isEmpty()) {
      throw new IllegalStateException(
          "ringmaster.security.oidc.audiences must say what tokens for this service have in aud;"
              + " else those that the issuer made for others would be let in.");
    }
    requireSecure("issuer", issuer);
    var jwksUri = Optional.ofNullable(settings.jwksUri());
    jwksUri.ifPresent(uri -> requireSecure("jwks-uri", uri));
    return Optional.of(new JwtLogin(settings, new IssuerKeys(issuer, jwksUri)));
  }

  /** Keys that somebody in between could have exchanged would let everybody in. */
  private static void requireSecure(String name, URI uri) {
    var host = String.valueOf(uri.getHost());
    boolean isHere = host.equals("localhost") || host.equals("[::1]") || host.startsWith("127.");
    if (!"https".equals(uri.getScheme()) && !("http".equals(uri.getScheme()) && isHere)) {
      throw new IllegalStateException(
          "ringmaster.security.oidc.%s is %s; it must be an https address (http only on this machine)."
              .formatted(name, uri));
    }
  }
}
