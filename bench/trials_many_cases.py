"""Forty-eight cases that compare in loops of their own, so that each is read again many times.

Three collectives, four sizes, two inputs and two ways to compare: none of these is a comparison
that counts at sight, as torch.allclose of output and golden does.
"""

import pypto.language as pl
import pypto.language.distributed as pld
import pytest
import torch
from pypto import ir
from pypto.ir import DistributedConfig


def allreduce(ranks, size):
    @pl.program
    class AllReduce:
        @pl.function(type=pl.FunctionType.InCore)
        def reduce(
            self,
            x: pl.Tensor[[1, size], pl.FP32],
            y: pl.Out[pl.Tensor[[1, size], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, size], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[1, size], pl.FP32]:
            data = pl.store(pl.load(x, [0, 0], [1, size]), [0, 0], data)
            data = pld.tensor.allreduce(data, signal, op=pld.ReduceOp.Sum)
            return pl.store(pl.load(data, [0, 0], [1, size]), [0, 0], y)

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            x: pl.Tensor[[1, size], pl.FP32],
            y: pl.Out[pl.Tensor[[1, size], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, size], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[1, size], pl.FP32]:
            return self.reduce(x, y, data, signal)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            x: pl.Tensor[[ranks, 1, size], pl.FP32],
            y: pl.Out[pl.Tensor[[ranks, 1, size], pl.FP32]],
        ):
            data = pld.alloc_window_buffer([1, size], dtype=pl.FP32)
            signal = pld.alloc_window_buffer([ranks, 1], dtype=pl.INT32)
            for r in pl.range(pld.world_size()):
                self.chip(
                    x[r],
                    y[r],
                    pld.window(data, [1, size], dtype=pl.FP32),
                    pld.window(signal, [ranks, 1], dtype=pl.INT32),
                    device=r,
                )

    return AllReduce


def broadcast(ranks, size):
    @pl.program
    class Broadcast:
        @pl.function(type=pl.FunctionType.InCore)
        def share(
            self,
            x: pl.Tensor[[1, size], pl.FP32],
            y: pl.Out[pl.Tensor[[1, size], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, size], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[1, size], pl.FP32]:
            data = pl.store(pl.load(x, [0, 0], [1, size]), [0, 0], data)
            data = pld.tensor.broadcast(data, signal, root=0)
            return pl.store(pl.load(data, [0, 0], [1, size]), [0, 0], y)

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            x: pl.Tensor[[1, size], pl.FP32],
            y: pl.Out[pl.Tensor[[1, size], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, size], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[1, size], pl.FP32]:
            return self.share(x, y, data, signal)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            x: pl.Tensor[[ranks, 1, size], pl.FP32],
            y: pl.Out[pl.Tensor[[ranks, 1, size], pl.FP32]],
        ):
            data = pld.alloc_window_buffer([1, size], dtype=pl.FP32)
            signal = pld.alloc_window_buffer([ranks, 1], dtype=pl.INT32)
            for r in pl.range(pld.world_size()):
                self.chip(
                    x[r],
                    y[r],
                    pld.window(data, [1, size], dtype=pl.FP32),
                    pld.window(signal, [ranks, 1], dtype=pl.INT32),
                    device=r,
                )

    return Broadcast


def ring_shift(ranks, size):
    @pl.program
    class RingShift:
        @pl.function(type=pl.FunctionType.InCore)
        def shift(
            self,
            x: pl.Tensor[[1, size], pl.FP32],
            y: pl.Out[pl.Tensor[[1, size], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, size], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
            right: pl.Scalar[pl.INDEX],
            left: pl.Scalar[pl.INDEX],
        ) -> pl.Tensor[[1, size], pl.FP32]:
            data = pl.store(pl.load(x, [0, 0], [1, size]), [0, 0], data)
            pld.system.notify(signal, right, [0, 0], 1, op=pld.NotifyOp.AtomicAdd)
            pld.system.wait(signal, [0, 0], 1, cmp=pld.WaitCmp.Ge)
            return pl.store(pld.tile.remote_load(data, left, [0, 0], [1, size]), [0, 0], y)

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            x: pl.Tensor[[1, size], pl.FP32],
            y: pl.Out[pl.Tensor[[1, size], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, size], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
            right: pl.Scalar[pl.INDEX],
            left: pl.Scalar[pl.INDEX],
        ) -> pl.Tensor[[1, size], pl.FP32]:
            return self.shift(x, y, data, signal, right, left)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            x: pl.Tensor[[ranks, 1, size], pl.FP32],
            y: pl.Out[pl.Tensor[[ranks, 1, size], pl.FP32]],
        ):
            data = pld.alloc_window_buffer([1, size], dtype=pl.FP32)
            signal = pld.alloc_window_buffer([1, 1], dtype=pl.INT32)
            for r in pl.range(pld.world_size()):
                self.chip(
                    x[r],
                    y[r],
                    pld.window(data, [1, size], dtype=pl.FP32),
                    pld.window(signal, [1, 1], dtype=pl.INT32),
                    (r + 1) % pld.world_size(),
                    (r + pld.world_size() - 1) % pld.world_size(),
                    device=r,
                )

    return RingShift


COLLECTIVES = {
    "allreduce": (allreduce, lambda x: x.sum(0, keepdim=True).expand_as(x)),
    "broadcast": (broadcast, lambda x: x[:1].expand_as(x)),
    "ring_shift": (ring_shift, lambda x: x.roll(1, 0)),
}


def differing(y, golden):
    """Elements that differ, told one by one."""
    return [
        (r, i, got, want)
        for r, (ours, theirs) in enumerate(zip(y.flatten(1).tolist(), golden.flatten(1).tolist()))
        for i, (got, want) in enumerate(zip(ours, theirs))
        if abs(got - want) > 1e-5 + 1e-5 * abs(want)
    ]


def worst(y, golden):
    """The largest difference of each rank."""
    return [float((y[r] - golden[r]).abs().max()) for r in range(y.shape[0])]


@pytest.mark.parametrize("way", ["elements", "ranks"])
@pytest.mark.parametrize("seed", [3, 5])
@pytest.mark.parametrize("size", [16, 32, 64, 128])
@pytest.mark.parametrize("name", COLLECTIVES)
def test_collective(name, size, seed, way, device_ids, test_config):
    factory, golden_of = COLLECTIVES[name]
    ranks = len(device_ids)
    torch.manual_seed(seed)
    x = torch.randn(ranks, 1, size)
    y = torch.zeros_like(x)
    golden = golden_of(x)
    program = ir.compile(
        factory(ranks, size),
        platform=test_config.platform,
        distributed_config=DistributedConfig(device_ids=device_ids),
    )
    program(x, y)
    if way == "elements":
        wrong = differing(y, golden)
        assert not wrong, f"{len(wrong)} of {y.numel()} differ, the first: {wrong[0]}"
    else:
        errors = worst(y, golden)
        assert all(error < 1e-4 for error in errors), errors
