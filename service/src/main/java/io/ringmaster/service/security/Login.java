package io.ringmaster.service.security;

/** What a token turned out to be. */
sealed interface Login {

  /** It is let in. */
  record As(TokenAuthentication who) implements Login {}

  /**
   * It is not.
   *
   * @param reason a sentence that gives nothing away that isn't in the token
   */
  record Refused(String reason) implements Login {}

  /**
   * Nobody can say now, since its issuer's keys can't be had.
   *
   * @param reason a sentence
   */
  record Unknowable(String reason) implements Login {}
}
