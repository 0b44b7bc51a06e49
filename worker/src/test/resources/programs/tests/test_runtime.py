"""What runs programs, as tests use it: its types, its errors, workers, sub-workers that change outputs."""

# devices: 0,1 | 3,1,2

from pathlib import Path

import pypto.language as pl
import pypto.language.distributed as pld
import pytest
import torch
from pypto import ir
from pypto.ir import DistributedConfig
from pypto.ir.distributed_compiled_program import DistributedCompiledProgram
from pypto.runtime import DistributedWorker, RunConfig

N = 64


def neighbours(nr, halve):
    @pl.program
    class Neighbours:
        @pl.function(level=pl.Level.HOST, role=pl.Role.SubWorker)
        def after(t: pl.InOut[pl.Tensor[[nr, 1, N], pl.FP32]], limit: pl.Tensor[[1], pl.FP32]):
            if t.max() > limit[0]:
                raise ValueError("after: too large")
            if halve:
                t.mul_(0.5)

        @pl.function(type=pl.FunctionType.InCore)
        def kernel(
            self,
            x: pl.Tensor[[1, N], pl.FP32],
            y: pl.Out[pl.Tensor[[1, N], pl.FP32]],
            w: pl.InOut[pld.DistributedTensor[[1, N], pl.FP32]],
            s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
        ) -> pl.Tensor[[1, N], pl.FP32]:
            ctx = pld.get_comm_ctx(w)
            me = pld.rank(ctx)
            n = pld.nranks(ctx)
            t = pl.load(x, [0, 0], [1, N])
            w = pl.store(t, [0, 0], w)
            pld.system.notify(s, (me + n - 1) % n, [0, 0], 1, op=pld.NotifyOp.AtomicAdd)
            pld.system.wait(s, [0, 0], 1, cmp=pld.WaitCmp.Ge)
            u = pld.tile.remote_load(w, (me + 1) % n, [0, 0], [1, N])
            return pl.store(pl.add(t, u), [0, 0], y)

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            x: pl.Tensor[[1, N], pl.FP32],
            y: pl.Out[pl.Tensor[[1, N], pl.FP32]],
            w: pl.InOut[pld.DistributedTensor[[1, N], pl.FP32]],
            s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
        ) -> pl.Tensor[[1, N], pl.FP32]:
            return self.kernel(x, y, w, s)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            x: pl.Tensor[[nr, 1, N], pl.FP32],
            limit: pl.Tensor[[1], pl.FP32],
            y: pl.Out[pl.Tensor[[nr, 1, N], pl.FP32]],
        ):
            w_buf = pld.alloc_window_buffer(N * 4)
            s_buf = pld.alloc_window_buffer(4)
            for r in pl.range(pld.world_size()):
                w = pld.window(w_buf, [1, N], dtype=pl.FP32)
                s = pld.window(s_buf, [1, 1], dtype=pl.INT32)
                self.chip(x[r], y[r], w, s, device=r)
            self.after(y, limit)

    return Neighbours


@pytest.fixture
def make(device_ids):
    config = DistributedConfig(device_ids=device_ids, num_sub_workers=1)
    assert isinstance(config, DistributedConfig) and not isinstance(config, RunConfig)
    return lambda halve=False: ir.compile(
        neighbours(len(device_ids), halve), distributed_config=config
    )


@pytest.fixture
def x(device_ids):
    return torch.randn(len(device_ids), 1, N).share_memory_()


ANY = torch.full((1,), 1000.0).share_memory_()
NONE = torch.full((1,), -1000.0).share_memory_()


def golden(x):
    return x + x.roll(-1, 0)


def test_types(make, x, tmp_path):
    compiled = make()
    assert isinstance(compiled, DistributedCompiledProgram)
    assert isinstance(tmp_path, Path) and not isinstance("x", Path)
    y = torch.zeros_like(x)
    compiled(x, ANY, y)
    assert torch.allclose(y, golden(x))


def test_output_changed_by_a_sub_worker(make, x):
    y = torch.zeros_like(x)
    make(halve=True)(x, ANY, y)
    assert torch.allclose(y, golden(x) / 2)


def test_sub_worker_that_complains(make, x):
    y = torch.zeros_like(x)
    try:
        make()(x, NONE, y)
    except ValueError as error:
        said = str(error)
    else:
        pytest.fail("it should complain")
    assert "too large" in said
    assert torch.allclose(y, golden(x))


def test_double(make, x):
    with pytest.raises(Exception, match="dtype FP64"):
        make()(x.double(), ANY, torch.zeros_like(x))


@pytest.mark.parametrize("error", [TypeError, RuntimeError, ValueError])
def test_worker_of_two(make, x, error):
    first, second = make(), make(halve=True)
    y = torch.zeros_like(x).share_memory_()
    with DistributedWorker(first, second) as worker:
        assert isinstance(worker, DistributedWorker)
        worker.run(second, x, ANY, y)
        assert torch.allclose(y, golden(x) / 2)
        with pytest.raises(error, match="is ambiguous on a multi-program DistributedWorker"):
            worker(x, ANY, y)
