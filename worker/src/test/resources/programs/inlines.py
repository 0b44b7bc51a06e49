"""Inline functions of a class and beside it, carried while loops, checks at compile time, a cluster."""

# devices: 0 | 0,1 | 5,2,7

import sys

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

ROWS, COLS = 8, 32
NR = pl.dynamic("NR")


@pl.function(type=pl.FunctionType.Inline)
def doubled(t: pl.Tile[[ROWS, COLS], pl.FP32]) -> pl.Tile[[ROWS, COLS], pl.FP32]:
    return pl.add(t, t)


@pl.inline
def next_rank(me, n):
    return (me + 1) % n


@pl.program
class Inlined:
    @pl.function(type=pl.FunctionType.Inline)
    def plus(self, t: pl.Tile[[ROWS, COLS], pl.FP32], k: pl.Scalar[pl.FP32]):
        return pl.add(t, k)

    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        x: pl.Tensor[[ROWS, COLS], pl.FP32],
        y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
        w: pl.InOut[pld.DistributedTensor[[ROWS, COLS], pl.FP32]],
        s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    ):
        pl.static_assert(ROWS * COLS == 256, f"a tile has {ROWS} x {COLS} elements")
        pl.static_print(f"reading {ROWS} rows")
        ctx = pld.get_comm_ctx(w)
        t = doubled(pl.load(x, [0, 0], [ROWS, COLS]))
        one = pl.const(1, pl.INT32)
        zero = pl.const(0, pl.INT32)
        for count, total in pl.while_(init_values=(zero, zero)):
            pl.cond(count < 4)
            t = self.plus(t, 0.25)
            steps, total_after = pl.yield_(count + one, total + count)
        if total_after == 6 and steps == 4:
            w = pl.store(t, [0, 0], w)
        pld.tensor.barrier(s)
        peer = next_rank(pld.rank(ctx), pld.nranks(ctx))
        got = pld.tile.remote_load(w, peer, [0, 0], [ROWS, COLS])
        y = pl.store(got, [0, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(
        self,
        x: pl.Tensor[[ROWS, COLS], pl.FP32],
        y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
        w: pl.InOut[pld.DistributedTensor[[ROWS, COLS], pl.FP32]],
        s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    ):
        with pl.cluster():
            self.kernel(x, y, w, s)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(
        self,
        x: pl.Tensor[[NR, ROWS, COLS], pl.FP32],
        y: pl.Out[pl.Tensor[[NR, ROWS, COLS], pl.FP32]],
    ):
        data = pld.alloc_window_buffer([ROWS, COLS], dtype=pl.FP32)
        cells = pld.alloc_window_buffer(NR * pl.INT32.get_byte())
        for r in pl.range(pld.world_size()):
            w = pld.window(data, [ROWS, COLS], dtype=pl.FP32)
            s = pld.window(cells, [NR, 1], dtype=pl.INT32)
            self.chip(x[r], y[r], w, s, device=r)


if __name__ == "__main__":
    ids = [int(d) for d in sys.argv[sys.argv.index("-d") + 1].split(",")]
    f = ir.compile(Inlined, platform="a2a3sim", distributed_config=DistributedConfig(device_ids=ids))
    x = torch.randn(len(ids), ROWS, COLS)
    y = torch.zeros_like(x)
    f(x, y)
    assert torch.allclose(y, torch.roll(2 * x + 1.0, -1, 0), atol=1e-5)
    print("OK")
