"""Subscripts that read and write tensors and windows; assemble, reshape, scalar reads."""

# devices: 0,1

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 64


@pl.program
class Slices:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        x: pl.Tensor[[4, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[4, SIZE], pl.FP32]],
        z: pl.Out[pl.Tensor[[2, 2 * SIZE], pl.FP32]],
        cells: pl.InOut[pl.Tensor[[2, 4], pl.INT32]],
        w: pl.InOut[pld.DistributedTensor[[4, SIZE], pl.FP32]],
    ):
        w[0:2, 0:SIZE] = x[2:4, :]
        w[2:4, :] = pl.add(x[0:2, :], 1.0)
        a = w[0:4, 0:SIZE]
        y = pl.assemble(y, pl.mul(a, 2.0), [0, 0])
        flat = pl.reshape(x, [2, 2 * SIZE])
        z[0:2, :] = flat
        v = pl.read(cells, [1, 2])
        u = cells[0, 1]
        pl.write(cells, [0, 0], v + u)

    @pl.function(type=pl.FunctionType.InCore)
    def view(self, part: pl.Tensor[[2, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[2, SIZE], pl.FP32]]) -> pl.Tensor[[2, SIZE], pl.FP32]:
        return pl.store(pl.neg(pl.load(part, [0, 0], [2, SIZE])), [0, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(
        self,
        x: pl.Tensor[[4, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[4, SIZE], pl.FP32]],
        z: pl.Out[pl.Tensor[[2, 2 * SIZE], pl.FP32]],
        cells: pl.InOut[pl.Tensor[[2, 4], pl.INT32]],
        negated: pl.Out[pl.Tensor[[2, SIZE], pl.FP32]],
        w: pl.InOut[pld.DistributedTensor[[4, SIZE], pl.FP32]],
    ):
        self.kernel(x, y, z, cells, w)
        part = pl.slice(x, [2, SIZE], [1, 0])
        mid = pl.create_tensor([2, SIZE], dtype=pl.FP32)
        mid = self.view(part, mid)
        negated = self.view(mid, negated)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(
        self,
        x: pl.Tensor[[2, 1, 4, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[2, 4, SIZE], pl.FP32]],
        z: pl.Out[pl.Tensor[[2, 2, 2 * SIZE], pl.FP32]],
        cells: pl.InOut[pl.Tensor[[2, 2, 4], pl.INT32]],
        negated: pl.Out[pl.Tensor[[2, 2, SIZE], pl.FP32]],
    ):
        buf = pld.alloc_window_buffer([4, SIZE], dtype=pl.FP32)
        for r in pl.range(pld.world_size()):
            w = pld.window(buf, [4, SIZE], dtype=pl.FP32)
            self.chip(x[r, 0], y[r], z[r], cells[r], negated[r], w, device=r)


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
    x = torch.randn(2, 1, 4, SIZE)
    y, z = torch.zeros(2, 4, SIZE), torch.zeros(2, 2, 2 * SIZE)
    cells = torch.arange(16, dtype=torch.int32).reshape(2, 2, 4)
    negated = torch.zeros(2, 2, SIZE)
    compiled(Slices)(x, y, z, cells, negated)
    want = torch.cat([x[:, 0, 2:4] * 2, (x[:, 0, 0:2] + 1.0) * 2], dim=1)
    assert torch.allclose(y, want)
    assert torch.equal(z, x.reshape(2, 2, 2 * SIZE))
    assert cells[:, 0, 0].tolist() == [7, 9 + 14]
    assert torch.equal(negated, x[:, 0, 1:3])
    print("OK")
