"""Carries, unrolled and parallel loops, tuple returns, arrays, annotated assignments, early return."""

# devices: 0 | 0,1 | 4,9,2 | 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 64
NR = pl.dynamic("NR")


@pl.program
class Loops:
    @pl.function(type=pl.FunctionType.InCore)
    def carries(
        self,
        x: pl.Tensor[[4, SIZE], pl.FP32],
        total: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
        counts: pl.Out[pl.Tensor[[8], pl.INT32]],
        k: pl.Scalar[pl.INT32],
    ) -> tuple[pl.Tensor[[1, SIZE], pl.FP32], pl.Tensor[[8], pl.INT32]]:
        first: pl.Tile[[1, SIZE], pl.FP32] = pl.load(x, [0, 0], [1, SIZE])
        zero = pl.tile.full([1, SIZE], dtype=pl.FP32, value=0.0)
        for i, (acc, n) in pl.range(1, 4, init_values=(first, pl.const(0, pl.INT32))):
            row = pl.load(x, [i, 0], [1, SIZE])
            sum_, m = pl.yield_(pl.add(acc, row), n + k)
        for u in pl.unroll(2):
            sum_ = pl.add(sum_, pl.load(x, [u, 0], [1, SIZE]))
        for p in pl.parallel(2):
            zero = pl.add(zero, pl.load(x, [p, 0], [1, SIZE]))
        total = pl.store(pl.add(sum_, zero), [0, 0], total)
        marks = pl.array.create(4, pl.INT32)
        for i in pl.range(4):
            marks[i] = pl.cast(i, pl.INT32) * k
        last: pl.Scalar[pl.INT32] = 0
        for i in pl.range(4):
            if marks[i] > last:
                last = marks[i]
        pl.write(counts, [0], m)
        pl.write(counts, [1], last)
        pl.write(counts, [2], pl.min(last, m))
        pl.write(counts, [3], pl.max(pl.const(-4, pl.INT32), -k))
        return total, counts

    @pl.function(type=pl.FunctionType.InCore)
    def early(
        self,
        y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
        w: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
    ) -> pl.Tensor[[1, SIZE], pl.FP32]:
        me = pld.rank(pld.get_comm_ctx(w))
        if me == 0:
            return pl.store(pl.tile.full([1, SIZE], dtype=pl.FP32, value=7.0), [0, 0], y)
        y = pl.store(pl.tile.full([1, SIZE], dtype=pl.FP32, value=1.0), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(
        self,
        x: pl.Tensor[[4, SIZE], pl.FP32],
        total: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
        counts: pl.Out[pl.Tensor[[8], pl.INT32]],
        y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
        w: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
        k: pl.Scalar[pl.INT32],
    ):
        total, counts = self.carries(x, total, counts, k)
        y = self.early(y, w)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(
        self,
        x: pl.Tensor[[NR, 4, SIZE], pl.FP32],
        total: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]],
        counts: pl.Out[pl.Tensor[[NR, 8], pl.INT32]],
        y: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]],
    ):
        buf = pld.alloc_window_buffer([1, SIZE], dtype=pl.FP32)
        for r in pl.range(pld.world_size()):
            w = pld.window(buf, [1, SIZE], dtype=pl.FP32)
            self.chip(x[r], total[r], counts[r], y[r], w, r + 2, device=r)


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
    f = compiled(Loops)
    nr = len(devices()[1])
    x = torch.randn(nr, 4, SIZE)
    total = torch.zeros(nr, 1, SIZE)
    counts = torch.zeros(nr, 8, dtype=torch.int32)
    y = torch.zeros(nr, 1, SIZE)
    f(x, total, counts, y)
    want = x.sum(dim=1, keepdim=True) + 2 * (x[:, 0:1] + x[:, 1:2])
    assert torch.allclose(total, want, rtol=1e-5, atol=1e-5)
    for r in range(nr):
        k = r + 2
        assert counts[r, :4].tolist() == [3 * k, 3 * k, 3 * k, max(-4, -k)], counts[r]
        assert torch.all(y[r] == (7.0 if r == 0 else 1.0))
    assert torch.equal(y[0], torch.full((1, SIZE), 7.0))
    print("OK")
