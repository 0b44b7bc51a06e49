package io.ringmaster.worker.script.torch;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.script.Scripts;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tensors of more elements than one run of a loop has, packed and strided, few results of many
 * elements and many of few: what comes out is what plain Python makes of the same numbers.
 */
class LongRunsTest {

  private static final String TENSORS =
      """
      import torch

      def of(dtype):
          base = (torch.arange(3 * 1501 * 4) * 37 % 23).reshape(3, 1501, 4)
          return (base > 11) if dtype == torch.bool else base.to(dtype)

      def views(x):
          return [x, x.permute(2, 0, 1), x[:, ::3], x[1:, 7:, 1:3]]

      """;

  @ParameterizedTest
  @ValueSource(strings = {"float32", "float64", "float16", "bfloat16", "int32", "int8", "bool"})
  void reductionsAlongEachDimension(String dtype) {
    String printed =
        Scripts.output(
            TENSORS
                + """
                def columns(x, dim):
                    flat = x.movedim(dim, -1)
                    return flat.reshape(-1, flat.shape[-1]).tolist()

                def first(values, best):
                    return values.index(best)

                wrong = []
                for at, x in enumerate(views(of(torch.%s))):
                    for dim in range(3):
                        lists = columns(x, dim)
                        tries = {
                            "max": (x.max(dim).values, [max(v) for v in lists]),
                            "min": (x.min(dim).values, [min(v) for v in lists]),
                            "argmax": (x.float().argmax(dim), [first(v, max(v)) for v in lists]),
                            "argmin": (x.float().argmin(dim), [first(v, min(v)) for v in lists]),
                            "any": ((x == 3).any(dim), [3 in v for v in lists]),
                            "all": ((x >= 1).all(dim), [min(v) >= 1 for v in lists]),
                            "sum": (x.double().sum(dim), [sum(v) for v in lists]),
                            "whole": (x.long().sum(dim), [sum(v) for v in lists]),
                            "mean": (x.double().mean(dim), [sum(v) / len(v) for v in lists]),
                        }
                        for name, (got, want) in tries.items():
                            if got.flatten().tolist() != want:
                                wrong.append((at, dim, name))
                print(wrong)
                """
                    .formatted(dtype));

    assertThat(printed.strip()).isEqualTo("[]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"float32", "float64", "float16", "bfloat16", "int32", "int8"})
  void arithmeticCopiesAndComparisons(String dtype) {
    String printed =
        Scripts.output(
            TENSORS
                + """
                wrong = []
                for at, x in enumerate(views(of(torch.%s))):
                    y = x.flip(0)
                    a = x.flatten().tolist()
                    b = y.flatten().tolist()
                    target = torch.zeros_like(x)
                    target[:] = x
                    beside = torch.zeros(x.shape[0], x.shape[1], 2 * x.shape[2], dtype=x.dtype)
                    beside[:, :, 1::2] = x
                    tries = {
                        "add": (x + y, [p + q for p, q in zip(a, b)]),
                        "sub": (x - y, [p - q for p, q in zip(a, b)]),
                        "less": (x < y, [p < q for p, q in zip(a, b)]),
                        "max": (torch.maximum(x, y), [max(p, q) for p, q in zip(a, b)]),
                        "twice": (x * 2, [p * 2 for p in a]),
                        "half": (x.double() / 2, [p / 2 for p in a]),
                        "negated": (-x, [-p for p in a]),
                        "as integers": (x.to(torch.int64), [int(p) for p in a]),
                        "as floats": (x.to(torch.float32), [float(p) for p in a]),
                        "copied": (target, a),
                        "copied apart": (beside[:, :, 1::2], a),
                        "joined": (torch.cat([x, y]), a + b),
                    }
                    for name, (got, want) in tries.items():
                        if got.flatten().tolist() != want:
                            wrong.append((at, name))
                    if not torch.equal(x, target) or torch.equal(x, target + 1):
                        wrong.append((at, "equal"))
                print(wrong)
                """
                    .formatted(dtype));

    assertThat(printed.strip()).isEqualTo("[]");
  }
}
