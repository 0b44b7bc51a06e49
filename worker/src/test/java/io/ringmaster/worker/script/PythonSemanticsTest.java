package io.ringmaster.worker.script;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Snippets of Python and what they print. */
class PythonSemanticsTest {

  private static final String LIBRARY =
      """
      import re
      from collections import OrderedDict, namedtuple
      from dataclasses import dataclass, field, fields
      from enum import Enum, IntEnum, StrEnum, auto
      from functools import cache, cached_property, lru_cache, total_ordering
      from types import SimpleNamespace
      from typing import ClassVar, NamedTuple
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      textBlock =
          """
          1 + 2 * 3, 7 // 2, -7 // 2, 7 % -3, -7 % 3   | (7, 3, -4, -2, 2)
          2 ** 10, 2 ** -1, 1 / 3, 10 ** 30            | (1024, 0.5, 0.3333333333333333, 1000000000000000000000000000000)
          1e16, 1e15, 1e-5, 0.0001, -0.0, 1e100        | (1e+16, 1000000000000000.0, 1e-05, 0.0001, -0.0, 1e+100)
          -5 // 2.0, 5.5 % -2, float("inf")            | (-3.0, -0.5, inf)
          True + 1, True & False, not 0, 5 and 0 or 7  | (2, False, True, 7)
          "a" + "b" * 3, repr('x"y'), repr("a\\nb")    | ('abbb', '\\'x"y\\'', "'a\\\\nb'")
          [1, 2] + [3], (1,) * 3, {}, set(), (1,)      | ([1, 2, 3], (1, 1, 1), {}, set(), (1,))
          [1, 2, 3, 4, 5][::-1], "hello"[1:-1:2]       | ([5, 4, 3, 2, 1], 'el')
          [i * i for i in range(10) if i % 2]          | [1, 9, 25, 49, 81]
          {i: i + 1 for i in range(3)}, {1, 1, 2}      | ({0: 1, 1: 2, 2: 3}, {1, 2})
          list(zip([1, 2], "ab")), list(enumerate("a", 1)) | ([(1, 'a'), (2, 'b')], [(1, 'a')])
          1 < 2 < 3, 1 < 3 < 2, 1 == 1.0, [1] == [1]   | (True, False, True, True)
          3 in [1, 2, 3], "b" in "abc", 4 not in (4,)  | (True, True, False)
          round(2.5), round(3.5), round(2.675, 2)      | (2, 4, 2.67)
          round(1234, -2), divmod(-7, 2), pow(2, 10, 1000) | (1200, (-4, 1), 24)
          int("42"), int(-3.9), int("ff", 16), float("1.5") | (42, -3, 255, 1.5)
          "a,b,,c".split(","), " x  y ".split()        | (['a', 'b', '', 'c'], ['x', 'y'])
          "-".join(["a", "b"]), "x=1".partition("=")   | ('a-b', ('x', '=', '1'))
          sorted([3, 1, 2], reverse=True), sorted(["bb", "a"], key=len) | ([3, 2, 1], ['a', 'bb'])
          max([3, 1], key=lambda q: -q), min([], default=7) | (1, 7)
          ~5, 5 ^ 3, 5 << 2, -5 >> 1                   | (-6, 6, 20, -3)
          [*range(3), *"ab"], {**{"a": 1}, "b": 2}     | ([0, 1, 2, 'a', 'b'], {'a': 1, 'b': 2})
          list(range(10, 0, -3)), 5 in range(0, 10, 5) | ([10, 7, 4, 1], True)
          all([]), any([0, 1]), sum(i for i in range(5)) | (True, True, 10)
          isinstance(True, int), type(1), type("a").__name__ | (True, <class 'int'>, 'str')
          "%d %s %5.2f %05d" % (1, "a", 2.5, 42)       | 1 a  2.50 00042
          "{0} {1} {0} {x:>4}".format("a", "b", x=1)   | a b a    1
          f"{3.14159:.2f} {42:<5}~{42:^5}~{255:#x} {1234567:,} {0.5:%}" | 3.14 42   ~ 42  ~0xff 1,234,567 50.000000%
          f"{1e10:g} {1e-7:.3e} {-1.5:08.2f} {5:+d}"   | 1e+10 1.000e-07 -0001.50 +5
          f"{1 + 1=} {'q'!r:>5}"                       | 1 + 1=2   'q'
          (lambda *a, **k: (a, k))(1, 2, x=3)          | ((1, 2), {'x': 3})
          next((x for x in [1, 2, 3] if x > 1), None)  | 2
          "héllo"[1], len("héllo"), ord("a"), chr(98)  | ('é', 5, 97, 'b')
          """)
  void anExpressionPrintsWhatPythonPrints(String expression, String expected) {
    assertThat(Scripts.output("print((" + expression + "))")).isEqualTo(expected);
  }

  @Test
  void functionsTakeAllKindsOfParameters() {
    String text =
        """
        def f(a, b=2, *args, c=3, **kw):
            return a, b, args, c, kw
        print(f(1))
        print(f(1, 2, 3, 4, c=5, d=6))
        print(f(*[1, 2], **{"c": 9, "z": 1}))
        """;
    assertThat(Scripts.output(text))
        .isEqualTo(
            """
            (1, 2, (), 3, {})
            (1, 2, (3, 4), 5, {'d': 6})
            (1, 2, (), 9, {'z': 1})\
            """);
  }

  @Test
  void closuresKeepTheirVariables() {
    String text =
        """
        total = 0
        def outer():
            n = 0
            def inc():
                nonlocal n
                global total
                n += 1
                total += n
                return n
            return inc
        g = outer()
        print(g(), g(), g(), total)
        """;
    assertThat(Scripts.output(text)).isEqualTo("1 2 3 6");
  }

  @Test
  void classesInheritAndOverload() {
    String text =
        """
        class A:
            z = 5
            def __init__(self, v=1):
                self.v = v
            def get(self):
                return self.v + self.z
            @property
            def double(self):
                return 2 * self.v
            @classmethod
            def make(cls, v):
                return cls(v)
            def __repr__(self):
                return f"A({self.v})"
            def __add__(self, o):
                return A(self.v + o.v)
        class B(A):
            def __init__(self, v, w):
                super().__init__(v)
                self.w = w
            def get(self):
                return super().get() * 10 + self.w
        b = B(3, 4)
        print(b.get(), b.double, A.make(7), A(1) + A(2), isinstance(b, A), type(b).__name__)
        """;
    assertThat(Scripts.output(text)).isEqualTo("84 6 A(7) A(3) True B");
  }

  @Test
  void superWorksInClassMethodsAndProperties() {
    String text =
        """
        class A:
            log = []
            @classmethod
            def setup_class(cls):
                cls.log.append("A for " + cls.__name__)
            @property
            def size(self):
                return 4
        class B(A):
            @classmethod
            def setup_class(cls):
                super().setup_class()
                cls.log.append("B")
            @property
            def size(self):
                return super().size + 1
        class C(B):
            pass
        C.setup_class()
        B().setup_class()
        print(A.log, C().size)
        """;
    assertThat(Scripts.output(text)).isEqualTo("['A for C', 'B', 'A for B', 'B'] 5");
  }

  @Test
  void baseHearsOfItsSubclasses() {
    String text =
        """
        class Base:
            known = {}
            def __init_subclass__(cls, key=None, **rest):
                super().__init_subclass__(**rest)
                Base.known[key or cls.__name__] = cls
        class First(Base):
            pass
        class Second(First, key="2nd"):
            pass
        print(sorted(Base.known), Base.known["2nd"] is Second)
        """;
    assertThat(Scripts.output(text)).isEqualTo("['2nd', 'First'] True");
  }

  @Test
  void modulesClassesAndFunctionsKnowTheirDocstrings() {
    String text =
        """
        \"\"\"Step 3: signals.\n\n        More.\"\"\"
        class A:
            "of the class"
            def f(self):
                "of the method"
        class B(A):
            pass
        def plain():
            return 1
        print(__doc__.splitlines()[0], A.__doc__, A().f.__doc__, B.__doc__, plain.__doc__)
        """;
    assertThat(Scripts.output(text))
        .isEqualTo("Step 3: signals. of the class of the method None None");
  }

  @Test
  void typesThatOnlyDescribeAreAskedAsInPython() {
    String text =
        """
        from dataclasses import KW_ONLY, dataclass
        from typing import Protocol, TypedDict, runtime_checkable

        @runtime_checkable
        class Runs(Protocol):
            name: str
            def run(self) -> int: ...
        class Job:
            name = "x"
            def run(self): return 1
        class Options(TypedDict, total=False):
            mode: str
        class More(Options):
            size: int
        @dataclass
        class Case:
            nr: int
            _: KW_ONLY
            size: int = 64
        print(isinstance(Job(), Runs), isinstance(Case(1), Runs), More(mode="a", size=2), Case(2, size=3))
        """;
    assertThat(Scripts.output(text))
        .isEqualTo("True False {'mode': 'a', 'size': 2} Case(nr=2, size=3)");
  }

  @Test
  void heapsAndSortedListsAreThere() {
    String text =
        """
        import bisect, heapq, time
        from collections import ChainMap, deque
        heap = [5, 1, 4, 2, 3]
        heapq.heapify(heap)
        heapq.heappush(heap, 0)
        row = [1, 3, 3, 5]
        bisect.insort(row, 4)
        print([heapq.heappop(heap) for _ in range(6)], heapq.nlargest(2, row), heapq.nsmallest(1, row))
        print(row, bisect.bisect_left(row, 3), bisect.bisect(row, 3), dict(ChainMap({"a": 1})), deque([1, 2], maxlen=1))
        print(time.strftime("%Y-%m-%d %H%%"))
        """;
    assertThat(Scripts.output(text))
        .isEqualTo(
            """
            [0, 1, 2, 3, 4, 5] [5, 4] [1]
            [1, 3, 3, 4, 5] 1 3 {'a': 1} deque([2], maxlen=1)
            1970-01-01 00%\
            """);
  }

  @Test
  void exceptionsAreCaughtByClassAndFinallyRuns() {
    String text =
        """
        class MyErr(RuntimeError):
            pass
        def t():
            try:
                return "try"
            finally:
                print("cleanup")
        try:
            try:
                1 / 0
            except ZeroDivisionError as z:
                raise MyErr("wrapped") from z
            finally:
                print("fin")
        except (KeyError, MyErr) as m:
            print(type(m).__name__, m, m.args)
        else:
            print("no")
        print(t())
        try:
            {}["k"]
        except KeyError as e:
            print(e, repr(e))
        """;
    assertThat(Scripts.output(text))
        .isEqualTo("fin\nMyErr wrapped ('wrapped',)\ncleanup\ntry\n'k' KeyError('k')");
  }

  @Test
  void targetsUnpack() {
    String text =
        """
        a, (b, *c), d = 1, (2, 3, 4), 5
        a, d = d, a
        x = y = [1, 2, 3]
        x[1:2] = [9, 9]
        x[0] += 10
        del x[-1]
        print(a, b, c, d, y)
        for i, (p, q) in enumerate([(1, 2), (3, 4)]):
            print(i, p + q)
        else:
            print("done")
        while True:
            break
        """;
    assertThat(Scripts.output(text)).isEqualTo("5 2 [3, 4] 1 [11, 9, 9]\n0 3\n1 7\ndone");
  }

  @Test
  void dataclassesMakeConstructors() {
    String text =
        """
        from dataclasses import dataclass, field
        @dataclass(frozen=True)
        class P:
            x: int
            y: int = 2
            tags: list = field(default_factory=list)
        print(P(1), P(1, y=3) == P(1, 3), P(1).tags)
        """;
    assertThat(Scripts.output(text)).isEqualTo("P(x=1, y=2, tags=[]) True []");
  }

  @Test
  void contextManagersEnterAndExit() {
    String text =
        """
        class C:
            def __enter__(self):
                print("in")
                return 5
            def __exit__(self, t, v, tb):
                print("out", t is not None)
                return True
        with C() as c:
            print(c)
            raise ValueError
        print("after")
        """;
    assertThat(Scripts.output(text)).isEqualTo("in\n5\nout True\nafter");
  }

  @Test
  void theClockIsTheStepCountSoThatRunsRepeat() {
    String text =
        "import time\nt = time.perf_counter()\ntime.sleep(100)\nprint(time.perf_counter() - t < 1)";
    assertThat(Scripts.output(text)).isEqualTo("True");
    assertThat(Scripts.output("import random\nprint(random.randint(0, 10**9))"))
        .isEqualTo(Scripts.output("import random\nprint(random.randint(0, 10**9))"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      textBlock =
          """
          class P(NamedTuple):\\n    a: int\\n    b: int = 4\\n    @property\\n    def n(self): return self.a * self.b\\n    def twice(self, by): return self.a * by\\np = P(3)\\nprint(p, p.n, p.twice(2), isinstance(p, P), isinstance(p, tuple), P._fields, P._make([1, 2]), p._replace(b=1).n, [*p]) | P(a=3, b=4) 12 6 True True ('a', 'b') P(a=1, b=2) 3 [3, 4]
          P = namedtuple("P", "x y", defaults=[7])\\nclass Q(P):\\n    def norm(self): return self.x + self.y\\nprint(P(1), Q(1, 2).norm(), P(1) == (1, 7), {P(1): 2}[(1, 7)], len(P(1))) | P(x=1, y=7) 3 True 2 2
          class M(str, Enum):\\n    A = "a"\\n    B = "b"\\nprint(M.A == "a", M("b").name, {"a": 1}[M.A], M.A.upper(), M.A in ("a", "c"), M.A, [m.value for m in M]) | True B 1 A True M.A ['a', 'b']
          class F(IntEnum):\\n    A = 1\\n    B = auto()\\nprint(F.B, int(F.B), [5, 6, 7][F.B], F.B > F.A, list(range(F.B)), {1: "x"}[F.A]) | 2 2 7 True [0, 1] x
          class M(str, Enum):\\n    A = "ab1"\\n    def two(self): return self.value * 2\\nprint(M.A.removeprefix("a"), M.A.isdigit(), M.A <= "b", M.A >= "b", isinstance(M.A, str), isinstance(M.A, (int, M)), isinstance(M.A, int), M.A.two(), hasattr(M.A, "nothing")) | b1 False True False True True False ab1ab1 False
          class S(StrEnum):\\n    A = "x y"\\nclass F(IntEnum):\\n    B = 5\\nclass P(Enum):\\n    C = "c"\\nprint(S.A.zfill(5), S.A.split(), "x y" <= S.A, isinstance(S.A, str), F.B.bit_length(), isinstance(F.B, str), hasattr(P.C, "upper"), isinstance(P.C, str)) | 00x y ['x', 'y'] True True 3 False False False
          def base():\\n    print("once", end=" ")\\n    return Enum\\nclass M(str, base()):\\n    A = "a"\\nprint(M.A == "a") | once True
          class S(StrEnum):\\n    HAND = auto()\\nprint(S.HAND, S.HAND == "hand", f"{S.HAND}") | hand True hand
          @dataclass(order=True)\\nclass I:\\n    key: int\\n    name: str = field(default="x", compare=False)\\n    tags: list = field(default_factory=list, repr=False)\\n    size: int = field(init=False, default=9)\\n    all: ClassVar[dict] = {}\\nprint(I(1), I(1, "q") == I(1), I(1) < I(2), I(1).size, [f.name for f in fields(I)]) | I(key=1, name='x', size=9) True True 9 ['key', 'name', 'tags', 'size']
          @dataclass(frozen=True)\\nclass C:\\n    a: int\\n    b: str = "x"\\nprint({C(1): 2}[C(1, "x")], len({C(1), C(1), C(2)})) | 2 2
          print(re.sub(r"(\\d)(\\d)", r"\\2<\\g<1>>", "a12b345"), re.sub("b", lambda m: m.group().upper(), "abcb", count=1), re.subn("a", "", "banana")) | a2<1>b4<3>5 aBcb ('bnn', 3)
          print(re.split(r"[,;]\\s*", "a, b;c"), re.split("(-)", "a-b-c", maxsplit=1), [m.start() for m in re.finditer("a", "banana")]) | ['a', 'b', 'c'] ['a', '-', 'b-c'] [1, 3, 5]
          print(re.match(r"(?P<k>\\w+)=(?P<v>\\d+)", "n=12").groupdict(), re.compile("n").sub("m", "nn")) | {'k': 'n', 'v': '12'} mm
          n = SimpleNamespace(platform="a2a3sim", n=2)\\nn.n += 1\\nprint(n, n.n, vars(n)["platform"], n == SimpleNamespace(platform="a2a3sim", n=3)) | namespace(platform='a2a3sim', n=3) 3 a2a3sim True
          class T:\\n    @cached_property\\n    def v(self):\\n        print("once", end=" ")\\n        return 5\\nt = T()\\nprint(t.v + t.v) | once 10
          class E:\\n    def __init__(self, n): self.n = n\\n    def __eq__(self, o): return True\\n    def __hash__(self): return 1\\n    @cached_property\\n    def v(self): return self.n\\na, b = E(1), E(2)\\nprint(a.v, b.v, a.v) | 1 2 1
          class U:\\n    __hash__ = None\\n    @cached_property\\n    def v(self):\\n        print("once", end=" ")\\n        return 5\\nu = U()\\nprint(u.v + u.v) | once 10
          class L:\\n    def __getitem__(self, i):\\n        if i > 2: raise IndexError\\n        return i * i\\n    def __len__(self): return 3\\nprint(list(L()), [v for v in L()], max(L())) | [0, 1, 4] [0, 1, 4] 4
          class A:\\n    XS = [1, 2]\\n    v = 1\\n    def f(self, n=len(XS), *, m=XS): return n, m\\nprint(A().f()) | (2, [1, 2])
          class A:\\n    def __init__(self): self._v = 1\\n    @property\\n    def v(self): return self._v\\n    @v.setter\\n    def v(self, x): self._v = x * 2\\na = A()\\na.v = 4\\nprint(a.v) | 8
          def f(): f.n = getattr(f, "n", 0) + 1\\nf(); f()\\nf.__name__ = "g"\\nprint(f.n, f.__name__, hasattr(f, "m")) | 2 g False
          @total_ordering\\nclass T:\\n    def __init__(self, x): self.x = x\\n    def __eq__(self, o): return self.x == o.x\\n    def __lt__(self, o): return self.x < o.x\\nprint(T(1) >= T(0), T(1) <= T(1), T(2) > T(1), T(1) >= T(2)) | True True True False
          def told(n): return lambda s, o: print(n, end=" ") or n == "lt"\\n@total_ordering\\nclass A:\\n    __lt__ = told("lt")\\n    __ge__ = told("ge")\\n@total_ordering\\nclass B:\\n    __gt__ = told("gt")\\n    __ge__ = told("ge")\\nprint(A() <= A(), A() > A(), B() < B(), B() <= B()) | lt lt gt gt True False True True
          @lru_cache(maxsize=None)\\ndef f(n): return n\\n@cache\\ndef g(n): return n\\n@lru_cache\\ndef h(n): return n\\ndef k(n): return n\\nfor c in f, g, h: c.cache_clear()\\nprint(f(1) + g(2) + h(3), hasattr(f, "cache_clear"), hasattr(k, "cache_clear")) | 6 True False
          class G:\\n    a = 1\\n    def __getattr__(self, n):\\n        if n == "no": raise AttributeError(n)\\n        return n.upper()\\nprint(G().a, G().b, hasattr(G(), "no")) | 1 B False
          class P:\\n    @property\\n    def v(self): return self.w\\n    @property\\n    def z(self): return 1 / 0\\nprint(getattr(P(), "v", 7), hasattr(P(), "v"), end=" ")\\ntry: hasattr(P(), "z")\\nexcept ZeroDivisionError: print("z") | 7 False z
          print(issubclass(bool, int), issubclass(int, bool), issubclass(str, (int, str)), issubclass(ValueError, Exception), issubclass(dict, object), issubclass(list, ValueError)) | True False True True True False
          s = {1, 2}\\nt = s.pop()\\nprint(len(s), t in s) | 1 False
          class D: pass\\nprint(D().__class__.__name__, D().__class__ is D) | D True
          class V:\\n    def __int__(self): return 4\\n    def __float__(self): return 1.5\\nprint(int(V()), float(V())) | 4 1.5
          class K:\\n    def __repr__(self):\\n        if len(a) < 4: a.append(1)\\n        return "k"\\na = [K(), K()]\\nprint(a, end=" ")\\nprint(len(a)) | [k, k, 1, 1] 4
          class K:\\n    def __repr__(self):\\n        d[len(d)] = 1\\n        return "k"\\nd = {9: K(), 8: K()}\\nprint(d, end=" ")\\nprint(len(d)) | {9: k, 8: k} 4
          class C:\\n    def __eq__(self, o):\\n        a.clear(); b.clear()\\n        return True\\ndef fresh(): a[:] = [C(), C(), C()]; b[:] = [C(), C(), C()]\\na, b = [], []\\nfresh(); print(a == b, len(a), end=" ")\\nfresh(); print(7 in a, end=" ")\\nfresh(); print(a.index(7), a.count(7), end=" ")\\nfresh(); a.remove(7); print(len(a)) | True 0 True 0 0 0
          a = [3, 1, 2]\\ntry: a.sort(key=lambda v: a.append(v) or v)\\nexcept ValueError as e: print(e, a, end=" ")\\nprint(sorted(a, key=lambda v: a.clear() or v)) | list modified during sort [1, 2, 3] [1, 2, 3]
          a = [3, "x"]\\ntry: a.sort()\\nexcept TypeError: print(a, end=" ")\\nb = [2, 1]\\nb.sort(key=lambda v: len(b))\\nprint(b) | [3, 'x'] [2, 1]
          import json\\nd = json.loads("[" * 500 + "]" * 500)\\nn = 0\\nwhile d: d, n = d[0], n + 1\\ntry: json.loads("[" * 100000)\\nexcept RecursionError as e: print(n, "maximum recursion depth" in str(e)) | 499 True
          print({1: 2}.keys() == {1: 9}.keys(), {1: 2}.keys() == {1}, {1: 2}.items() == {1: 9}.items(), {1: [2]}.items() == {1: [2]}.items(), {1: 2}.values() == {1: 2}.values(), {1: 2}.keys() == [1], {1: 2}.keys() != {2: 2}.keys()) | True True False True False False True
          from collections import ChainMap\\nc = ChainMap({"a": 1}, {"a": 2, "b": 3})\\nc["d"] = 4\\nprint(c["a"], c["b"], list(c), len(c), c.maps[0], c.get("z", 9), c.new_child({"a": 7})["a"], c.parents["a"]) | 1 3 ['a', 'b', 'd'] 3 {'a': 1, 'd': 4} 9 7 2
          from functools import cmp_to_key\\nfrom operator import methodcaller\\nfrom statistics import fmean\\nprint(sorted([3, 1, 2], key=cmp_to_key(lambda a, b: b - a)), methodcaller("replace", "a", "b")("aa"), fmean([1, 2, 4]), "a\\tbc\\td".expandtabs(4)) | [3, 2, 1] bb 2.3333333333333335 a   bc  d
          def g():\\n    total = 0\\n    while True:\\n        try:\\n            x = yield total\\n            if x is None: return total\\n            total += x\\n        except ValueError: total = -1\\n        finally: print("f", end=" ")\\ni = g()\\nprint(next(i), i.send(3), i.throw(ValueError("q")), i.send(5), end=" ")\\ntry: next(i)\\nexcept StopIteration as e: print(e.value) | f f f 0 3 -1 4 f 4
          def g():\\n    try:\\n        got = yield 1\\n        print("got", got, end=" ")\\n        yield 2\\n    finally: print("closed", end=" ")\\ndef h():\\n    r = yield from g()\\n    print("r", r)\\ni = h()\\nnext(i)\\nprint(i.send(7), end=" ")\\ni.close()\\ni.close()\\nprint(next(i, "end")) | got 7 2 closed end
          class L:\\n    def __len__(self): return -1\\ntry: len(L())\\nexcept ValueError as e: print(e, end=" ")\\ntry: bool(L())\\nexcept ValueError as e: print("too", end=" ")\\ntry:\\n    try: 1 / 0\\n    except ZeroDivisionError as e: raise KeyError("k") from e\\nexcept KeyError as k: print(type(k.__cause__).__name__, ValueError().__cause__, end=" ")\\ntry: exit(3)\\nexcept SystemExit as e: print(e.code) | __len__() should return >= 0 too ZeroDivisionError None 3
          print(OrderedDict(a=1, b=2)["b"], list(OrderedDict([("x", 1)], y=2))) | 2 ['x', 'y']
          """)
  void aSnippetOfTheLibraryPrintsWhatPythonPrints(String text, String expected) {
    assertThat(Scripts.output(LIBRARY + text.replace("\\n", "\n"))).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '┃',
      quoteCharacter = '§',
      textBlock =
          """
          a, b = {1: 2, 3: 4}, {3: 4, 5: 6}\\nprint(a.keys() & b.keys(), a.keys() - b, a.keys() | [9], a.items() & b.items(), a.keys() ^ {3}, {1} - a.keys(), a.keys() <= {1, 3, 5}, {1, 3} < a.keys(), a.keys().isdisjoint([2])) ┃ {3} {1} {1, 3, 9} {(3, 4)} {1} set() True False True
          from collections import Counter\\na, b = Counter("aab"), Counter("abbc")\\nprint(a + b, a - b, a & b, a | b, b - a == Counter("bc"), a["z"]) ┃ Counter({'a': 3, 'b': 3, 'c': 1}) Counter({'a': 1}) Counter({'a': 1, 'b': 1}) Counter({'a': 2, 'b': 2, 'c': 1}) True 0
          def g():\\n    try: yield 1\\n    finally: yield 2\\ni = g()\\nnext(i)\\ntry: i.close()\\nexcept RuntimeError as e: print(e, end=" | ")\\nj = g()\\ntry: j.send(1)\\nexcept TypeError as e: print(e) ┃ generator ignored GeneratorExit | can't send non-None value to a just-started generator
          """)
  void aSnippetWithBarsPrintsWhatPythonPrints(String text, String expected) {
    assertThat(Scripts.output(LIBRARY + text.replace("\\n", "\n"))).isEqualTo(expected);
  }
}
