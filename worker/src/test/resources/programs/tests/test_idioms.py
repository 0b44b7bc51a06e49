"""pytest features on a tiny kernel."""

# devices: 0,1,2,3
from __future__ import annotations

import contextlib
import functools
import logging
import operator
import os
import re
import sys
from collections import OrderedDict, defaultdict
from dataclasses import asdict, dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Dict, Iterator, NamedTuple, Sequence, Union

import pytest
import torch

import pypto.language as pl
import pypto.language.distributed as pld
from pypto import ir
from pypto.ir import DistributedConfig

if TYPE_CHECKING:
    from pypto.ir import DistributedCompiledProgram

pytestmark = pytest.mark.distributed
_LOGGER = logging.getLogger("zoo")
ROOT = os.path.dirname(os.path.abspath(__file__))
sys.path.append(ROOT)


class Kind(Enum):
    PUT = auto()
    GET = auto()


class Case(NamedTuple):
    rows: int
    cols: int

    @property
    def numel(self) -> int:
        return self.rows * self.cols


@dataclass
class Tol:
    rtol: float = 1e-5
    atol: float = 1e-5


CASES: Dict[str, Case] = OrderedDict(small=Case(1, 64), tall=Case(8, 32), wide=Case(2, 256))


def _shape(case: Case) -> list[int]:
    return [case.rows, case.cols]


@functools.lru_cache(maxsize=None)
def build(kind: Kind, rows: int, cols: int, nr: int):
    is_put = kind is Kind.PUT

    @pl.program
    class Shift:
        @pl.function(type=pl.FunctionType.InCore)
        def k(
            self,
            x: pl.Tensor[[rows, cols], pl.FP32],
            y: pl.Out[pl.Tensor[[rows, cols], pl.FP32]],
            w: pl.InOut[pld.DistributedTensor[[rows, cols], pl.FP32]],
            s: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[rows, cols], pl.FP32]:
            ctx = pld.get_comm_ctx(w)
            me = pld.rank(ctx)
            n = pld.nranks(ctx)
            if is_put:
                pld.tensor.put(w, peer=(me + 1) % n, src=x)
                s = pld.tensor.barrier(s)
                y = pl.store(pl.load(w, [0, 0], [rows, cols]), [0, 0], y)
            else:
                w = pl.store(pl.load(x, [0, 0], [rows, cols]), [0, 0], w)
                s = pld.tensor.barrier(s)
                pld.tensor.get(y, peer=(me + n - 1) % n, src=w)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def o(
            self,
            x: pl.Tensor[[rows, cols], pl.FP32],
            y: pl.Out[pl.Tensor[[rows, cols], pl.FP32]],
            w: pl.InOut[pld.DistributedTensor[[rows, cols], pl.FP32]],
            s: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[rows, cols], pl.FP32]:
            return self.k(x, y, w, s)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def h(
            self,
            x: pl.Tensor[[nr, rows, cols], pl.FP32],
            y: pl.Out[pl.Tensor[[nr, rows, cols], pl.FP32]],
        ) -> pl.Tensor[[nr, rows, cols], pl.FP32]:
            wb = pld.alloc_window_buffer(rows * cols * pl.FP32.get_byte())
            sb = pld.alloc_window_buffer(nr * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                w = pld.window(wb, [rows, cols], dtype=pl.FP32)
                s = pld.window(sb, [nr, 1], dtype=pl.INT32)
                self.o(x[r], y[r], w, s, device=r)
            return y

    return Shift


def requires(n: int):
    """Skip decorator in closure style."""

    def wrap(fn):
        @functools.wraps(fn)
        def inner(self, test_config, device_ids, *args, **kwargs):
            if len(device_ids) < n:
                pytest.skip(f"needs {n}")
            return fn(self, test_config, device_ids[:n], *args, **kwargs)

        return inner

    return wrap


@pytest.fixture(scope="module")
def tol() -> Tol:
    return Tol()


@pytest.fixture(params=list(CASES), ids=lambda k: k.upper())
def case(request) -> Case:
    return CASES[request.param]


@pytest.fixture(autouse=True)
def _seed() -> Iterator[None]:
    torch.manual_seed(2026)
    yield


@pytest.fixture
def make_inputs():
    made = []

    def _make(n: int, case: Case) -> tuple[torch.Tensor, torch.Tensor]:
        x = torch.randn(n, *_shape(case))
        y = torch.zeros_like(x)
        made.append((x, y))
        return x, y

    yield _make
    assert made, "fixture was never used"


def compile_(kind, case, test_config, ids):
    return ir.compile(
        build(kind, case.rows, case.cols, len(ids)),
        platform=test_config.platform,
        distributed_config=DistributedConfig(device_ids=ids, num_sub_workers=0),
    )


class TestShift:
    kinds: Sequence[Kind] = (Kind.PUT, Kind.GET)

    def setup_method(self, method):
        self.name = method.__name__
        self.log = defaultdict(list)

    def teardown_method(self):
        assert set(self.log) <= {"diff"}

    @pytest.mark.parametrize("kind", list(Kind), ids=lambda k: k.name.lower())
    def test_shift(self, test_config, device_ids, kind, case, tol, make_inputs):
        x, y = make_inputs(len(device_ids), case)
        compile_(kind, case, test_config, device_ids)(x, y)
        golden = torch.roll(x, shifts=1, dims=0)
        self.log["diff"].append((y - golden).abs().max().item())
        torch.testing.assert_close(y, golden, **asdict(tol))
        assert self.name.startswith("test_shift")

    @requires(2)
    def test_two(self, test_config, device_ids):
        x = torch.arange(128.0).reshape(2, 1, 64)
        y = compile_(Kind.PUT, CASES["small"], test_config, device_ids)(x)
        assert y.tolist() == x.flip([0]).tolist()

    @pytest.mark.skipif(sys.platform == "win32", reason="no windows")
    @pytest.mark.parametrize(
        "kind, shift",
        [
            pytest.param(Kind.PUT, 1, id="put"),
            pytest.param(Kind.GET, 1, id="get", marks=pytest.mark.slow),
            pytest.param(Kind.GET, 2, id="bad", marks=pytest.mark.xfail(reason="wrong golden", strict=True)),
        ],
    )
    def test_shift_by(self, test_config, device_ids, kind, shift):
        c = CASES["wide"]
        x = torch.randn(len(device_ids), c.rows, c.cols)
        y = torch.zeros(x.size())
        compile_(kind, c, test_config, device_ids)(x, y)
        assert torch.allclose(y, x.roll(shift, 0)), "shift"

    @pytest.mark.skip(reason="later")
    def test_skipped(self):
        raise RuntimeError

    def test_exc_info(self, test_config, device_ids):
        with pytest.raises(TypeError) as excinfo:
            compile_(Kind.PUT, CASES["small"], test_config, device_ids)(1, 2, 3, 4)
        assert "expects" in str(excinfo.value)
        assert re.search(r"got \d+", str(excinfo.value))
        assert excinfo.type is TypeError

    def test_approx(self, test_config, device_ids):
        c = CASES["small"]
        x = torch.ones(len(device_ids), *c)
        y = torch.zeros_like(x)
        compile_(Kind.GET, c, test_config, device_ids)(x, y)
        assert y.sum().item() == pytest.approx(float(c.numel * len(device_ids)), rel=1e-6)
        assert functools.reduce(operator.mul, c) == c.numel


@contextlib.contextmanager
def swallowed(*exc: type) -> Iterator[None]:
    try:
        yield
    except exc:
        _LOGGER.debug("swallowed")


def test_context_manager(test_config, device_ids):
    with swallowed(ValueError, TypeError):
        DistributedConfig(device_ids=[])
    c = CASES["small"]
    x = torch.randn(len(device_ids), *c)
    y = torch.zeros_like(x)
    compile_(Kind.PUT, c, test_config, device_ids)(x, y)
    for (i, a), b in zip(enumerate(y), torch.roll(x, 1, 0)):
        assert torch.equal(a, b), f"{i=}"


if __name__ == "__main__":
    pytest.main([__file__, "-v", "-s"])
