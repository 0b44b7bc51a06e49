import pypto.language as pl
import pypto.language.distributed as pld
import pytest
import torch
from pypto import ir
from pypto.ir import DistributedConfig

P = 4
N = 16


def reduce(missing):
    @pl.program
    class Reduce:
        @pl.function(type=pl.FunctionType.InCore)
        def step(
            self,
            x: pl.Tensor[[1, N], pl.FP32],
            y: pl.Out[pl.Tensor[[1, N], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[P, N], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[P, 1], pl.INT32]],
        ) -> pl.Tensor[[1, N], pl.FP32]:
            data = pld.tensor.allgather(x, data, signal)
            total = pl.load(data, [0, 0], [1, N])
            for p in pl.range(1, P - missing):
                total = pl.add(total, pl.load(data, [p, 0], [1, N]))
            y = pl.store(total, [0, 0], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            x: pl.Tensor[[1, N], pl.FP32],
            y: pl.Out[pl.Tensor[[1, N], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[P, N], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[P, 1], pl.INT32]],
        ) -> pl.Tensor[[1, N], pl.FP32]:
            y = self.step(x, y, data, signal)
            return y

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(self, x: pl.Tensor[[P, 1, N], pl.FP32], y: pl.Out[pl.Tensor[[P, 1, N], pl.FP32]]):
            data_buffer = pld.alloc_window_buffer([P, N], dtype=pl.FP32)
            signal_buffer = pld.alloc_window_buffer([P, 1], dtype=pl.INT32)
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buffer, [P, N], dtype=pl.FP32)
                signal = pld.window(signal_buffer, [P, 1], dtype=pl.INT32)
                self.chip(x[r], y[r], data, signal, device=r)

    return Reduce


def gather(missing):
    @pl.program
    class Gather:
        @pl.function(type=pl.FunctionType.InCore)
        def step(
            self,
            x: pl.Tensor[[1, N], pl.FP32],
            y: pl.Out[pl.Tensor[[P, N], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[P, N], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[P, 1], pl.INT32]],
        ) -> pl.Tensor[[P, N], pl.FP32]:
            data = pld.tensor.allgather(x, data, signal)
            for p in pl.range(P):
                y = pl.store(pl.load(data, [p - p * missing, 0], [1, N]), [p, 0], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            x: pl.Tensor[[1, N], pl.FP32],
            y: pl.Out[pl.Tensor[[P, N], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[P, N], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[P, 1], pl.INT32]],
        ) -> pl.Tensor[[P, N], pl.FP32]:
            y = self.step(x, y, data, signal)
            return y

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(self, x: pl.Tensor[[P, 1, N], pl.FP32], y: pl.Out[pl.Tensor[[P, P, N], pl.FP32]]):
            data_buffer = pld.alloc_window_buffer([P, N], dtype=pl.FP32)
            signal_buffer = pld.alloc_window_buffer([P, 1], dtype=pl.INT32)
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buffer, [P, N], dtype=pl.FP32)
                signal = pld.window(signal_buffer, [P, 1], dtype=pl.INT32)
                self.chip(x[r], y[r], data, signal, device=r)

    return Gather


def run(program, *tensors):
    ir.compile(
        program,
        platform="a2a3sim",
        distributed_config=DistributedConfig(device_ids=list(range(P)), num_sub_workers=0),
    )(*tensors)


x = torch.arange(P * N, dtype=torch.float32).reshape(P, 1, N) % 23 + 1
y = torch.zeros(P, 1, N)
z = torch.zeros(P, P, N)
total = x.sum(dim=0)
