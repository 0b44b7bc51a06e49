package io.ringmaster.worker.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Parts of Python's library that driver scripts lean on. */
class LibraryTest {

  @Test
  void aCacheKeepsResultsAndCounts() {
    assertThat(
            Scripts.output(
                """
                import functools
                made = []
                @functools.lru_cache(maxsize=2)
                def f(n, k=1):
                    made.append(n)
                    return [n]
                first = f(1)
                print(f(1) is first, f(2), f(3), f(1) is first, made, f.cache_info())
                f.cache_clear()
                print(f.cache_info(), f.__name__)
                @functools.cache
                def fib(n):
                    return n if n < 2 else fib(n - 1) + fib(n - 2)
                print(fib(80))
                class Shape:
                    def __init__(self, n):
                        self.n = n
                    @functools.lru_cache
                    def area(self, by):
                        return self.n * by
                print(Shape(3).area(2), Shape(4).area(2))
                p = functools.partial(int, base=2)
                print(p("101"), p.func is int, p.args, p.keywords, callable(p))
                """))
        .isEqualTo(
            """
            True [2] [3] False [1, 2, 3, 1] CacheInfo(hits=1, misses=4, maxsize=2, currsize=2)
            CacheInfo(hits=0, misses=0, maxsize=2, currsize=0) f
            23416728348467685
            6 8
            5 True () {'base': 2} True\
            """);
  }

  /** Everything that is a key of a dict is one of a cache. */
  @Test
  void aCacheTakesWhateverADictTakes() {
    assertThat(
            Scripts.output(
                """
                import dataclasses, enum, functools, torch
                import pypto.language as pl, pypto.language.distributed as pld
                class E(enum.Enum):
                    A = 1
                @dataclasses.dataclass(frozen=True)
                class D:
                    n: int
                for v in [1.5, None, (1, torch.float16), frozenset({1}), E.A, D(1), torch.float32,
                          torch.Size([1, 2]), pl.FP32, pld.ReduceOp.Sum, range(3), torch.zeros(1),
                          pl.FunctionType.InCore, len, functools.partial(len), object(), iter([1])]:
                    @functools.cache
                    def f(a, b=None):
                        return []
                    assert f(v) is f(v) and f(v, b=v) is f(v, b=v), v
                    assert f.cache_info() == (2, 2, None, 2), f.cache_info()
                @functools.lru_cache(maxsize=4, typed=True)
                def g(a):
                    return [a]
                print(g(1) is g(1.0), g(1) is g(1), g.cache_parameters(), g.cache_info().hits)
                print(f(1) is f(1.0), f(1) is f(True))
                try:
                    g([1])
                except TypeError as e:
                    print(e)
                hits, misses, *_ = g.cache_info()
                print(hits, misses)
                """))
        .isEqualTo(
            """
            False True {'maxsize': 4, 'typed': True} 2
            False False
            unhashable type: 'list'
            2 2\
            """);
  }

  @Test
  void aContextOfAGeneratorIsAMethodWhereAMethodIsWanted() {
    assertThat(
            Scripts.output(
                """
                import contextlib
                class A:
                    @contextlib.contextmanager
                    def m(self, x):
                        yield self, x
                    @staticmethod
                    @contextlib.contextmanager
                    def s(x):
                        yield x
                    @classmethod
                    @contextlib.contextmanager
                    def c(cls, x):
                        yield cls, x
                a = A()
                with a.m(1) as (at, x), A.s(2) as s, a.c(x=3) as (t, c):
                    print(at is a, x, s, t is A, c, A.m.__name__)
                """))
        .isEqualTo("True 1 2 True 3 m");
  }

  @Test
  void aCacheTellsNumbersOfAKernelFromOthers() {
    ScriptResult result =
        Scripts.run(
            Scripts.PRELUDE
                + """
                from functools import lru_cache
                @lru_cache(maxsize=None)
                def half(v):
                    return v / 2
                x = torch.arange(8.0).reshape(2, 4)
                y = torch.zeros(2, 4)
                run(Copy, x, y)
                assert half(28.0) == 14.0
                assert half(y.sum().item()) == half(28.0)
                """);
    assertThat(result.checks()).isNotEmpty();
  }

  @Test
  void filtersOfLoggersAndHandlersHold() {
    assertThat(
            Scripts.output(
                """
                import logging, sys
                logging.basicConfig(level="INFO", format="%(message)s", stream=sys.stdout)
                log = logging.getLogger("a.b")
                log.addFilter(lambda record: "secret" not in record.getMessage())
                log.info("secret")
                logging.root.handlers[0].addFilter(logging.Filter("a"))
                log.info("seen")
                logging.getLogger("ab").info("of another")
                logging.root.handlers[0].filters.clear()
                logging.getLogger("ab").info("later")
                """))
        .isEqualTo("seen\nlater");
  }

  @Test
  void numbersOfAKernelStayTheKernelsThroughMath() {
    ScriptResult result =
        Scripts.run(
            Scripts.PRELUDE
                + """
                import math
                x = torch.arange(8.0).reshape(2, 4)
                y = torch.zeros(2, 4)
                run(Copy, x, y)
                v = y[0, 3].item()
                assert math.pow(v, 2) == 9
                assert math.hypot(v, 4) == 5
                assert math.fsum(y.flatten().tolist()) == 28
                assert math.dist(y[0].tolist(), [0, 1, 2, 0]) == 3
                assert math.modf(v / 2)[0] == 0.5
                assert math.atan2(v, 3) == math.pi / 4
                """);
    assertThat(result.outcome()).as(result.message()).isEqualTo(ScriptResult.Outcome.FINISHED);
    assertThat(result.checks()).hasSize(6);
  }

  @Test
  void loggersPrintWhatTheyAreSetTo() {
    assertThat(
            Scripts.output(
                """
                import logging, sys
                log = logging.getLogger("golden.moe")
                log.info("quiet")
                log.warning("loud %d", 1)
                logging.basicConfig(level=logging.INFO, format="[%(levelname)s] %(name)s %(message)s", stream=sys.stdout)
                log.info("rows %s of %s", 3, 4)
                log.debug("quiet")
                logging.getLogger().setLevel("DEBUG")
                log.debug("now")
                print(log.isEnabledFor(logging.DEBUG), logging.getLevelName(20), log)
                logging.error("root")
                """))
        .isEqualTo(
            """
            loud 1
            [INFO] golden.moe rows 3 of 4
            [DEBUG] golden.moe now
            True INFO <Logger golden.moe (DEBUG)>
            [ERROR] root root\
            """);
  }

  @Test
  void heapsBisectionAndPrettyPrinting() {
    assertThat(
            Scripts.output(
                """
                import bisect, gc, heapq, math
                from pprint import pprint
                heap = []
                for v in (5, 1, 4, 2, 3):
                    heapq.heappush(heap, v)
                print([heapq.heappop(heap) for _ in range(5)], heapq.nlargest(2, [1, 5, 3]))
                a = [1, 3, 3, 7]
                bisect.insort(a, 4)
                print(bisect.bisect_left(a, 3), bisect.bisect(a, 3), a, math.dist((0, 0), (3, 4)), gc.collect())
                pprint({"b": list(range(20)), "a": "x" * 30})
                """))
        .isEqualTo(
            """
            [1, 2, 3, 4, 5] [5, 3]
            1 3 [1, 3, 3, 4, 7] 5.0 0
            {'a': 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
             'b': [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]}\
            """);
  }

  @Test
  void whatChangesWhileItIsWalkedIsTheScriptsError() {
    assertThat(
            Scripts.output(
                """
                class K:
                    def __init__(self, n, box=None):
                        self.n, self.box = n, box
                    def __hash__(self):
                        return 1
                    def __eq__(self, other):
                        for box in (self.box, other.box):
                            if isinstance(box, set):
                                box.add(len(box) + 100)
                            elif box is not None:
                                box[len(box) + 100] = 1
                        return False
                s = set()
                s.add(K(1, s))
                s.add(5)
                d = {}
                d[K(5, d)] = 1
                d[7] = 2
                for f in (lambda: s - {K(2)}, lambda: s ^ {K(2)}, lambda: {K(6): 1}.update(d)):
                    try:
                        f()
                        print("nothing")
                    except RuntimeError as e:
                        print(e)
                """))
        .isEqualTo(
            """
            Set changed size during iteration
            Set changed size during iteration
            dictionary changed size during iteration\
            """);
  }

  @Test
  void aLoopEndsWithAnExceptionWhenItsContainerGrewOrShrank() {
    assertThat(
            Scripts.output(
                """
                def grow(d):
                    for k in d:
                        d[k + 1] = 0
                def shrink(d):
                    for k in d.items():
                        d.pop(1)
                def more(s):
                    for k in s:
                        s.add(k + 1)
                def drained(d):
                    return [d.pop(k) for k in d.keys()]
                def replaced(d):
                    for k, v in d.items():
                        d[k] = v + 1
                    return d
                for f in (grow, shrink, drained, replaced):
                    try:
                        print(f({1: 2}))
                    except RuntimeError as e:
                        print(f.__name__, e)
                try:
                    more({1})
                except RuntimeError as e:
                    print(e)
                d = {1: 2}
                for k in d:
                    d[3] = 4
                    break
                keys, values = d.keys(), d.values()
                d[5] = 6
                print(list(keys), list(values), len(keys), 5 in keys, __debug__)
                from collections import deque
                q = deque([1, 2], maxlen=2)
                try:
                    for v in q:
                        print(v)
                        q.append(v)
                except RuntimeError as e:
                    print(e, list(q), sum(q), [v for v in q])
                """))
        .isEqualTo(
            """
            grow dictionary changed size during iteration
            shrink dictionary changed size during iteration
            drained dictionary changed size during iteration
            {1: 3}
            Set changed size during iteration
            [1, 3, 5] [2, 4, 6] 3 True True
            1
            deque mutated during iteration [2, 1] 3 [2, 1]\
            """);
  }

  @Test
  void aConstantIsNoMistypedFunction() {
    assertThatThrownBy(() -> Scripts.run("print(OUT)\n"))
        .satisfies(e -> assertThat(text(e)).contains("'OUT'").doesNotContain("oct"));
    assertThatThrownBy(() -> Scripts.run("OUTS = 1\nprint(OUTT)\n"))
        .satisfies(e -> assertThat(text(e)).contains("did you mean 'OUTS'?"));
    assertThatThrownBy(() -> Scripts.run("import torch\nprint(torch.FLOAT32)\n"))
        .satisfies(e -> assertThat(text(e)).contains("did you mean 'float32'?"));
  }

  private static String text(Throwable refused) {
    return ((io.ringmaster.worker.source.DiagnosticException) refused).diagnostics().toString();
  }

  /** What Python 3.11 prints. */
  @Test
  void textsAreCollectedInMemory() {
    assertThat(
            Scripts.output(
                """
                import io
                from contextlib import redirect_stdout
                s = io.StringIO()
                s.write("a\\n")
                print("b", 1, sep="-", file=s)
                print(repr(s.getvalue()), s.tell())
                with redirect_stdout(io.StringIO()) as f:
                    print("hidden")
                    with redirect_stdout(s):
                        print("c")
                print(f.getvalue().strip(), s.getvalue().split())
                t = io.StringIO("x\\ny\\nz")
                print(t.readline(), end="")
                print([line for line in t], repr(t.read()), t.seek(0), t.read(3).split())
                try:
                    t.write(3)
                except TypeError as e:
                    print(e)
                """))
        .isEqualTo(
            """
            'a\\nb-1\\n' 6
            hidden ['a', 'b-1', 'c']
            x
            ['y\\n', 'z'] '' 0 ['x', 'y']
            string argument expected, got 'int'\
            """);
  }

  @Test
  void aFieldOfTheConstructorAloneGoesToPostInit() {
    assertThat(
            Scripts.output(
                """
                import dataclasses
                from dataclasses import dataclass, field, InitVar
                @dataclass
                class A:
                    x: int
                    scale: InitVar[int]
                    y: int = 2
                    shift: dataclasses.InitVar[int] = 0
                    def __post_init__(self, scale, shift):
                        self.total = self.x * scale + self.y + shift
                a = A(1, 10, shift=5)
                print(a, a.total, dataclasses.asdict(a), [f.name for f in dataclasses.fields(a)])
                print(A(1, 2) == A(1, 3), hasattr(a, "scale"))
                try:
                    A(1)
                except TypeError as e:
                    print(e)
                """))
        .startsWith(
            """
            A(x=1, y=2) 17 {'x': 1, 'y': 2} ['x', 'y']
            True False
            """)
        .contains("missing 1 required positional argument: 'scale'");
  }
}
