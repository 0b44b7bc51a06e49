package io.ringmaster.service.security;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The tokens that are let in; none when there is no login. */
final class Tokens {

  private static final Pattern LINE = Pattern.compile("(\\S{1,100})\\s+(\\S+)\\s+([0-9a-f]{64})");

  private final List<Token> tokens;

  private Tokens(List<Token> tokens) {
    this.tokens = List.copyOf(tokens);
  }

  static Tokens none() {
    return new Tokens(List.of());
  }

  /**
   * Reads a file: a line for each token, empty lines and lines that begin with {@code #} aside.
   *
   * @throws IllegalStateException naming the line that isn't one
   */
  static Tokens read(Path file) {
    var tokens = new ArrayList<Token>();
    var digests = new HashSet<String>();
    int number = 0;
    for (String line : lines(file)) {
      number++;
      if (!line.isBlank() && !line.startsWith("#")) {
        var token = token(line.strip(), file + ", line " + number);
        if (!digests.add(token.digest())) {
          throw new IllegalStateException(file + ", line " + number + ": a token is there twice.");
        }
        tokens.add(token);
      }
    }
    if (tokens.isEmpty()) {
      throw new IllegalStateException(
          file + " has no token. Make one with `ringmaster token NAME --role ROLE`.");
    }
    return new Tokens(tokens);
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new IllegalStateException("Can't read the tokens of " + file + ": " + e, e);
    }
  }

  private static Token token(String line, String place) {
    var match = LINE.matcher(line);
    if (!match.matches()) {
      throw new IllegalStateException(
          place
              + ": a line has a name, a role and the SHA-256 of a token. Make one with"
              + " `ringmaster token NAME --role ROLE`.");
    }
    var role =
        Arrays.stream(Role.values())
            .filter(some -> some.name().equalsIgnoreCase(match.group(2)))
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        place
                            + ": '"
                            + match.group(2)
                            + "' is no role; there are "
                            + Arrays.stream(Role.values())
                                .map(some -> some.name().toLowerCase(Locale.ROOT))
                                .collect(Collectors.joining(", "))
                            + "."));
    return new Token(match.group(1), role, match.group(3));
  }

  /** Whether everybody is let in. */
  boolean isEmpty() {
    return tokens.isEmpty();
  }

  /** Whom a secret stands for. */
  Optional<Token> find(String secret) {
    var digest = Token.digestOf(secret);
    return tokens.stream().filter(token -> token.digest().equals(digest)).findFirst();
  }
}
