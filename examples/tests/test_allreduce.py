"""Fixtures: compile once for a module, make inputs for each case, clean up behind it.

    ./ringmaster run examples/tests/test_allreduce.py -p a2a3sim -d 0,1,2,3
    ./ringmaster run examples/tests/test_allreduce.py -p a2a3sim -d 0,1,2,3 -k "Max or Min"

``allreduce`` is set up once for each mode (``params``), ``contributions`` for each case. The file
has no main part: it is run as ``pytest FILE`` would run it.
"""

import functools

import pytest
import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 64

GOLDEN = {
    "Sum": lambda x: x.sum(dim=0),
    "Max": lambda x: functools.reduce(torch.maximum, list(x)),
    "Min": lambda x: functools.reduce(torch.minimum, list(x)),
}


def build(nr, op):
    @pl.program
    class AllReduce:
        @pl.function(type=pl.FunctionType.InCore)
        def step(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], pl.FP32]:
            data = pl.store(pl.load(x, [0, 0], [1, SIZE]), [0, 0], data)
            data = pld.tensor.allreduce(data, signal, op=op)
            y = pl.store(pl.load(data, [0, 0], [1, SIZE]), [0, 0], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], pl.FP32]:
            return self.step(x, y, data, signal)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def on_host(
            self,
            x: pl.Tensor[[nr, 1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[nr, 1, SIZE], pl.FP32]],
        ):
            data_buffer = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
            signal_buffer = pld.alloc_window_buffer(nr * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buffer, [1, SIZE], dtype=pl.FP32)
                signal = pld.window(signal_buffer, [nr, 1], dtype=pl.INT32)
                self.on_chip(x[r], y[r], data, signal, device=r)

    return AllReduce


@pytest.fixture(scope="module", params=["Sum", "Max", "Min"])
def allreduce(request, test_config, device_ids):
    """The compiled program and its golden, once for each operation."""
    op = getattr(pld.ReduceOp, request.param)
    program = ir.compile(
        build(len(device_ids), op),
        platform=test_config.platform,
        distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
    )
    return program, GOLDEN[request.param]


@pytest.fixture
def contributions(device_ids):
    x = torch.randn((len(device_ids), 1, SIZE), dtype=torch.float32)
    before = x.clone()
    yield x
    assert torch.equal(x, before), "the kernel wrote into its input"


def test_every_rank_has_the_result(allreduce, contributions):
    program, golden = allreduce
    y = torch.zeros_like(contributions)
    program(contributions, y)
    for rank in range(y.shape[0]):
        torch.testing.assert_close(y[rank], golden(contributions), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("value", [0.0, -1.5, pytest.param(3e38, id="large")])
def test_equal_contributions(allreduce, contributions, value):
    program, golden = allreduce
    contributions_of_one = torch.full(contributions.shape, value, dtype=torch.float32)
    y = torch.zeros_like(contributions)
    program(contributions_of_one, y)
    assert torch.allclose(y, golden(contributions_of_one).expand(y.shape), equal_nan=True)
