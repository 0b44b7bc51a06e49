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
