"""Outputs that the call allocates and returns: one, and several; dims recovered from expressions."""

# devices: 0,1

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 32
NR = pl.dynamic("NR")
M = pl.dynamic("M")


@pl.program
class Returns:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        x: pl.Tensor[[1, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
        z: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
        scale: pl.Scalar[pl.INT32],
    ) -> tuple[pl.Tensor[[1, SIZE], pl.FP32], pl.Tensor[[1, SIZE], pl.FP32]]:
        t = pl.load(x, [0, 0], [1, SIZE])
        y = pl.store(pl.add(t, t), [0, 0], y)
        z = pl.store(pl.mul(t, pl.cast(scale, pl.FP32)), [0, 0], z)
        return y, z

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(
        self,
        x: pl.Tensor[[1, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
        z: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
        scale: pl.Scalar[pl.INT32],
    ) -> tuple[pl.Tensor[[1, SIZE], pl.FP32], pl.Tensor[[1, SIZE], pl.FP32]]:
        y, z = self.kernel(x, y, z, scale)
        return y, z

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(
        self,
        x: pl.Tensor[[2, 1, SIZE], pl.FP32],
        sized: pl.Tensor[[M * 2, 1], pl.FP32],
        y: pl.Out[pl.Tensor[[2, 1, SIZE], pl.FP32]],
        z: pl.Out[pl.Tensor[[2, 1, SIZE], pl.FP32]],
    ) -> tuple[pl.Tensor[[2, 1, SIZE], pl.FP32], pl.Tensor[[2, 1, SIZE], pl.FP32]]:
        for r in pl.range(pld.world_size()):
            self.chip(x[r], y[r], z[r], M, device=r)
        return y, z


def devices():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1")
    args = parser.parse_args()
    return args.platform, [int(d) for d in args.device.split(",")]


def compiled(program):
    platform, ids = devices()
    return ir.compile(program, platform=platform, distributed_config=DistributedConfig(device_ids=ids))


if __name__ == "__main__":
    f = compiled(Returns)
    x = torch.randn(2, 1, SIZE)
    y, z = f(x, torch.zeros(6, 1))
    assert torch.equal(y, x + x)
    assert torch.equal(z, 3 * x)
    print("OK")
