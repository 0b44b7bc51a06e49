package io.ringmaster.service.security;

import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads from the claims of a token what its owner may do. */
final class JwtRoles {

  private static final Pattern SPACES = Pattern.compile(" +");
  private static final Pattern DOTS = Pattern.compile("\\.");

  private final String claim;
  private final Map<Role, Set<String>> values = new EnumMap<>(Role.class);

  /**
   * The rules.
   *
   * @param claim its name, or the way to it through objects, with dots
   * @param mapping by a role's name, the values that stand for it
   * @throws IllegalStateException naming a role that there isn't
   */
  JwtRoles(String claim, Map<String, List<String>> mapping) {
    this.claim = claim;
    for (var role : Role.values()) {
      values.put(role, Set.of(text(role)));
    }
    mapping.forEach((name, some) -> values.put(role(name), Set.copyOf(some)));
  }

  private static String text(Role role) {
    return role.name().toLowerCase(Locale.ROOT);
  }

  private static Role role(String name) {
    return Arrays.stream(Role.values())
        .filter(role -> role.name().equalsIgnoreCase(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "ringmaster.security.oidc.roles.%s: there are the roles %s."
                        .formatted(
                            name,
                            Arrays.stream(Role.values())
                                .map(JwtRoles::text)
                                .collect(Collectors.joining(", ")))));
  }

  /** All roles that the claims give. */
  EnumSet<Role> of(Map<String, Object> claims) {
    var given = texts(claims);
    var roles = EnumSet.noneOf(Role.class);
    values.forEach(
        (role, some) -> {
          if (given.stream().anyMatch(some::contains)) {
            roles.add(role);
          }
        });
    return roles;
  }

  /** A list of texts, or one text with spaces as {@code scope} is. */
  private List<String> texts(Map<String, Object> claims) {
    return switch (value(claims)) {
      case String text -> List.of(SPACES.split(text, -1));
      case Collection<?> all ->
          all.stream().filter(String.class::isInstance).map(String.class::cast).toList();
      case null, default -> List.of();
    };
  }

  /** Some issuers have claims whose names are addresses, with dots in them. */
  private @Nullable Object value(Map<String, Object> claims) {
    if (claims.containsKey(claim)) {
      return claims.get(claim);
    }
    Object at = claims;
    for (var step : DOTS.split(claim, -1)) {
      at = at instanceof Map<?, ?> some ? some.get(step) : null;
    }
    return at;
  }
}
