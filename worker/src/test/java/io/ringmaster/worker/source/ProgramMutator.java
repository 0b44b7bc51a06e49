package io.ringmaster.worker.source;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;

/** Damages programs the way hurried hands do: a word lost, doubled, swapped, put elsewhere. */
final class ProgramMutator {

  private static final Pattern PIECE =
      Pattern.compile("\\w+|\"[^\"\\n]*\"|'[^'\\n]*'|\\n *|[^\\w\\s]|\\s");
  private static final List<String> WORDS =
      List.of(
          "(", ")", "[", "]", "{", "}", ",", ":", ";", ".", "=", "==", ":=", "*", "**", "-", "@",
          "->", "\n", "\n    ", " ", "if ", " else ", "elif ", "for ", " in ", "not ", "lambda ",
          "yield ", "await ", "async ", "def ", "class ", "return ", "import ", "from ", "with ",
          " as ", "try:", "except ", "pass", "x", "1", "'s'", "f'{x}'", "None", "match ", "case ",
          "type ", "\"", "'", "#", "\\");

  private final Random random;

  ProgramMutator(Random random) {
    this.random = random;
  }

  String mutated(String program) {
    var pieces = new ArrayList<>(PIECE.matcher(program).results().map(m -> m.group()).toList());
    for (int i = random.nextInt(3); i >= 0 && !pieces.isEmpty(); i--) {
      mutate(pieces);
    }
    return String.join("", pieces);
  }

  private void mutate(List<String> pieces) {
    int at = random.nextInt(pieces.size());
    switch (random.nextInt(6)) {
      case 0 -> pieces.remove(at);
      case 1 -> pieces.add(at, pieces.get(at));
      case 2 -> pieces.add(at, WORDS.get(random.nextInt(WORDS.size())));
      case 3 -> pieces.set(at, WORDS.get(random.nextInt(WORDS.size())));
      case 4 -> pieces.add(random.nextInt(pieces.size()), pieces.get(at));
      default -> {
        int other = random.nextInt(pieces.size());
        String moved = pieces.set(at, pieces.get(other));
        pieces.set(other, moved);
      }
    }
  }
}
