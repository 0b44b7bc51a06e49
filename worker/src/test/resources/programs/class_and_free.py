# A class whose methods call functions from outside of it by their bare names: inline code and a
# kernel, both read for the types of the call.
# devices: 0,1 | 0,1,2
import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 32
NR = pl.dynamic("NR")


@pl.inline
def affine(tile, factor, shift):
    return pl.add(pl.mul(tile, factor), shift)


@pl.function(type=pl.FunctionType.InCore)
def double(x: pl.Tensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]):
    return pl.store(pl.mul(pl.load(x, [0, 0], [1, SIZE]), 2.0), [0, 0], y)


@pl.program
class Both:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self, x: pl.Tensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]
    ) -> pl.Tensor[[1, SIZE], pl.FP32]:
        tile = pl.load(x, [0, 0], [1, SIZE])
        return pl.store(affine(tile, 3.0, shift=1.0), [0, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(
        self,
        x: pl.Tensor[[1, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
        z: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
    ) -> tuple[pl.Tensor[[1, SIZE], pl.FP32], pl.Tensor[[1, SIZE], pl.FP32]]:
        y = self.kernel(x, y)
        z = double(x, z)
        return y, z

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(
        self,
        x: pl.Tensor[[NR, 1, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]],
        z: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]],
    ):
        for r in pl.range(pld.world_size()):
            self.chip(x[r], y[r], z[r], device=r)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1")
    args = parser.parse_args()
    ids = [int(d) for d in args.device.split(",")]
    x = torch.randn((len(ids), 1, SIZE))
    y = torch.zeros((len(ids), 1, SIZE))
    z = torch.zeros((len(ids), 1, SIZE))
    compiled = ir.compile(
        Both, platform=args.platform, distributed_config=DistributedConfig(device_ids=ids)
    )
    compiled(x, y, z)
    assert torch.allclose(y, 3.0 * x + 1.0, rtol=1e-5, atol=1e-5)
    assert torch.allclose(z, 2.0 * x, rtol=1e-5, atol=1e-5)
    print("OK")


if __name__ == "__main__":
    main()
