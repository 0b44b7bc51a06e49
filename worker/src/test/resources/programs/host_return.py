"""HOST code names its outputs in its return after they were handed to a dispatch whole."""

# devices: 0 | 0,1

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 32


@pl.program
class Whole:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self, x: pl.Tensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]
    ) -> pl.Tensor[[1, SIZE], pl.FP32]:
        return pl.store(pl.add(pl.load(x, [0, 0], [1, SIZE]), 1.0), [0, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(
        self, x: pl.Tensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]
    ) -> pl.Tensor[[1, SIZE], pl.FP32]:
        return self.kernel(x, y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(
        self,
        x: pl.Tensor[[1, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
        z: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
    ) -> tuple[pl.Tensor[[1, SIZE], pl.FP32], pl.Tensor[[1, SIZE], pl.FP32]]:
        self.chip(x, y, device=0)
        z = self.chip(x, z, device=0)
        return y, z


@pl.jit.incore
def kernel(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    y = pl.store(pl.mul(pl.load(x, [0, 0], [1, SIZE]), 2.0), [0, 0], y)


@pl.jit
def chip(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    y = kernel(x, y)
    return y


@pl.jit.host
def host(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    chip(x, y, device=0)
    return y


def devices():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1")
    args = parser.parse_args()
    return args.platform, [int(d) for d in args.device.split(",")]


if __name__ == "__main__":
    platform, ids = devices()
    from pypto.runtime import RunConfig

    x = torch.randn(1, SIZE)
    y, z = torch.zeros(1, SIZE), torch.zeros(1, SIZE)
    ir.compile(Whole, platform=platform, distributed_config=DistributedConfig(device_ids=ids))(x, y, z)
    assert torch.equal(y, x + 1) and torch.equal(z, x + 1)
    config = RunConfig(platform=platform, distributed_config=DistributedConfig(device_ids=ids, num_sub_workers=0))
    host.compile(x, y, config=config)(x, y, config=RunConfig(platform=platform))
    assert torch.equal(y, 2 * x)
    print("OK")
