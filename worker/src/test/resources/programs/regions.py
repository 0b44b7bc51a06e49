"""Puts and gets with regions, chunks, pipelining and positional arguments; atomic adds."""

# devices: 0 | 0,1 | 4,9,2 | 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

ROWS = 8
COLS = 32
NR = pl.dynamic("NR")


@pl.program
class Regions:
    @pl.function(type=pl.FunctionType.InCore)
    def move(
        self,
        x: pl.Tensor[[ROWS, COLS], pl.FP32],
        got: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
        part: pl.Out[pl.Tensor[[4, COLS], pl.FP32]],
        summed: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
        w: pl.InOut[pld.DistributedTensor[[ROWS, COLS], pl.FP32]],
        sum_w: pl.InOut[pld.DistributedTensor[[ROWS, COLS], pl.FP32]],
        s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        ctx = pld.get_comm_ctx(w)
        me = pld.rank(ctx)
        n = pld.nranks(ctx)
        right = (me + 1) % n
        pld.tensor.put(w, right, x, [0, 0], [4, 0], [4, COLS])
        pld.tensor.put(dst=w, peer=right, src=x, dst_offsets=[4, 0], src_offsets=[0, 0], shape=[4, COLS], chunk_rows=2, chunk_cols=16, pipeline=True)
        for p in pl.range(n):
            pld.tensor.put(sum_w, p, x, atomic=pld.AtomicType.Add)
        pld.tensor.barrier(s)
        pld.tensor.get(got, me, w)
        pld.tensor.get(part, right, src=w, dst_offsets=[0, 0], src_offsets=[2, 0], shape=[4, COLS], chunk_rows=1)
        summed = pl.store(pl.load(sum_w, [0, 0], [ROWS, COLS]), [0, 0], summed)
        return got

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(
        self,
        x: pl.Tensor[[ROWS, COLS], pl.FP32],
        got: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
        part: pl.Out[pl.Tensor[[4, COLS], pl.FP32]],
        summed: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
        w: pl.InOut[pld.DistributedTensor[[ROWS, COLS], pl.FP32]],
        sum_w: pl.InOut[pld.DistributedTensor[[ROWS, COLS], pl.FP32]],
        s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    ):
        self.move(x, got, part, summed, w, sum_w, s)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(
        self,
        x: pl.Tensor[[NR, ROWS, COLS], pl.FP32],
        got: pl.Out[pl.Tensor[[NR, ROWS, COLS], pl.FP32]],
        part: pl.Out[pl.Tensor[[NR, 4, COLS], pl.FP32]],
        summed: pl.Out[pl.Tensor[[NR, ROWS, COLS], pl.FP32]],
    ):
        buf = pld.alloc_window_buffer(ROWS * COLS * pl.FP32.get_byte())
        sum_buf = pld.alloc_window_buffer((ROWS, COLS), dtype=pl.FP32)
        cells = pld.alloc_window_buffer(pld.world_size() * pl.INT32.get_byte())
        for r in pl.range(pld.world_size()):
            w = pld.window(buf, [ROWS, COLS], dtype=pl.FP32)
            sum_w = pld.window(sum_buf, [ROWS, COLS], dtype=pl.FP32)
            s = pld.window(cells, [pld.world_size(), 1], dtype=pl.INT32)
            self.chip(x[r], got[r], part[r], summed[r], w, sum_w, s, device=r)


def devices():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1")
    args = parser.parse_args()
    return args.platform, [int(d) for d in args.device.split(",")]


def compiled(program):
    platform, ids = devices()
    return ir.compile(program, platform=platform, distributed_config=DistributedConfig(device_ids=ids))


def main():
    f = compiled(Regions)
    nr = len(devices()[1])
    x = torch.randn((nr, ROWS, COLS), dtype=torch.float32)
    got = torch.zeros_like(x)
    part = torch.zeros((nr, 4, COLS))
    summed = torch.zeros_like(x)
    f(x, got, part, summed)
    want = torch.stack([torch.cat([x[(r - 1) % nr][4:], x[(r - 1) % nr][:4]], dim=0) for r in range(nr)])
    torch.testing.assert_close(got, want, rtol=0, atol=0)
    assert torch.equal(part, torch.stack([want[(r + 1) % nr][2:6] for r in range(nr)]))
    assert torch.allclose(summed, x.sum(dim=0).expand(nr, ROWS, COLS), rtol=1e-5, atol=1e-5)
    print("OK")


if __name__ == "__main__":
    main()
