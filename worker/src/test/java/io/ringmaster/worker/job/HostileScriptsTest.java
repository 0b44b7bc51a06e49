package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.ringmaster.worker.source.SourceFile;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Scripts that ask for more than a run may have, or hold the evaluator in one long operation: each
 * ends by a limit that is named, or when it is told to, and leaves its thread free.
 */
class HostileScriptsTest {

  /** What an order to stop may take on a machine that does much else; usual are milliseconds. */
  private static final Duration SOON = Duration.ofMinutes(2);

  /** Less than what a run has by default, so that its end is near. */
  private static final JobSpec.Limits LITTLE =
      new JobSpec.Limits(Duration.ofMinutes(5), 20_000_000, 20_000_000, 64L << 20);

  /** Nothing but the clock ends a run. */
  private static final JobSpec.Limits SHORT =
      new JobSpec.Limits(Duration.ofMillis(300), Long.MAX_VALUE, Long.MAX_VALUE, 2L << 30);

  private static final String TORCH = "import torch\n";

  static Stream<Arguments> endedByALimit() {
    String wide = TORCH + "x = torch.ones(1, 1).expand(1000000, 1000000)\n";
    return Stream.of(
        // Tensors
        arguments(wide + "x.sum()", Verdict.RESOURCE, "step limit"),
        arguments(wide + "torch.allclose(x, x)", Verdict.RESOURCE, "step limit"),
        arguments(wide + "x.nonzero()", Verdict.RESOURCE, "step limit"),
        arguments(wide + "x * 2", Verdict.RESOURCE, "memory limit"),
        arguments(wide + "x @ x", Verdict.RESOURCE, "memory limit"),
        arguments(
            TORCH + "x = torch.ones(1).expand(16, 2**40)\nx @ x.t()",
            Verdict.RESOURCE,
            "step limit"),
        arguments(TORCH + "print(torch.ones(1).expand((7,) * 16))", Verdict.RESOURCE, "limit"),
        arguments(TORCH + "torch.ones(1).expand(2**40, 2**40)", Verdict.ERROR, "overflow"),
        arguments(TORCH + "torch.zeros(2**40)", Verdict.RESOURCE, "memory limit"),
        arguments(
            TORCH + "l = []\nwhile True:\n    l.append(torch.zeros(2**24))",
            Verdict.RESOURCE,
            "memory limit"),
        arguments(
            TORCH + "torch.ones(3).repeat(10**9, 10**9)",
            Verdict.RESOURCE,
            "memory limit: more bytes than can be counted"),
        arguments(
            TORCH + "torch.tile(torch.ones(3), (2**62, 4))", Verdict.RESOURCE, "memory limit"),
        arguments(TORCH + "torch.ones(3).repeat(2**62)", Verdict.RESOURCE, "size limit"),
        arguments(
            TORCH + "torch.ones(2).repeat_interleave(torch.tensor([2**62, 2**62]))",
            Verdict.RESOURCE,
            "size limit"),
        arguments(
            TORCH + "torch.nn.functional.pad(torch.zeros(2), (2**62, 2**62))",
            Verdict.RESOURCE,
            "size limit"),
        arguments(
            TORCH + "x = torch.ones(1).expand(2**33)\ntorch.kron(x, x)",
            Verdict.RESOURCE,
            "size limit"),
        arguments(
            TORCH + "torch.cat([torch.ones(1).expand(2**62)] * 2)", Verdict.RESOURCE, "size limit"),
        arguments(TORCH + "torch.zeros(3).view(2**40, 2**40)", Verdict.RESOURCE, "size limit"),
        arguments(
            TORCH + "torch.diag_embed(torch.zeros(3), 2**63 - 1)", Verdict.RESOURCE, "size limit"),
        arguments(
            TORCH + "torch.nn.functional.one_hot(torch.arange(3), 2**62)",
            Verdict.RESOURCE,
            "memory limit"),
        arguments(
            TORCH + "torch.zeros(3).narrow(0, 2, 2**63 - 1)",
            Verdict.ERROR,
            "exceeds dimension size"),
        // Texts
        arguments("s = 'a'\nfor i in range(60):\n    s = s + s", Verdict.RESOURCE, "text limit"),
        arguments(
            "s = 'a'\nfor i in range(60):\n    s = f'{s}{s}'", Verdict.RESOURCE, "text limit"),
        arguments("'a' * 10**9", Verdict.RESOURCE, "text limit"),
        arguments("','.join(['x' * 1000] * 10**6)", Verdict.RESOURCE, "text limit"),
        arguments("('{0}' * 10**6).format('x' * 100)", Verdict.RESOURCE, "text limit"),
        arguments("'%s' * 10**5 % (('x' * 1000,) * 10**5)", Verdict.RESOURCE, "text limit"),
        arguments("('x' * 1000).replace('x', 'y' * 10**6)", Verdict.RESOURCE, "text limit"),
        arguments(
            "import re\nre.sub('a', 'x' * 10**6, 'a' * 10**5)", Verdict.RESOURCE, "text limit"),
        arguments(
            "import re\nt = 'x' * 10**6\nre.sub('a', lambda m: t, 'a' * 10**5)",
            Verdict.RESOURCE,
            "text limit"),
        arguments(
            "import re\nre.sub('(a+)', r'\\1' * 10**5, 'a' * 10**6)",
            Verdict.RESOURCE,
            "text limit"),
        arguments(
            "import re\nwhile True:\n    re.sub('ab', 'x' * 10**6, 'ab')",
            Verdict.RESOURCE,
            "memory limit"),
        arguments("import re\nre.split('(a)', 'a' * 10**6)", Verdict.RESOURCE, "memory limit"),
        arguments("import re\nre.findall('a', 'a' * 2 * 10**6)", Verdict.RESOURCE, "memory limit"),
        arguments(
            "import re\nlist(re.finditer('a', 'a' * 10**6))", Verdict.RESOURCE, "memory limit"),
        arguments("l = [1] * 4000000\nrepr(l * 2)", Verdict.RESOURCE, "memory limit"),
        arguments("'{:{:{:{}}}}'.format(1, 2, 3, 4)", Verdict.ERROR, "Max string recursion"),
        // Numbers
        arguments("10**10**7", Verdict.RESOURCE, "integer limit"),
        arguments("pow(3, 2**60000, 2**60000 - 1)", Verdict.RESOURCE, "step limit"),
        arguments("int('9' * 10**7)", Verdict.ERROR, "4300 digits"),
        arguments("float('9' * 10**7 + 'x')", Verdict.ERROR, "which is the limit"),
        arguments(
            "l = []\nx = 2**60000\nwhile True:\n    l.append(x + len(l))",
            Verdict.RESOURCE,
            "memory limit"),
        // Lists and the like
        arguments("[1] * 10**9", Verdict.RESOURCE, "memory limit"),
        arguments("list(range(10**12))", Verdict.RESOURCE, "memory limit"),
        arguments(
            TORCH + "x = torch.ones(1000000)\nwhile True:\n    x.tolist()",
            Verdict.RESOURCE,
            "memory limit"),
        arguments("sum(range(10**12))", Verdict.RESOURCE, "step limit"),
        arguments("l = [1]\nfor x in l:\n    l.append(x)", Verdict.RESOURCE, "memory limit"),
        arguments("d = {}\nwhile True:\n    d[len(d)] = 1", Verdict.RESOURCE, "memory limit"),
        arguments("l = None\nwhile True:\n    l = (l, 1)", Verdict.RESOURCE, "memory limit"),
        arguments("l = []\nl.append(l)\nm = []\nm.append(m)\nl == m", Verdict.ERROR, "recursion"),
        arguments(nested("(a, a)") + "{a: 1}", Verdict.ERROR, "which is the limit"),
        arguments(nested("[a, a]") + "a == b", Verdict.RESOURCE, "step limit"),
        arguments(nested("[a, a]") + "repr(a)", Verdict.RESOURCE, "limit"),
        arguments("def f():\n    f()\nf()", Verdict.RESOURCE, "recursion limit"),
        arguments("import json\njson.loads('[' * 1000000)", Verdict.ERROR, "RecursionError"),
        arguments("import json\njson.loads('9' * 5000)", Verdict.ERROR, "ValueError"),
        arguments(
            "a = [3, 1, 2]\na.sort(key=lambda v: a.append(v) or v)",
            Verdict.ERROR,
            "ValueError: list modified during sort"),
        // Kernels
        arguments(
            Kernels.looping("for i in pl.range(1000000000000):"),
            Verdict.RESOURCE,
            "used up: rank 0 was at k.py:17"),
        arguments(
            Kernels.looping("for i in pl.unroll(1000):\n    for j in pl.unroll(1000):"),
            Verdict.REJECTED,
            "statements"),
        arguments(
            Kernels.dispatching("for i in pl.range(100000000):"), Verdict.RESOURCE, "dispatches"),
        // Sources
        arguments("x = 1\n".repeat(1_000_000), Verdict.REJECTED, "1000000 lines"),
        arguments("x = 1; ".repeat(400_000), Verdict.REJECTED, "1000000 tokens"),
        arguments("x = 1" + " + 1".repeat(50_000), Verdict.REJECTED, "1000 levels deep"),
        arguments(
            "if x:\n    pass\n" + "elif x:\n    pass\n".repeat(5_000),
            Verdict.REJECTED,
            "1000 levels deep"),
        arguments("x = " + "(".repeat(5_000), Verdict.REJECTED, "200 levels deep"),
        arguments("u\n".repeat(100_000), Verdict.REJECTED, "name 'u' is not defined"));
  }

  private static String nested(String pair) {
    return "a = 1\nfor i in range(60):\n    a = "
        + pair
        + "\nb = 1\nfor i in range(60):\n    b = "
        + pair.replace('a', 'b')
        + "\n";
  }

  @ParameterizedTest
  @MethodSource("endedByALimit")
  void aLimitEndsItAndIsNamed(String script, Verdict verdict, String words) throws Exception {
    JobReport report = finish(script, LITTLE);

    assertThat(report.sentence()).contains(words);
    assertThat(report.verdict()).isEqualTo(verdict);
    assertThat(report.sentence()).hasSizeLessThan(5_000);
  }

  static Stream<String> heldUp() {
    String ones = TORCH + "x = torch.ones(5000, 5000)\nwhile True:\n    ";
    String texts =
        "a = 'a' * 8000000\nc = 'a' * 8000000\nb = 'a' * 4000000 + 'b'\nwhile True:\n    ";
    String list = "l = list(range(1000000))\nwhile True:\n    ";
    return Stream.of(
        ones + "y = x * 2",
        ones + "x.fill_(2)",
        ones + "torch.matmul(x, x)",
        ones + "x.to(torch.int32) @ x.to(torch.int32)",
        ones + "x.sort()",
        ones + "x[x > 0]",
        ones + "x.sum(0)",
        ones + "x.cumsum(0)",
        ones + "x.softmax(1)",
        ones + "torch.allclose(x, x + 1)",
        ones + "torch.cat([x, x])",
        ones + "torch.randn(5000, 5000)",
        TORCH + "x = torch.ones(50000000)\nwhile True:\n    x.roll(10**18)",
        TORCH + "x = torch.randn(10000000)\nwhile True:\n    x.median()",
        TORCH + "while True:\n    torch.ones(1000).repeat(100, 500)",
        ones + "torch.randperm(20000000)",
        ones + "torch.arange(100000000)",
        ones + "print(x)",
        TORCH + "x = torch.ones(1).expand(2**60)\ntorch.equal(x, x)",
        texts + "b in a",
        texts + "a.count(b)",
        texts + "a.rfind(b)",
        texts + "a.replace(b, '')",
        texts + "a.split(b)",
        texts + "a == c",
        texts + "a[7000000]",
        texts + "len(a)",
        list + "l.sort(reverse=True)\n    l.sort()",
        list + "l.insert(0, 1)\n    del l[0]",
        list + "-1 in l",
        list + "max(l)",
        "x = 3**40000\nwhile True:\n    str(x)\n    x % 7",
        "while True:\n    pow(3, 2**60000, 2**60000 - 1)",
        "import math\nwhile True:\n    math.gcd(3**40000, 5**28000)",
        "import itertools\nfor p in itertools.product(repeat=10**12):\n    pass",
        "a = int\nfor i in range(60):\n    a = (a, a)\nisinstance('', a)",
        "a = 'b'\nfor i in range(60):\n    a = (a, a)\n'x'.startswith(a)",
        "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass",
        Kernels.looping("for i in pl.range(1000000000000):"),
        Kernels.multiplying(2048),
        Kernels.dispatching("while True:"));
  }

  @ParameterizedTest
  @MethodSource("heldUp")
  void theTimeLimitEndsItWhateverItIsDoing(String script) throws Exception {
    JobReport report = finish(script, SHORT);

    assertThat(report.sentence()).contains("longer than its limit");
    assertThat(report.verdict()).isEqualTo(Verdict.TIMED_OUT);
  }

  @Test
  void twoWorkersSurviveHostileScriptsAndRunAGoodJobAfterwards() throws Exception {
    List<String> hostile = heldUp().toList();
    List<Future<JobReport>> reports = new ArrayList<>();
    try (var workers = Executors.newFixedThreadPool(2)) {
      for (int i = 0; i < 6; i++) {
        String script = hostile.get(i * hostile.size() / 6);
        reports.add(workers.submit(() -> run(script, SHORT)));
      }
      Future<JobReport> good = workers.submit(() -> run(Kernels.good(), LITTLE));

      assertThat(soon(good).verdict()).isEqualTo(Verdict.PASSED);
      for (Future<JobReport> report : reports) {
        assertThat(soon(report).verdict()).isEqualTo(Verdict.TIMED_OUT);
      }
    }
  }

  @Test
  void manyGoodSourcesAreReadWhateverTheirSize() throws Exception {
    var functions = new StringBuilder();
    for (int i = 0; i < 10_000; i++) {
      functions.append("def f").append(i).append("(a, b=1):\n    return a + b\n");
    }
    String source =
        functions
            + ("x = [" + "1, ".repeat(100_000) + "]\n")
            + ("y = '" + "a".repeat(1_000_000) + "'\n")
            + ("z = 1" + " ".repeat(1_000_000) + "\n");

    assertThat(finish(source, LITTLE).verdict()).isEqualTo(Verdict.NOT_VERIFIED);
  }

  /** Runs a script on a thread that must end, and with it the thread of the script. */
  private static JobReport finish(String script, JobSpec.Limits limits) throws Exception {
    var report = new AtomicReference<JobReport>();
    Thread thread = new Thread(() -> report.set(run(script, limits)), "hostile");
    thread.start();
    thread.join(SOON);
    assertThat(thread.isAlive()).as("still running").isFalse();
    for (Thread each : Thread.getAllStackTraces().keySet()) {
      if (each.getName().equals("script")) {
        each.join(SOON);
        assertThat(each.isAlive()).as("the script's thread still runs").isFalse();
      }
    }
    return report.get();
  }

  private static JobReport soon(Future<JobReport> report)
      throws InterruptedException, ExecutionException, TimeoutException {
    return report.get(4 * SOON.toSeconds(), TimeUnit.SECONDS);
  }

  private static JobReport run(String script, JobSpec.Limits limits) {
    return new JobRunner()
        .run(
            new JobSpec(
                SourceFile.of("k.py", script), "sim", List.of(List.of(0, 1)), List.of(), limits, 0),
            RunControl.none());
  }

  /** Drivers of small kernels. */
  private static final class Kernels {

    private static final String EACH_RANK =
        """
        for r in pl.range(pld.world_size()):
            self.on_chip(x[r], y[r], device=r)
        """;

    private Kernels() {}

    static String good() {
      return driver("", EACH_RANK, "compiled(x, y)\nassert torch.allclose(y, x)");
    }

    /** A kernel that reads again and again. */
    static String looping(String header) {
      String loop =
          header + "\n" + "    ".repeat(header.split("\n").length) + "v = pl.read(x, [0, 0])\n";
      return driver(loop, EACH_RANK, "compiled(x, y)");
    }

    /** A kernel of few, big operations. */
    static String multiplying(int extent) {
      String tile = "pl.full([" + extent + ", " + extent + "], dtype=pl.FP32, value=1.0)\n";
      String loop = "for i in pl.range(1000000):\n    a = " + tile + "    b = pl.matmul(a, a)\n";
      return driver(loop, EACH_RANK, "compiled(x, y)");
    }

    /** HOST code, or a driver, that launches again and again. */
    static String dispatching(String header) {
      return header.startsWith("while")
          ? driver("", EACH_RANK, header + "\n    compiled(x, y)")
          : driver("", header + "\n    self.on_chip(x[0], y[0], device=0)\n", "compiled(x, y)");
    }

    private static String driver(String kernel, String host, String launch) {
      return """
          import pypto.language as pl
          import pypto.language.distributed as pld
          import torch
          from pypto import ir
          from pypto.ir.distributed_compiled_program import DistributedConfig

          @pl.program
          class Copy:
              @pl.function(type=pl.FunctionType.InCore)
              def kernel(
                  self,
                  x: pl.Tensor[[64, 64], pl.FP32],
                  y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
              ) -> pl.Tensor[[64, 64], pl.FP32]:
                  t = pl.load(x, [0, 0], [64, 64])
                  y = pl.store(t, [0, 0], y)
          %s
                  return y

              @pl.function(type=pl.FunctionType.Orchestration)
              def on_chip(
                  self,
                  x: pl.Tensor[[64, 64], pl.FP32],
                  y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
              ) -> pl.Tensor[[64, 64], pl.FP32]:
                  y = self.kernel(x, y)
                  return y

              @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
              def on_host(
                  self,
                  x: pl.Tensor[[2, 64, 64], pl.FP32],
                  y: pl.Out[pl.Tensor[[2, 64, 64], pl.FP32]],
              ):
          %s

          compiled = ir.compile(
              Copy,
              platform="a2a3sim",
              distributed_config=DistributedConfig(device_ids=[0, 1], num_sub_workers=0),
          )
          x = torch.ones(2, 64, 64)
          y = torch.zeros(2, 64, 64)
          %s
          """
          .formatted(kernel.indent(8).stripTrailing(), host.indent(8).stripTrailing(), launch);
    }
  }
}
