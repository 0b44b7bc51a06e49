# What drivers use of Python's own library.
# devices: 0
import collections.abc
import dataclasses
import functools
import itertools
import json
import operator
import statistics
import string
import textwrap
from abc import ABC, abstractmethod
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import asdict, astuple, dataclass, field, fields, replace
from enum import Enum, IntEnum, auto
from typing import Generic, NamedTuple, Protocol, TypeVar

import pypto.language as pl
import torch
from pypto import ir

T = TypeVar("T")


class Mode(Enum):
    HAND = "hand"
    BUILTIN = "builtin"


class Step(IntEnum):
    LOAD = auto()
    STORE = auto()


class Shape(NamedTuple):
    rows: int
    cols: int = 64


class Source(Protocol):
    def make(self): ...


class Base(ABC, Generic[T]):
    @abstractmethod
    def make(self): ...


class Ramp(Base[int]):
    def make(self):
        return list(range(3))


@dataclass(frozen=True, order=True)
class Case:
    name: str
    shape: Shape = Shape(1)
    tags: list = field(default_factory=list)

    @functools.cached_property
    def elements(self):
        return self.shape.rows * self.shape.cols


def logged(function):
    @functools.wraps(function)
    def call(*values, **named):
        return function(*values, **named)

    return call


@logged
def twice(value):
    return value * 2


@contextmanager
def opened(log, name):
    log.append("open " + name)
    yield name
    log.append("close " + name)


def check_library():
    case = Case("small", Shape(2, 8))
    assert asdict(case) == {"name": "small", "shape": Shape(2, 8), "tags": []}
    assert replace(case, name="large").name == "large" and case.elements == 16
    assert [f.name for f in fields(case)] == ["name", "shape", "tags"] and astuple(case)[0] == "small"
    assert Case("a") < Case("b") and dataclasses.is_dataclass(case)
    assert Shape(3)._replace(cols=2) == (3, 2) and Shape(3)._asdict() == {"rows": 3, "cols": 64}
    assert Step.STORE == 2 and Step.STORE + 1 == 3 and [m.name for m in Mode] == ["HAND", "BUILTIN"]
    assert Ramp().make() == [0, 1, 2] and isinstance(Ramp(), Base)
    counts = Counter("abca")
    assert counts["a"] == 2 and counts["z"] == 0 and counts.most_common(1) == [("a", 2)]
    rows = defaultdict(list)
    rows["x"].append(1)
    assert rows == {"x": [1]} and OrderedDict([("k", 1)])["k"] == 1
    queue = deque([1, 2, 3], maxlen=3)
    queue.append(4)
    assert queue.popleft() == 2 and list(queue) == [3, 4]
    assert namedtuple("Pair", "a b", defaults=[5])(1).b == 5
    assert list(itertools.islice(itertools.count(3, 2), 3)) == [3, 5, 7]
    assert list(itertools.chain.from_iterable([[1], [2, 3]])) == [1, 2, 3]
    assert [(k, list(g)) for k, g in itertools.groupby([1, 1, 2])] == [(1, [1, 1]), (2, [2])]
    assert list(itertools.zip_longest([1, 2], [3])) == [(1, 3), (2, None)]
    assert list(itertools.accumulate([1, 2, 3], operator.mul)) == [1, 2, 6]
    assert list(itertools.pairwise([1, 2, 3])) == [(1, 2), (2, 3)]
    assert list(itertools.islice(itertools.cycle("ab"), 3)) == ["a", "b", "a"]
    assert list(itertools.starmap(pow, [(2, 3)])) == [8] and list(itertools.repeat(0, 2)) == [0, 0]
    assert sorted([(2, "b"), (1, "a")], key=operator.itemgetter(1))[0][0] == 1
    assert twice.__name__ == "twice" and twice(4) == 8
    assert json.dumps({"p": [1, 2.5, None, True], "s": 'a"b'}) == '{"p": [1, 2.5, null, true], "s": "a\\"b"}'
    assert textwrap.dedent("  a\n    b") == "a\n  b" and string.digits[3] == "3"
    assert statistics.mean([1, 2, 6]) == 3 and statistics.median([3, 1, 2]) == 2
    log = []
    with ExitStack() as stack:
        names = [stack.enter_context(opened(log, name)) for name in ("a", "b")]
        stack.enter_context(nullcontext())
    assert names == ["a", "b"] and log == ["open a", "open b", "close b", "close a"]
    with suppress(KeyError):
        {}["missing"]


@pl.program
class Copy:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[1, 32], pl.FP32], y: pl.Out[pl.Tensor[[1, 32], pl.FP32]]) -> pl.Tensor[[1, 32], pl.FP32]:
        return pl.store(pl.load(x, [0, 0], [1, 32]), [0, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, x: pl.Tensor[[1, 32], pl.FP32], y: pl.Out[pl.Tensor[[1, 32], pl.FP32]]) -> pl.Tensor[[1, 32], pl.FP32]:
        y = self.kernel(x, y)
        return y


check_library()
x = torch.randn(1, 32)
assert torch.equal(ir.compile(Copy, platform="a2a3sim")(x), x)
print("OK")
