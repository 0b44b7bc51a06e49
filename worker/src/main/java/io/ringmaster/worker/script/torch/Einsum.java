package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.script.builtin.Iteration;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * {@code torch.einsum}: sums of products by the letters of an equation.
 *
 * <p>Operands are contracted from left to right, two at a time, as a batch of matrix products.
 */
final class Einsum {

  /** Letters for the dimensions that {@code ...} stands for; no equation can contain them. */
  private static final int DOTS = 0x2460;

  private final Interp interp;
  private final String equation;
  private final Map<Integer, Long> extents = new HashMap<>();

  /** A tensor whose dimensions carry letters. */
  private record Term(TensorValue tensor, List<Integer> letters) {}

  private Einsum(String equation, Interp interp) {
    this.equation = equation;
    this.interp = interp;
  }

  static Value call(Bound a, Call c) {
    List<Value> values = a.rest();
    if (values.size() == 1 && values.getFirst() instanceof ListValue list) {
      values = Iteration.toList(list, c.interp());
    }
    List<TensorValue> operands = new ArrayList<>();
    for (Value value : values) {
      if (!(value instanceof TensorValue tensor)) {
        throw Errors.type(
            "einsum(): operand " + operands.size() + " must be Tensor, not " + Types.nameOf(value));
      }
      operands.add(tensor);
    }
    String equation = a.string("equation").replace(" ", "");
    return new Einsum(equation, c.interp()).evaluate(operands);
  }

  private TensorValue evaluate(List<TensorValue> operands) {
    int arrow = equation.indexOf("->");
    String left = arrow < 0 ? equation : equation.substring(0, arrow);
    List<String> parts = List.of(left.split(",", -1));
    if (parts.size() != operands.size()) {
      throw Errors.runtime(
          "einsum('"
              + equation
              + "'): the equation names "
              + parts.size()
              + " operands, but "
              + operands.size()
              + " were provided");
    }
    List<Term> terms = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      terms.add(term(parts.get(i), operands.get(i), i));
    }
    List<Integer> output = output(arrow, parts, terms);
    DType type = terms.getFirst().tensor().data().dtype();
    for (Term term : terms) {
      if (term.tensor().data().dtype() != type) {
        throw Errors.runtime(
            "einsum('"
                + equation
                + "'): expected all operands to have the same dtype, but got "
                + Dtypes.nameOf(type)
                + " and "
                + Dtypes.nameOf(term.tensor().data().dtype()));
      }
    }
    Term result = terms.getFirst();
    for (int i = 1; i < terms.size(); i++) {
      List<Integer> needed = new ArrayList<>(output);
      terms.subList(i + 1, terms.size()).forEach(term -> needed.addAll(term.letters()));
      result = product(result, terms.get(i), needed);
    }
    result = summed(result, output);
    TensorValue ordered = arranged(result, output);
    return operands.size() == 1 ? Tensors.copy(ordered, type, interp) : ordered;
  }

  /** Gives the dimensions of an operand their letters; repeated letters become a diagonal. */
  private Term term(String text, TensorValue operand, int number) {
    int rank = operand.data().rank();
    int dots = text.indexOf("...");
    int named = text.length() - (dots < 0 ? 0 : 3);
    if (dots < 0 ? named != rank : named > rank) {
      throw Errors.runtime(
          "einsum('"
              + equation
              + "'): the number of subscripts in '"
              + text
              + "' does not match the dimensions of operand "
              + number
              + " of shape "
              + Tensors.shown(operand.data().shape()));
    }
    List<Integer> letters = new ArrayList<>();
    for (int i = 0; i < text.length(); i++) {
      if (i == dots) {
        for (int k = rank - named; k > 0; k--) {
          letters.add(DOTS + k - 1);
        }
        i += 2;
        continue;
      }
      char letter = text.charAt(i);
      if (!Character.isLetter(letter)) {
        throw Errors.runtime(
            "einsum('" + equation + "'): invalid subscript '" + letter + "', only letters and ...");
      }
      letters.add((int) letter);
    }
    return diagonal(new Term(operand, letters), number);
  }

  private Term diagonal(Term term, int number) {
    HostTensor data = term.tensor().data();
    Map<Integer, Integer> axes = new TreeMap<>();
    List<Integer> letters = new ArrayList<>();
    long[] shape = new long[data.rank()];
    long[] strides = new long[data.rank()];
    for (int axis = 0; axis < data.rank(); axis++) {
      int letter = term.letters().get(axis);
      long extent = data.shape()[axis];
      Integer known = axes.get(letter);
      if (known == null) {
        known = letters.size();
        axes.put(letter, known);
        letters.add(letter);
        shape[known] = extent;
      } else if (shape[known] != extent) {
        throw mismatch(letter, shape[known], extent, number);
      }
      strides[known] += data.strides()[axis];
      long common = extents.getOrDefault(letter, 1L);
      if (common != extent && common != 1 && extent != 1) {
        throw mismatch(letter, common, extent, number);
      }
      extents.put(letter, common == 1 ? extent : common);
    }
    HostTensor view =
        new HostTensor(
            data.buffer(),
            data.dtype(),
            java.util.Arrays.copyOf(shape, letters.size()),
            java.util.Arrays.copyOf(strides, letters.size()),
            data.offset());
    return new Term(term.tensor().view(view), letters);
  }

  private RuntimeException mismatch(int letter, long before, long now, int number) {
    return Errors.runtime(
        "einsum('"
            + equation
            + "'): subscript "
            + (letter >= DOTS ? "..." : Character.toString(letter))
            + " has size "
            + now
            + " for operand "
            + number
            + " which does not broadcast with previously seen size "
            + before);
  }

  private List<Integer> output(int arrow, List<String> parts, List<Term> terms) {
    List<Integer> dots = new ArrayList<>();
    int most = -1;
    for (Term term : terms) {
      for (int letter : term.letters()) {
        most = letter >= DOTS ? Math.max(most, letter - DOTS) : most;
      }
    }
    for (int k = most; k >= 0; k--) {
      dots.add(DOTS + k);
    }
    List<Integer> output = new ArrayList<>();
    if (arrow < 0) {
      output.addAll(dots);
      Map<Integer, Integer> counts = new TreeMap<>();
      String letters = String.join("", parts).replace(".", "");
      letters.chars().forEach(letter -> counts.merge(letter, 1, Integer::sum));
      counts.forEach(
          (letter, count) -> {
            if (count == 1) {
              output.add(letter);
            }
          });
      return output;
    }
    String right = equation.substring(arrow + 2);
    for (int i = 0; i < right.length(); i++) {
      if (right.startsWith("...", i)) {
        output.addAll(dots);
        i += 2;
        continue;
      }
      int letter = right.charAt(i);
      if (!extents.containsKey(letter) || output.contains(letter)) {
        throw Errors.runtime(
            "einsum('"
                + equation
                + "'): output subscript "
                + right.charAt(i)
                + (output.contains(letter)
                    ? " appears more than once in the output"
                    : " does not appear in the equation for any input operand"));
      }
      output.add(letter);
    }
    return output;
  }

  /** Sums over the letters that nobody needs any more. */
  private Term summed(Term term, List<Integer> needed) {
    List<Integer> kept = term.letters().stream().filter(needed::contains).toList();
    if (kept.size() == term.letters().size()) {
      return term;
    }
    int[] axes =
        java.util.stream.IntStream.range(0, term.letters().size())
            .filter(axis -> !needed.contains(term.letters().get(axis)))
            .toArray();
    DType type = term.tensor().data().dtype();
    return new Term(
        Reductions.reduce(term.tensor(), Reductions.Kind.SUM, axes, false, type, interp), kept);
  }

  private Term product(Term left, Term right, List<Integer> needed) {
    List<Integer> wanted = new ArrayList<>(needed);
    wanted.addAll(right.letters());
    Term x = summed(left, wanted);
    wanted = new ArrayList<>(needed);
    wanted.addAll(x.letters());
    Term y = summed(right, wanted);
    Set<Integer> ofX = Set.copyOf(x.letters());
    Set<Integer> ofY = Set.copyOf(y.letters());
    List<Integer> batch =
        x.letters().stream().filter(l -> ofY.contains(l) && needed.contains(l)).toList();
    List<Integer> inner =
        x.letters().stream().filter(l -> ofY.contains(l) && !needed.contains(l)).toList();
    List<Integer> rows = x.letters().stream().filter(l -> !ofY.contains(l)).toList();
    List<Integer> columns = y.letters().stream().filter(l -> !ofX.contains(l)).toList();
    TensorValue a = matrices(x, batch, rows, inner);
    TensorValue b = matrices(y, batch, inner, columns);
    TensorValue c = MatMul.matmul(a, b, interp);
    List<Integer> letters = new ArrayList<>(batch);
    letters.addAll(rows);
    letters.addAll(columns);
    long[] shape = letters.stream().mapToLong(extents::get).toArray();
    return new Term(Views.reshape(c, shape, interp), letters);
  }

  /** A term as a batch of matrices. */
  private TensorValue matrices(
      Term term, List<Integer> batch, List<Integer> rows, List<Integer> columns) {
    List<Integer> order = new ArrayList<>(batch);
    order.addAll(rows);
    order.addAll(columns);
    TensorValue ordered = arranged(term, order);
    long[] shape = order.stream().mapToLong(extents::get).toArray();
    TensorValue expanded = ordered.view(Views.expand(ordered.data(), shape));
    long[] matrix = {count(batch), count(rows), count(columns)};
    return Views.reshape(expanded, matrix, interp);
  }

  private long count(List<Integer> letters) {
    return letters.stream().mapToLong(extents::get).reduce(1, Math::multiplyExact);
  }

  private static TensorValue arranged(Term term, List<Integer> order) {
    int[] axes = order.stream().mapToInt(letter -> term.letters().indexOf(letter)).toArray();
    return term.tensor().view(Views.permute(term.tensor().data(), axes));
  }
}
