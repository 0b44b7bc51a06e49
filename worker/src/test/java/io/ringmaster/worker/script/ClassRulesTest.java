package io.ringmaster.worker.script;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * What Python promises of abstract classes, frozen data, deep calls, generators' results and JSON.
 */
class ClassRulesTest {

  @Test
  void anAbstractClassMakesNoObjectsUntilItsMethodsAreGiven() {
    assertThat(
            Scripts.output(
                """
                import abc
                class Case(abc.ABC):
                    @abc.abstractmethod
                    def build(self): ...
                    @property
                    @abc.abstractmethod
                    def name(self): ...
                class Half(Case):
                    def build(self):
                        return 1
                class Whole(Half):
                    name = "whole"
                class Meta(metaclass=abc.ABCMeta):
                    @abc.abstractmethod
                    def run(self): ...
                for kind in (Case, Half, Meta, Whole):
                    try:
                        print(kind().name)
                    except TypeError as e:
                        print(e)
                """))
        .isEqualTo(
            """
            Can't instantiate abstract class Case without an implementation for abstract methods 'build', 'name'
            Can't instantiate abstract class Half without an implementation for abstract method 'name'
            Can't instantiate abstract class Meta without an implementation for abstract method 'run'
            whole\
            """);
  }

  @Test
  void objectsAreKeysByTheirOwnMethods() {
    assertThat(
            Scripts.output(
                """
                from dataclasses import dataclass
                class Tile:
                    def __init__(self, row, col):
                        self.row, self.col = row, col
                    def __eq__(self, other):
                        if not isinstance(other, Tile):
                            return NotImplemented
                        return (self.row, self.col) == (other.row, other.col)
                    def __hash__(self):
                        return hash((self.row, self.col))
                    def __add__(self, other):
                        return NotImplemented
                class Special(Tile):
                    pass
                cost = {Tile(0, 1): 5}
                cost[Tile(0, 1)] = 6
                cost[Special(2, 2)] = 7
                print(len(cost), cost[Tile(0, 1)], Tile(2, 2) in cost, Tile(9, 9) in cost)
                print(len({Tile(1, 2), Tile(1, 2), Tile(2, 1)}), {Tile(1, 1)} == {Tile(1, 1)})
                print({(Tile(1, 2), "a"): 3}[(Tile(1, 2), "a")], cost.get(Tile(4, 4), "none"))
                tiles = [Tile(0, 0), Tile(1, 1), Tile(1, 1)]
                print(Tile(1, 1) in tiles, tiles.index(Tile(1, 1)), tiles.count(Tile(1, 1)))
                tiles.remove(Tile(1, 1))
                print(len(tiles), Tile(1, 1) == 3, Tile(1, 1) != 3, 3 == Tile(1, 1), hash(7), hash(-2))
                class Plain:
                    pass
                one = Plain()
                print({one: 1}[one], Plain() in {one})
                @dataclass(frozen=True)
                class Frozen:
                    n: int
                @dataclass(eq=False)
                class Loose:
                    n: int
                print({Frozen(1): 2}[Frozen(1)], len({Loose(1), Loose(1)}))
                class Equal:
                    def __eq__(self, other):
                        return True
                class Derived(Equal):
                    pass
                class Wrong:
                    def __hash__(self):
                        return "x"
                @dataclass
                class Data:
                    n: int
                for bad in (Equal(), Derived(), Data(1), Wrong()):
                    try:
                        {bad: 1}
                    except TypeError as e:
                        print(e)
                try:
                    Tile(1, 1) + 3
                except TypeError as e:
                    print(e)
                """))
        .isEqualTo(
            """
            2 6 True False
            2 True
            3 none
            True 1 2
            2 False True False 7 -2
            1 False
            2 2
            unhashable type: 'Equal'
            unhashable type: 'Derived'
            unhashable type: 'Data'
            __hash__ method should return an integer
            unsupported operand type(s) for +: 'Tile' and 'int'\
            """);
  }

  @Test
  void aFrozenDataclassCannotBeAssignedTo() {
    assertThat(
            Scripts.output(
                """
                from dataclasses import FrozenInstanceError, dataclass, replace
                @dataclass(frozen=True)
                class Config:
                    ranks: int = 2
                c = Config(4)
                try:
                    c.ranks = 3
                except FrozenInstanceError as e:
                    print(e, isinstance(e, AttributeError))
                print(c, replace(c, ranks=8))
                """))
        .isEqualTo("cannot assign to field 'ranks' True\nConfig(ranks=4) Config(ranks=8)");
  }

  @Test
  void callsNestNearlyAsDeepAsInPython() {
    assertThat(
            Scripts.output(
                """
                def deep(n):
                    return 0 if n == 0 else (1 + (0 + (0 + deep(n - 1))))
                print(deep(950))
                """))
        .isEqualTo("950");
  }

  @Test
  void yieldFromGivesWhatTheInnerGeneratorReturned() {
    assertThat(
            Scripts.output(
                """
                def inner():
                    try:
                        yield 1
                        return 21
                    finally:
                        print("closed")
                def outer():
                    x = yield from inner()
                    y = yield from [2]
                    yield (x, y)
                print(list(outer()))
                """))
        .isEqualTo("closed\n[1, 2, (21, None)]");
  }

  @Test
  void jsonIsReadAsWellAsWritten() {
    assertThat(
            Scripts.output(
                """
                import json
                d = json.loads('{"a": [1, -2.5e3, null, true], "b": {"c": "x"}, "n": 12345678901234567890}')
                print(d, json.loads(json.dumps(d)) == d)
                for bad in ("{", "", "[1] 2"):
                    try:
                        json.loads(bad)
                    except json.JSONDecodeError as e:
                        print(isinstance(e, ValueError))
                """))
        .isEqualTo(
            "{'a': [1, -2500.0, None, True], 'b': {'c': 'x'}, 'n': 12345678901234567890} True\n"
                + "True\nTrue\nTrue");
  }

  @Test
  void filledTensorsHoldTheValueInEveryElement() {
    assertThat(
            Scripts.output(
                """
                import torch
                for t in (torch.full((3, 5), 2.5), torch.ones(7, dtype=torch.int8), torch.zeros(2, 0),
                          torch.full((4,), True), torch.full((2, 3), 3, dtype=torch.float16)):
                    print(t.tolist())
                x = torch.zeros(4, 4)
                x[1:3].fill_(2)
                x[:, 0].fill_(-1)
                print(x.tolist(), torch.full((2,), -0.0).signbit().all().item())
                """))
        .isEqualTo(
            "[[2.5, 2.5, 2.5, 2.5, 2.5], [2.5, 2.5, 2.5, 2.5, 2.5], [2.5, 2.5, 2.5, 2.5, 2.5]]\n"
                + "[1, 1, 1, 1, 1, 1, 1]\n[[], []]\n[True, True, True, True]\n"
                + "[[3.0, 3.0, 3.0], [3.0, 3.0, 3.0]]\n"
                + "[[-1.0, 0.0, 0.0, 0.0], [-1.0, 2.0, 2.0, 2.0], [-1.0, 2.0, 2.0, 2.0],"
                + " [-1.0, 0.0, 0.0, 0.0]] True");
  }
}
