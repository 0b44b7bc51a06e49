import math
import sys

import pypto.language as pl
import pytest
import torch
from pypto import ir
from pypto.ir import DistributedConfig

N = 16


def scale(factor, type=pl.FP32):
    @pl.program
    class Scale:
        @pl.function(type=pl.FunctionType.InCore)
        def kernel(
            self, x: pl.Tensor[[1, N], type], y: pl.Out[pl.Tensor[[1, N], type]]
        ) -> pl.Tensor[[1, N], type]:
            y = pl.store(pl.mul(pl.load(x, [0, 0], [1, N]), factor), [0, 0], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self, x: pl.Tensor[[1, N], type], y: pl.Out[pl.Tensor[[1, N], type]]
        ) -> pl.Tensor[[1, N], type]:
            y = self.kernel(x, y)
            return y

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(self, x: pl.Tensor[[2, 1, N], type], y: pl.Out[pl.Tensor[[2, 1, N], type]]):
            for r in pl.range(2):
                self.chip(x[r], y[r], device=r)

    return Scale


def doubled(wrong):
    @pl.program
    class Doubled:
        @pl.function(type=pl.FunctionType.InCore)
        def kernel(
            self, x: pl.Tensor[[1, N], pl.FP32], y: pl.Out[pl.Tensor[[1, N], pl.FP32]]
        ) -> pl.Tensor[[1, N], pl.FP32]:
            t = pl.load(x, [0, 0], [1, N])
            y = pl.store(pl.add(pl.add(t, t), wrong), [0, 0], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self, x: pl.Tensor[[1, N], pl.FP32], y: pl.Out[pl.Tensor[[1, N], pl.FP32]]
        ) -> pl.Tensor[[1, N], pl.FP32]:
            y = self.kernel(x, y)
            return y

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(self, x: pl.Tensor[[2, 1, N], pl.FP32], y: pl.Out[pl.Tensor[[2, 1, N], pl.FP32]]):
            for r in pl.range(2):
                self.chip(x[r], y[r], device=r)

    return Doubled


def pair(factor):
    @pl.program
    class Pair:
        @pl.function(type=pl.FunctionType.InCore)
        def kernel(
            self,
            x: pl.Tensor[[1, N], pl.FP32],
            y: pl.Out[pl.Tensor[[1, N], pl.FP32]],
            z: pl.Out[pl.Tensor[[1, N], pl.FP32]],
        ) -> tuple[pl.Tensor[[1, N], pl.FP32], pl.Tensor[[1, N], pl.FP32]]:
            t = pl.mul(pl.load(x, [0, 0], [1, N]), factor)
            y = pl.store(t, [0, 0], y)
            z = pl.store(t, [0, 0], z)
            return y, z

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            x: pl.Tensor[[1, N], pl.FP32],
            y: pl.Out[pl.Tensor[[1, N], pl.FP32]],
            z: pl.Out[pl.Tensor[[1, N], pl.FP32]],
        ) -> tuple[pl.Tensor[[1, N], pl.FP32], pl.Tensor[[1, N], pl.FP32]]:
            y, z = self.kernel(x, y, z)
            return y, z

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            x: pl.Tensor[[2, 1, N], pl.FP32],
            y: pl.Out[pl.Tensor[[2, 1, N], pl.FP32]],
            z: pl.Out[pl.Tensor[[2, 1, N], pl.FP32]],
        ):
            for r in pl.range(2):
                self.chip(x[r], y[r], z[r], device=r)

    return Pair


def inplace(factor):
    @pl.program
    class InPlace:
        @pl.function(type=pl.FunctionType.InCore)
        def kernel(self, y: pl.InOut[pl.Tensor[[1, N], pl.FP32]]) -> pl.Tensor[[1, N], pl.FP32]:
            y = pl.store(pl.mul(pl.load(y, [0, 0], [1, N]), factor), [0, 0], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(self, y: pl.InOut[pl.Tensor[[1, N], pl.FP32]]) -> pl.Tensor[[1, N], pl.FP32]:
            y = self.kernel(y)
            return y

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(self, y: pl.InOut[pl.Tensor[[2, 1, N], pl.FP32]]):
            for r in pl.range(2):
                self.chip(y[r], device=r)

    return InPlace


def half(factor):
    @pl.program
    class Half:
        @pl.function(type=pl.FunctionType.InCore)
        def kernel(
            self, x: pl.Tensor[[1, N], pl.FP32], y: pl.Out[pl.Tensor[[1, N], pl.FP32]]
        ) -> pl.Tensor[[1, N], pl.FP32]:
            y = pl.store(pl.mul(pl.load(x, [0, 0], [1, N // 2]), factor), [0, 0], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self, x: pl.Tensor[[1, N], pl.FP32], y: pl.Out[pl.Tensor[[1, N], pl.FP32]]
        ) -> pl.Tensor[[1, N], pl.FP32]:
            y = self.kernel(x, y)
            return y

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(self, x: pl.Tensor[[2, 1, N], pl.FP32], y: pl.Out[pl.Tensor[[2, 1, N], pl.FP32]]):
            for r in pl.range(2):
                self.chip(x[r], y[r], device=r)

    return Half


def run(program, *tensors):
    ir.compile(
        program,
        platform="a2a3sim",
        distributed_config=DistributedConfig(device_ids=[0, 1], num_sub_workers=0),
    )(*tensors)


x = torch.arange(2 * N, dtype=torch.float32).reshape(2, 1, N) + 1
y = torch.zeros(2, 1, N)
z = torch.zeros(2, 1, N)
golden = x * 2


def filled(factor):
    @pl.program
    class Filled:
        @pl.function(type=pl.FunctionType.InCore)
        def kernel(
            self, x: pl.Tensor[[1, N], pl.FP32], y: pl.InOut[pl.Tensor[[1, N], pl.FP32]]
        ) -> pl.Tensor[[1, N], pl.FP32]:
            y = pl.store(pl.mul(pl.load(x, [0, 0], [1, N]), factor), [0, 0], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self, x: pl.Tensor[[1, N], pl.FP32], y: pl.InOut[pl.Tensor[[1, N], pl.FP32]]
        ) -> pl.Tensor[[1, N], pl.FP32]:
            y = self.kernel(x, y)
            return y

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(self, x: pl.Tensor[[2, 1, N], pl.FP32], y: pl.InOut[pl.Tensor[[2, 1, N], pl.FP32]]):
            for r in pl.range(2):
                self.chip(x[r], y[r], device=r)

    return Filled
