package io.ringmaster.worker.golden;

import io.ringmaster.worker.tensor.HostTensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Says in a sentence what is wrong with a tensor that isn't what was expected: which slices stand
 * in the wrong place, what is missing, what was added twice.
 */
public final class MismatchExplainer {

  /** Beyond this many elements only the numbers are told; looking for patterns would take long. */
  private static final long LARGEST = 1L << 20;

  private static final int MOST_SLICES = 64;

  /** What differs from row to row is told of this many. */
  private static final int MOST_TOLD = 4;

  private MismatchExplainer() {}

  /**
   * Explains a comparison that doesn't hold.
   *
   * @param inputs tensors that went into the computation, rank by rank in their first dimension;
   *     empty when they aren't known
   */
  public static String explain(
      HostTensor actual,
      HostTensor expected,
      TensorComparison comparison,
      List<HostTensor> inputs) {
    List<String> sentences = new ArrayList<>();
    if (comparison.nanMismatches() == comparison.mismatches()) {
      sentences.add(nans(actual, expected, comparison));
    } else if (comparison.elements() <= LARGEST) {
      pattern(actual, expected, inputs).ifPresent(sentences::add);
    }
    sentences.add(numbers(comparison));
    return String.join("; ", sentences);
  }

  private static String nans(HostTensor actual, HostTensor expected, TensorComparison comparison) {
    long inActual = TensorStatistics.of(actual).nans();
    long inExpected = TensorStatistics.of(expected).nans();
    String where =
        inActual == 0
            ? "the expected values are NaN there"
            : inExpected == 0
                ? "the kernel's values are NaN there"
                : "NaN is not close to NaN unless equal_nan is set";
    return "NaN is what differs in "
        + counted(comparison.mismatches(), "element")
        + " ("
        + where
        + ")";
  }

  private static String numbers(TensorComparison comparison) {
    String first = comparison.firstAt().isEmpty() ? "value" : "first at " + comparison.firstAt();
    return comparison.mismatches()
        + " of "
        + counted(comparison.elements(), "element")
        + (comparison.mismatches() == 1 ? " differs, " : " differ, ")
        + first
        + ": got "
        + number(comparison.firstActual())
        + ", expected "
        + number(comparison.firstExpected())
        + (comparison.maxAt().isEmpty()
            ? ""
            : "; largest difference "
                + number(comparison.maxAbsDifference())
                + " at "
                + comparison.maxAt());
  }

  private static Optional<String> pattern(
      HostTensor actual, HostTensor expected, List<HostTensor> inputs) {
    double[] got = Block.values(actual, expected.shape());
    double[] wanted = Block.values(expected, actual.shape());
    if (got.length == 0 || got.length != wanted.length) {
      return Optional.empty();
    }
    if (Block.allZero(got)) {
      return Optional.of(
          "everything is zero where "
              + Senders.expected(wanted, inputs)
              + " was expected: never written or never staged");
    }
    return Stream.<Supplier<Optional<String>>>of(
            () -> Senders.explain(got, wanted, inputs),
            () -> Contributions.explain(got, wanted, inputs, owner(actual)),
            () -> Multiplicities.explain(got, wanted, inputs),
            () -> Provenance.cause(got, wanted, inputs),
            () -> Layouts.explain(got, wanted, actual.shape()),
            () -> slices(actual, expected, got, wanted, ranks(inputs)),
            () -> Provenance.places(got, wanted, inputs),
            () -> Contributions.leftovers(got, wanted, inputs, owner(actual)))
        .map(Supplier::get)
        .flatMap(Optional::stream)
        .findFirst();
  }

  /** The rank whose output this is, when it is one of equal parts of a tensor; else -1. */
  private static int owner(HostTensor actual) {
    long elements = actual.elements();
    long all = actual.buffer().byteSize() / actual.dtype().bytes();
    boolean part = actual.isContiguous() && elements < all && all % elements == 0;
    return part && actual.offset() % elements == 0 ? (int) (actual.offset() / elements) : -1;
  }

  /** How many ranks there may be: first dimensions of what went in. */
  private static Set<Integer> ranks(List<HostTensor> inputs) {
    Set<Integer> counts = new TreeSet<>();
    for (HostTensor input : inputs) {
      if (input.rank() >= 2 && input.shape()[0] >= 2 && input.shape()[0] <= MOST_SLICES) {
        counts.add((int) input.shape()[0]);
      }
    }
    return counts;
  }

  private static Optional<String> slices(
      HostTensor actual, HostTensor expected, double[] got, double[] wanted, Set<Integer> ranks) {
    long[] shape = Shapes.broadcast(actual.shape(), expected.shape());
    int rows = shape.length >= 2 ? (int) shape[0] : 1;
    if (rows > 1) {
      for (int count : ranks) {
        if (rows > count && rows % count == 0) {
          Optional<String> byBlock = Slices.explain(got, wanted, count, "block", true);
          if (byBlock.isPresent()) {
            return byBlock;
          }
        }
      }
      boolean byRank = ranks.isEmpty() || ranks.contains(rows);
      Optional<String> byRow = Slices.explain(got, wanted, rows, "row", byRank);
      if (byRow.isPresent()) {
        return byRow;
      }
    }
    return withinRows(got, wanted, rows, ranks);
  }

  /** Looks into each row that differs for equal slices in the wrong places. */
  private static Optional<String> withinRows(
      double[] got, double[] wanted, int rows, Set<Integer> ranks) {
    int width = got.length / rows;
    SequencedMap<String, List<Integer>> found = new LinkedHashMap<>();
    for (int row = 0; row < rows; row++) {
      double[] mine = Arrays.copyOfRange(got, row * width, (row + 1) * width);
      double[] theirs = Arrays.copyOfRange(wanted, row * width, (row + 1) * width);
      if (Block.close(mine, theirs)) {
        continue;
      }
      Optional<String> one = slices(mine, theirs, rows > 1 ? "slice" : "row", ranks);
      if (one.isEmpty()) {
        return Optional.empty();
      }
      found.computeIfAbsent(one.get(), _ -> new ArrayList<>()).add(row);
    }
    if (found.isEmpty()) {
      return Optional.empty();
    }
    List<String> told =
        found.entrySet().stream()
            .limit(MOST_TOLD)
            .map(entry -> where(entry.getValue(), rows) + entry.getKey())
            .toList();
    return Optional.of(
        String.join("; ", told) + (found.size() > MOST_TOLD ? "; and more rows alike" : ""));
  }

  private static String where(List<Integer> which, int rows) {
    if (rows == 1) {
      return "";
    }
    if (which.size() == rows) {
      return "in every row ";
    }
    return "in row " + which.getFirst() + (which.size() > 1 ? " and more alike " : " ");
  }

  /**
   * Tries a slice for each rank, then every number of equal slices, and takes the smallest that
   * explains all.
   */
  private static Optional<String> slices(
      double[] got, double[] wanted, String unit, Set<Integer> ranks) {
    return Stream.concat(
            ranks.stream(),
            IntStream.rangeClosed(2, Math.min(MOST_SLICES, got.length))
                .boxed()
                .filter(count -> !ranks.contains(count)))
        .filter(count -> count <= got.length && got.length % count == 0)
        .map(
            count ->
                Slices.explain(got, wanted, count, unit, ranks.isEmpty() || ranks.contains(count)))
        .flatMap(Optional::stream)
        .findFirst();
  }

  static String counted(long count, String noun) {
    return count + " " + noun + (count == 1 ? "" : "s");
  }

  /** A number as short as it can be without hiding a difference. */
  static String number(double value) {
    if (value == Math.rint(value) && Math.abs(value) < 1e15) {
      return String.format(Locale.ROOT, "%.0f", value);
    }
    return String.format(Locale.ROOT, "%.6g", value);
  }
}
