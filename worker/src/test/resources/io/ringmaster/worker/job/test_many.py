"""Many cases, each of which says by a list of its own what is wrong."""

import pytest
import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig


def build(nr, size):
    @pl.program
    class Total:
        """y on every rank is the sum of all x."""

        @pl.function(type=pl.FunctionType.InCore)
        def step(
            self,
            x: pl.Tensor[[1, size], pl.FP32],
            y: pl.Out[pl.Tensor[[1, size], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, size], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, size], pl.FP32]:
            data = pl.store(pl.load(x, [0, 0], [1, size]), [0, 0], data)
            data = pld.tensor.allreduce(data, signal, op=pld.ReduceOp.Sum)
            y = pl.store(pl.load(data, [0, 0], [1, size]), [0, 0], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(
            self,
            x: pl.Tensor[[1, size], pl.FP32],
            y: pl.Out[pl.Tensor[[1, size], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, size], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, size], pl.FP32]:
            y = self.step(x, y, data, signal)
            return y

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def on_host(
            self,
            x: pl.Tensor[[nr, 1, size], pl.FP32],
            y: pl.Out[pl.Tensor[[nr, 1, size], pl.FP32]],
        ) -> pl.Tensor[[nr, 1, size], pl.FP32]:
            buffer = pld.alloc_window_buffer([1, size], dtype=pl.FP32)
            cells = pld.alloc_window_buffer([nr, 1], dtype=pl.INT32)
            for r in pl.range(pld.world_size()):
                data = pld.window(buffer, [1, size], dtype=pl.FP32)
                signal = pld.window(cells, [nr, 1], dtype=pl.INT32)
                self.on_chip(x[r], y[r], data, signal, device=r)
            return y

    return Total


def launched(device_ids, test_config, size, seed):
    nr = len(device_ids)
    torch.manual_seed(seed)
    x = torch.randn(nr, 1, size)
    y = torch.zeros(nr, 1, size)
    config = DistributedConfig(device_ids=device_ids)
    ir.compile(build(nr, size), platform=test_config.platform, distributed_config=config)(x, y)
    return y, x.sum(0)


def wrong_rows(y, golden, tolerance):
    return [r for r in range(len(y)) if (y[r] - golden).abs().max() > tolerance]


@pytest.mark.parametrize("size", [8, 16, 32, 64, 128])
@pytest.mark.parametrize("seed", range(6))
def test_list(device_ids, test_config, size, seed):
    y, golden = launched(device_ids, test_config, size, seed)
    bad = wrong_rows(y, golden, 1e-5)
    assert not bad, bad


@pytest.mark.parametrize("seed", range(2))
def test_blind(device_ids, test_config, seed):
    y, golden = launched(device_ids, test_config, 16, seed)
    assert not wrong_rows(y, golden, 1e6)


_first = {}


@pytest.mark.parametrize("seed", range(3))
def test_of_one_launch(device_ids, test_config, seed):
    if "y" not in _first:
        _first["y"], _first["golden"] = launched(device_ids, test_config, 32, 0)
    assert wrong_rows(_first["y"], _first["golden"], 1e-5) == []
