# devices: 0,1,2,3
import sys
from dataclasses import dataclass, field
from typing import Callable, List, Optional
import pytest
import torch
import pypto.language as pl
import pypto.language.distributed as pld
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 64
NR = pl.dynamic("NR")


@dataclass
class Case:
    name: str
    ranks: int
    value: float = 1.0
    tags: List[str] = field(default_factory=list)


CASES = [Case("two", 2), Case("three", 3, 2.5), Case("four", 4, -1.0, ["slow"])]


@pl.program
class Notify:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, x: pl.Tensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]], w: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[1], pl.INT32]]):
        ctx = pld.get_comm_ctx(s)
        me = pld.rank(ctx)
        n = pld.nranks(ctx)
        if me == 0:
            t = pl.load(x, [0, 0], [1, SIZE])
            for p in pl.range(n):
                pld.tile.remote_store(t, w, p, [0, 0])
                pld.system.notify(s, p, [0], 1, op=pld.NotifyOp.Set)
        pld.system.wait(s, [0], 1, cmp=pld.WaitCmp.Ge)
        y = pl.store(pl.load(w, [0, 0], [1, SIZE]), [0, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, x: pl.Tensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]], w: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[1], pl.INT32]]):
        self.k(x, y, w, s)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[NR, 1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]]):
        wb = pld.alloc_window_buffer([1, SIZE], dtype=pl.FP32)
        sb = pld.alloc_window_buffer([1], dtype=pl.INT32)
        for r in pl.range(pld.world_size()):
            self.chip(x[r], y[r], pld.window(wb, [1, SIZE], dtype=pl.FP32), pld.window(sb, [1], dtype=pl.INT32), device=r)


@pytest.fixture(scope="module")
def compiled_for() -> Callable:
    cache = {}

    def get(platform: str, ids: List[int]):
        key = (platform, tuple(ids))
        if key not in cache:
            cache[key] = ir.compile(Notify, platform=platform, distributed_config=DistributedConfig(device_ids=ids))
        return cache[key]

    yield get
    cache.clear()


@pytest.fixture
def inputs(request):
    n, value = request.param
    return torch.full((n, 1, SIZE), value)


class TestBroadcast:
    @pytest.fixture(autouse=True)
    def _seed(self):
        torch.manual_seed(42)
        self.generator = torch.Generator().manual_seed(1)

    @pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
    def test_case(self, case: Case, test_config, device_ids, compiled_for):
        if len(device_ids) < case.ranks:
            pytest.skip(f"needs {case.ranks} devices")
        f = compiled_for(test_config.platform, device_ids[: case.ranks])
        x = torch.full((case.ranks, 1, SIZE), case.value) + torch.arange(case.ranks).view(-1, 1, 1)
        y = torch.zeros_like(x)
        f(x, y)
        assert torch.equal(y, x[0:1].expand_as(y))

    @pytest.mark.parametrize("inputs", [(2, 3.0), (4, 4.0)], indirect=True, ids=["p2", "p4"])
    def test_indirect(self, inputs, device_ids, compiled_for, test_config):
        f = compiled_for(test_config.platform, device_ids[: inputs.shape[0]])
        y = torch.empty_like(inputs).fill_(-1)
        f(inputs, y)
        assert (y == inputs).all()
        assert y.tolist() == inputs.tolist()

    @pytest.mark.skipif(sys.version_info < (3, 9), reason="old")
    @pytest.mark.parametrize("n", [2, 3])
    @pytest.mark.parametrize("scale", [1.0, 0.5])
    def test_scaled(self, n, scale, device_ids, compiled_for, test_config):
        f = compiled_for(test_config.platform, device_ids[:n])
        x = torch.randn(n, 1, SIZE, generator=self.generator) * scale
        y = torch.zeros(n, 1, SIZE)
        f(x, y)
        for r in range(n):
            assert torch.allclose(y[r], x[0], rtol=1e-5, atol=1e-5), f"rank {r} of {n}"


if __name__ == "__main__":
    pytest.main([__file__, "-v"])
