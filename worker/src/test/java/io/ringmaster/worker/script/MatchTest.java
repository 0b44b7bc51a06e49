package io.ringmaster.worker.script;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What Python promises of {@code match}. */
class MatchTest {

  @Test
  void theFirstCaseThatFitsIsRun() {
    assertThat(
            Scripts.output(
                """
                import collections, enum
                from dataclasses import dataclass, field
                from typing import NamedTuple
                class Mode(enum.Enum):
                    HAND = "hand"
                    BUILTIN = "builtin"
                @dataclass
                class Point:
                    x: int
                    y: int
                    tag: str = field(default="", init=False)
                class Pair(NamedTuple):
                    a: int
                    b: int
                class Own:
                    __match_args__ = ("left",)
                    def __init__(self):
                        self.left = 5
                    @property
                    def broken(self):
                        raise AttributeError("no")
                LIMIT = 7
                class K:
                    LIMIT = 7
                def f(v):
                    match v:
                        case None: return "none"
                        case True: return "true"
                        case 1 | 2: return "small"
                        case -1.5: return "negative"
                        case "a" "b": return "text"
                        case K.LIMIT: return "limit"
                        case Mode.HAND | Mode.BUILTIN as m: return m.value
                        case []: return "empty"
                        case [x]: return f"one {x}"
                        case [x, [y, *_]]: return f"nested {x} {y}"
                        case [1, *rest, 9]: return f"rest {rest}"
                        case (x, y) if x == y: return "same"
                        case [*all]: return f"list {len(all)}"
                        case {"op": "add", "args": [a, b]}: return a + b
                        case {"op": op, **more}: return f"{op} {more}"
                        case {}: return "dict"
                        case Point(0, y): return f"on y {y}"
                        case Point(x=x, y=y): return f"point {x} {y}"
                        case Pair(3, b): return f"pair {b}"
                        case Own(left=1): return "never"
                        case Own(broken=_): return "never"
                        case Own(left): return f"own {left}"
                        case str(s) if s.startswith("x"): return "x..."
                        case int() | float() as n: return f"number {n}"
                    return "nothing"
                for v in (None, True, 1, 1.0, -1.5, "ab", 7, Mode.HAND, [], (4,), range(1), [1, (2, 3, 4)],
                          [1, 5, 6, 9], (8, 8), [1, 2, 3], collections.deque([1]), {"op": "add", "args": (1, 2)},
                          {"op": "mul", "n": 1}, {"z": 1}, Point(0, 4), Point(2, 3), Own(), "xyz",
                          "abc", 40, 2.5, {1, 2}, False):
                    print(f(v))
                print(f(collections.Counter(a=2)), f(collections.defaultdict(int)), f(Pair(3, 4)))
                """))
        .isEqualTo(
            """
            none
            true
            small
            small
            negative
            text
            limit
            hand
            empty
            one 4
            one 0
            nested 1 2
            rest [5, 6]
            same
            list 3
            one 1
            3
            mul {'n': 1}
            dict
            on y 4
            point 2 3
            own 5
            x...
            nothing
            number 40
            number 2.5
            nothing
            number False
            dict dict list 2\
            """);
  }

  @Test
  void namesStayBoundAndBlocksLeaveWhatIsAroundThem() {
    assertThat(
            Scripts.output(
                """
                def kinds(values):
                    for v in values:
                        match v:
                            case 0:
                                continue
                            case int(n) if n > 5:
                                yield "big"
                                break
                            case int(n):
                                got = yield n
                                yield got
                            case _:
                                return "end"
                    yield n
                print(list(kinds([0, 1, 7, 2])))
                print(list(kinds([3, "s", 2])))
                match 4, 5:
                    case a, b:
                        pass
                print(a, b)
                match = [1]
                match[0] = 2
                print(match, (lambda case: case)(3))
                """))
        .isEqualTo(
            """
            [1, None, 'big', 7]
            [3, None]
            4 5
            [2] 3\
            """);
  }

  @Test
  void whatPythonRaisesIsRaised() {
    assertThat(
            Scripts.output(
                """
                class Bare:
                    pass
                class A:
                    k = "k"
                x = 3
                def class_without_order():
                    match Bare():
                        case Bare(1): pass
                def not_a_class():
                    match 1:
                        case x(): pass
                def two_keys():
                    match {"k": 1}:
                        case {"k": 1, A.k: 2}: pass
                def unbound():
                    match 1:
                        case [y]: pass
                    return y
                for f in (class_without_order, not_a_class, two_keys, unbound):
                    try:
                        f()
                    except Exception as e:
                        print(type(e).__name__, e)
                """))
        .isEqualTo(
            """
            TypeError Bare() accepts 0 positional sub-patterns (1 given)
            TypeError called match pattern must be a class
            ValueError mapping pattern checks duplicate key ('k')
            UnboundLocalError cannot access local variable 'y' where it is not associated with a value\
            """);
  }
}
