"""Layouts of statements authors use: parenthesised calls, backslashes, semicolons, comments in odd places, nested calls, unused results."""

# devices: 0,1 | 0,1,2
import argparse
import pypto.language as pl, pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig as DC

FP = pl.FP32
I32 = pl.INT32
SZ = 64
ROWS: int = 4
SHAPE = [ROWS, SZ]


def prog(NR):
    T = pl.Tensor
    DT = pld.DistributedTensor

    @pl.program
    class Weird:
        # a comment first
        @pl.function(
            type=pl.FunctionType.InCore,
        )
        def k(self, x: pl.Tensor[SHAPE, FP], y: pl.Out[pl.Tensor[SHAPE, FP]], d: pl.InOut[pld.DistributedTensor[SHAPE, FP]], s: pl.InOut[pld.DistributedTensor[[NR, 1], I32]]) -> pl.Tensor[SHAPE, FP]:  # noqa: E501
            ctx = pld.get_comm_ctx(d); me = pld.rank(ctx); n = pld.nranks(ctx)
            nxt = (
                me
                + 1
            ) % n
            "a string statement"
            for i in pl.range(ROWS):  # rows
                _ = pl.store(
                    pl.add(
                        pl.mul(pl.load(x, [i, 0], [1, SZ]), 2.0),  # two times
                        1.0,
                    ),
                    [i, 0],
                    d,
                )
            # barrier
            for p in pl.range(n):
                if (p != me): pld.system.notify(s, peer=p, offsets=[me, 0], value=1, op=pld.NotifyOp.AtomicAdd)
            for p in pl.range(n):
                if p == me:
                    pass
                else:
                    pld.system.wait(s, offsets=[p, 0], expected=1, cmp=pld.WaitCmp.Ge)
            for i in pl.range(0, ROWS, 1):
                t: pl.Tile[[1, SZ], pl.FP32] = \
                    pld.tile.remote_load(d, peer=nxt, offsets=[i, 0], shape=[1, SZ])
                y = pl.store(t, [i, 0], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(self, x: pl.Tensor[SHAPE, FP], y: pl.Out[pl.Tensor[SHAPE, FP]], d: pl.InOut[pld.DistributedTensor[SHAPE, FP]], s: pl.InOut[pld.DistributedTensor[[NR, 1], I32]]) -> pl.Tensor[SHAPE, FP]:
            """Chip."""
            out = self.k(x, y, d, s)
            return out

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def main(self, x: pl.Tensor[[NR] + SHAPE, FP], y: pl.Out[pl.Tensor[[NR, *SHAPE], FP]]) -> pl.Tensor[[NR, ROWS, SZ], FP]:
            nb = ROWS * SZ * FP.get_byte()
            d_buf = pld.alloc_window_buffer(nb)
            s_buf = pld.alloc_window_buffer(NR * I32.get_byte())
            ws = pld.world_size()
            for dev in pl.range(ws):
                d = pld.window(d_buf, SHAPE, dtype=FP)
                s = pld.window(s_buf, [NR, 1], dtype=I32)
                self.chip(x[dev], y[dev], d, s, device=dev)
            return y

    return Weird


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform", type=str, choices=["a2a3", "a2a3sim", "a5", "a5sim"], default="a2a3sim")
    parser.add_argument("-d", "--device", type=str, default="0,1")
    args, _ = parser.parse_known_args()
    dev = [*map(int, args.device.split(","))]
    n = len(dev)
    X = torch.arange(n * ROWS * SZ).float().view(n, ROWS, SZ)
    c = ir.compile(prog(n), platform=args.platform, distributed_config=DC(device_ids=dev, num_sub_workers=0, aicpu_thread_num=4))
    Y = c(X)
    exp = torch.stack([2 * X[(r + 1) % n] + 1 for r in range(n)])
    torch.testing.assert_close(Y, exp, rtol=0, atol=0, check_device=False, check_stride=False)
    print("OK")
