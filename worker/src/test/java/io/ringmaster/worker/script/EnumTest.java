package io.ringmaster.worker.script;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * What Python promises of flags, of names with one value, and of members with data of their own.
 */
class EnumTest {

  @Test
  void flagsAreCombinedAndAskedFor() {
    assertThat(
            Scripts.output(
                """
                import enum
                class Rail(enum.Flag):
                    NONE = 0
                    HOST = enum.auto()
                    CORE = enum.auto()
                    MESH = enum.auto()
                    BOTH = HOST | CORE
                    def label(self):
                        return self.name.lower()
                both = Rail.HOST | Rail.CORE
                print(both, both is Rail.BOTH, both == Rail(3), Rail.MESH.value, Rail.MESH.label())
                print(repr(Rail.CORE | Rail.MESH), Rail.CORE | Rail.MESH is Rail.MESH | Rail.CORE)
                print(Rail.HOST in both, Rail.MESH in both, bool(Rail.HOST & Rail.MESH), Rail.HOST & Rail.MESH)
                print(~Rail.HOST, both ^ Rail.HOST, list(Rail), list(both), len(both))
                print({Rail.HOST | Rail.MESH: 1}[Rail.MESH | Rail.HOST], Rail["BOTH"], list(Rail.__members__))
                flags = Rail.NONE
                flags |= Rail.MESH
                print(flags, isinstance(flags, Rail), isinstance(flags, enum.Flag))
                for wrong in (lambda: Rail(8), lambda: Rail.HOST | 1, lambda: 1 in Rail.HOST):
                    try:
                        wrong()
                    except (TypeError, ValueError) as e:
                        print(type(e).__name__, str(e).splitlines())
                """))
        .isEqualTo(
            """
            Rail.BOTH True True 4 mesh
            <Rail.CORE|MESH: 6> True
            True False False Rail.NONE
            Rail.CORE|MESH Rail.CORE [<Rail.HOST: 1>, <Rail.CORE: 2>, <Rail.MESH: 4>] [<Rail.HOST: 1>, <Rail.CORE: 2>] 2
            1 Rail.BOTH ['NONE', 'HOST', 'CORE', 'MESH', 'BOTH']
            Rail.MESH True True
            ValueError ["<flag 'Rail'> invalid value 8", '    given 0b0 1000', '  allowed 0b0 0111']
            TypeError ["unsupported operand type(s) for |: 'Rail' and 'int'"]
            TypeError ["unsupported operand type(s) for 'in': 'int' and 'Rail'"]\
            """);
  }

  @Test
  void flagsThatAreNumbersCountAsNumbers() {
    assertThat(
            Scripts.output(
                """
                from enum import IntFlag, auto
                class P(IntFlag):
                    R = 4
                    W = 2
                    X = 1
                p = P.R | 2
                print(p, repr(p), p + 1, p == 6, p & 1, repr(P(9)), bool(p & P.X), 1 | P.W, ~P.R, f"{P.R}")
                print({6: "rw"}[p], [0] * P.W, P.R in p, isinstance(p, int), int(p), list(p), max(P.R, P.W) is P.R)
                """))
        .isEqualTo(
            """
            6 <P.R|W: 6> 7 True 0 <P.X|8: 9> False 3 3 4
            rw [0, 0] True True 6 [<P.R: 4>, <P.W: 2>] True\
            """);
  }

  @Test
  void anEnumerationCanBeMadeByACall() {
    assertThat(
            Scripts.output(
                """
                import enum
                C = enum.Enum("C", "A B, D")
                print(list(C), C(2) is C.B, C["D"].value, C.__name__, isinstance(C.A, C))
                D = enum.IntEnum("D", ["X", "Y"], start=5)
                print(D.Y + 1, enum.Flag("F", "R W X").X.value)
                print(enum.Enum("G", {"p": "q"}).p.value, enum.Enum("H", [("k", 7)])(7))
                for names in ("", "A A", [("A", 1, 2)], "_a"):
                    try:
                        enum.Enum("C", names)
                    except (ValueError, TypeError) as e:
                        print(e)
                try:
                    C("E", "F")
                except TypeError as e:
                    print(e)
                """))
        .isEqualTo(
            """
            [<C.A: 1>, <C.B: 2>, <C.D: 3>] True 3 C True
            7 4
            q H.k
            '' can't be the name of a member
            'A' already defined as a member of C
            names of an enumeration are texts, or pairs of a text and a value
            '_a' can't be the name of a member
            <enum 'C'> cannot extend\
            """);
  }

  @Test
  void membersHaveTheirOwnDataAndOtherNames() {
    assertThat(
            Scripts.output(
                """
                import enum
                class Dtype(enum.Enum):
                    FP32 = ("float32", 4)
                    BF16 = ("bfloat16", 2)
                    FLOAT = ("float32", 4)
                    def __init__(self, torch_name, size):
                        self.torch_name = torch_name
                        self.size = size
                    @classmethod
                    def _missing_(cls, value):
                        for one in cls:
                            if one.torch_name == value:
                                return one
                print(Dtype.BF16.size, Dtype.FLOAT is Dtype.FP32, len(Dtype), Dtype("bfloat16"), Dtype.FLOAT)
                print(Dtype.FP32._value_, Dtype["FLOAT"].name, Dtype.BF16 in Dtype, ("bfloat16", 2) in Dtype)
                class Mode(enum.Enum):
                    A = enum.auto()
                    B = 10
                    C = enum.auto()
                    D = A
                print([(m.name, m.value) for m in Mode], Mode.D)
                for wrong in (lambda: Dtype("x"), lambda: Dtype["x"], lambda: enum.unique(Mode)):
                    try:
                        wrong()
                    except (KeyError, ValueError) as e:
                        print(type(e).__name__, e)
                """))
        .isEqualTo(
            """
            2 True 2 Dtype.BF16 Dtype.FP32
            ('float32', 4) FP32 True True
            [('A', 1), ('B', 10), ('C', 11)] Mode.A
            ValueError 'x' is not a valid Dtype
            KeyError 'x'
            ValueError duplicate values found in <enum 'Mode'>: D -> A\
            """);
  }

  @Test
  void abstractTypesTakeWhatTheyDescribe() {
    assertThat(
            Scripts.output(
                """
                from collections import deque, Counter
                from collections.abc import Callable, Iterable, Mapping, Sequence
                import typing
                print(isinstance(print, Callable), isinstance(lambda: 1, typing.Callable), isinstance(3, Callable))
                print([isinstance([1], t) for t in (Sequence, Iterable, Mapping)], isinstance("ab", Sequence))
                print(isinstance(deque(), Sequence), isinstance(Counter(), Mapping), isinstance({}, Mapping), isinstance((x for x in "a"), Iterable))
                """))
        .isEqualTo(
            """
            True True False
            [True, True, False] True
            True True True True\
            """);
  }
}
