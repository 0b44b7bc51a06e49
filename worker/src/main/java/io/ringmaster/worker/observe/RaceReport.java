package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.Finding.Place;
import io.ringmaster.worker.fabric.Operation;
import io.ringmaster.worker.observe.HappensBefore.Doubted;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Says in a sentence what a race is, and which notify and wait would have prevented it. */
final class RaceReport {

  private RaceReport() {}

  static Finding finding(RaceDetector.Race race) {
    String times =
        race.count() == 1 ? "" : " (seen " + race.count() + " times, the first is described)";
    return new Finding(
        Finding.Kind.RACE,
        Finding.Kind.RACE.severity(),
        sentence(race) + times,
        hint(race),
        Stream.of(race.earlier.rank(), race.later.rank()).distinct().sorted().toList(),
        Optional.of(race.window.buffer()),
        Optional.empty(),
        Optional.of(race.from()),
        Optional.of(race.to()),
        Optional.empty(),
        Optional.empty(),
        places(race));
  }

  private static List<Place> places(RaceDetector.Race race) {
    Touch writer = race.writer();
    Touch other = race.reader().orElse(race.later);
    var places = new ArrayList<Place>();
    places.add(place(writer, race));
    places.add(place(other, race));
    race.doubt.ifPresent(
        doubt -> {
          places.add(
              new Place(
                  doubt.passed().rank(),
                  doubt.passed().span(),
                  "waits for " + Words.needs(doubt.passed()) + ", whoever adds it"));
          places.add(
              new Place(
                  doubt.by().instead().rank(),
                  doubt.by().instead().span(),
                  Words.notifies(doubt.by().instead()) + ", which may come first"));
        });
    return places;
  }

  private static Place place(Touch touch, RaceDetector.Race race) {
    String where = bytes(race) + " on rank " + race.owner;
    String inside = touch.collective().isEmpty() ? "" : ", inside " + touch.collective();
    return new Place(touch.rank(), touch.span(), verb(touch) + where + inside);
  }

  private static String sentence(RaceDetector.Race race) {
    Touch writer = race.writer();
    if (race.reader().isEmpty()) {
      Touch second = race.later;
      return "rank %d %s%s%s and rank %d %s the same bytes, and nothing orders the two"
          .formatted(
              writer.rank(),
              verb(writer),
              bytes(race),
              on(race, writer.rank()),
              second.rank(),
              verb(second).strip());
    }
    Touch reader = race.reader().get();
    if (race.reuse) {
      return "rank %d %s%s%s again before rank %d's read of the earlier value is ordered before it"
          .formatted(
              writer.rank(), verb(writer), bytes(race), on(race, writer.rank()), reader.rank());
    }
    return "rank %d reads %s%s before rank %d's %s is ordered before it"
        .formatted(
            reader.rank(), bytes(race), on(race, writer.rank()), writer.rank(), noun(writer));
  }

  private static String hint(RaceDetector.Race race) {
    if (race.doubt.isPresent()) {
      Doubted doubt = race.doubt.get();
      return "rank %d's wait on %s can be let through by rank %d's notify on %s before rank %d's on %s has come: give each of them a cell of its own, or wait for as much as all of them add"
          .formatted(
              doubt.passed().rank(),
              Words.line(doubt.passed().span()),
              doubt.by().instead().rank(),
              Words.line(doubt.by().instead().span()),
              doubt.by().missing().rank(),
              Words.line(doubt.by().missing().span()));
    }
    Touch writer = race.writer();
    if (race.reader().isEmpty()) {
      if (race.earlier.span().equals(race.later.span())) {
        return "let only one rank write these bytes; where a sum is meant, add with"
            + " atomic=pld.AtomicType.Add";
      }
      return "let only one rank write these bytes, or put a barrier between %s and %s"
          .formatted(Words.line(race.earlier.span()), Words.line(race.later.span()));
    }
    Touch reader = race.reader().get();
    String write = Words.line(writer.span());
    String read = Words.line(reader.span());
    if (race.reuse) {
      String builtin =
          writer.collective().isEmpty() && reader.collective().isEmpty()
              ? ""
              : "; a built-in has no barrier on that side of its transfers";
      return "put a barrier after the read on %s and before the next write on %s, or use another window%s"
          .formatted(read, write, builtin);
    }
    if (reader.when().heardOf(writer.rank()) > 0) {
      return "rank %d has only waited for a notify that rank %d sent before its %s on %s: put the barrier after the %s and before %s"
          .formatted(reader.rank(), writer.rank(), noun(writer), write, noun(writer), read);
    }
    String notEnough =
        reader
            .behind()
            .filter(_ -> reader.collective().isEmpty())
            .map(
                wait ->
                    "; its wait on %s isn't enough: it was let through without a notify that rank %d sends after the %s"
                        .formatted(Words.line(wait.span()), writer.rank(), noun(writer)))
            .orElse("");
    return "put a barrier between them: rank %d notifies after %s and rank %d waits before %s"
            .formatted(writer.rank(), write, reader.rank(), read)
        + notEnough;
  }

  private static String on(RaceDetector.Race race, int unlessRank) {
    return race.owner == unlessRank ? "" : " on rank " + race.owner;
  }

  /** {@code row 1 of `data` (bytes 256..512)}, or only the bytes where rows aren't known. */
  private static String bytes(RaceDetector.Race race) {
    String range = "bytes " + race.from() + ".." + race.to();
    long rowBytes = Math.min(race.earlier.rowBytes(), race.later.rowBytes());
    if (!isRowOfARank(race, rowBytes)) {
      return range + " of " + Words.window(race.window);
    }
    long first = race.from() / rowBytes;
    long last = race.to() / rowBytes - 1;
    String rows = first == last ? "row " + first : "rows " + first + ".." + last;
    return rows + " of " + Words.window(race.window) + " (" + range + ")";
  }

  /**
   * An access doesn't carry the window's shape. One row for each rank is by far the most usual one;
   * an allreduce cuts a vector into as many pieces, which are no rows.
   */
  private static boolean isRowOfARank(RaceDetector.Race race, long rowBytes) {
    int ranks = race.window.members().size();
    return ranks > 1
        && rowBytes * ranks == race.window.logicalBytes()
        && race.from() % rowBytes == 0
        && race.to() % rowBytes == 0
        && !race.earlier.collective().equals("allreduce")
        && !race.later.collective().equals("allreduce");
  }

  /** What the rank does to the bytes, with the space or preposition that follows. */
  private static String verb(Touch touch) {
    if (touch.operation() == Operation.NOTIFY) {
      return "notifies ";
    }
    return switch (touch.kind()) {
      case READ -> "reads ";
      case WRITE -> "writes ";
      case ATOMIC_ADD -> "adds to ";
    };
  }

  private static String noun(Touch touch) {
    return switch (touch.operation()) {
      case STORE -> "store";
      case REMOTE_STORE -> "remote store";
      case PUT -> "put";
      case GET -> "get";
      case NOTIFY -> "notify";
      case LOAD, READ, WRITE, REMOTE_LOAD, WAIT -> "write";
    };
  }
}
