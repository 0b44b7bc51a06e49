package io.ringmaster.worker.source;

/** Knows whether the statement being read stands in a function and in a loop. */
final class Scopes {

  private final TokenStream tokens;
  private Place place = new Place(false, false, false);

  Scopes(TokenStream tokens) {
    this.tokens = tokens;
  }

  /** Where a statement stands. */
  record Place(boolean nested, boolean inFunction, boolean inLoop) {}

  /** Enters a function body; {@link #leave} with the result ends it. */
  Place enterFunction() {
    return enter(new Place(true, true, false));
  }

  Place enterClass() {
    return enter(new Place(true, false, false));
  }

  Place enterLoop() {
    return enter(new Place(place.nested, place.inFunction, true));
  }

  private Place enter(Place inner) {
    Place outer = place;
    place = inner;
    return outer;
  }

  void leave(Place outer) {
    place = outer;
  }

  void requireFunction(Token word) {
    if (!place.inFunction) {
      report(word, "'" + word.text() + "' stands outside a function", "indent it into one");
    }
  }

  /** Requires any function or class around the statement. */
  void requireNested(Token word) {
    if (!place.nested) {
      report(word, "'" + word.text() + "' stands outside a function", "indent it into one");
    }
  }

  void requireLoop(Token word) {
    if (!place.inLoop) {
      report(word, "'" + word.text() + "' outside loop", "indent it into a for or while loop");
    }
  }

  private void report(Token word, String message, String hint) {
    tokens.problems().error(word.start(), word.end(), message, hint);
  }
}
