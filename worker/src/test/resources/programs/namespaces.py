"""The long names of operations: pl.tile.*, pl.tensor.*, pld.system.*, and tensor forms inside kernels."""

# devices: 0 | 0,1 | 4,9,2 | 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 32
NR = pl.dynamic("NR")


@pl.program
class LongNames:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        x: pl.Tensor[[8, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[8, SIZE], pl.FP32]],
        sums: pl.Out[pl.Tensor[[8, 1], pl.FP32]],
        sliced: pl.Out[pl.Tensor[[2, SIZE], pl.FP32]],
        w: pl.InOut[pld.DistributedTensor[[8, SIZE], pl.FP32]],
        s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    ):
        ctx = pld.system.get_comm_ctx(w)
        me = pld.system.rank(ctx)
        n = pld.system.nranks(ctx)
        t = pl.tile.load(x, [0, 0], [8, SIZE])
        flat = pl.tile.reshape(t, [4, 2 * SIZE])
        flat = pl.tile.adds(flat, 1.0)
        back = pl.tile.reshape(flat, [8, SIZE])
        tmp = pl.tile.create([8, SIZE], dtype=pl.FP32, target_memory=pl.MemorySpace.Vec)
        sums = pl.tile.store(pl.tile.row_sum(t, tmp), [0, 0], sums)
        peer = (me + 1) % n
        pld.tile.remote_store(back, w, peer, [0, 0])
        part = pl.tensor.slice(x, [2, SIZE], [2, 0])
        more = pl.tensor.add(part, part)
        sliced = pl.tensor.assemble(sliced, more, [0, 0])
        s = pld.tensor.barrier(s)
        y = pl.tile.store(pl.tile.load(w, [0, 0], [8, SIZE]), [0, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(
        self,
        x: pl.Tensor[[8, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[8, SIZE], pl.FP32]],
        sums: pl.Out[pl.Tensor[[8, 1], pl.FP32]],
        sliced: pl.Out[pl.Tensor[[2, SIZE], pl.FP32]],
        w: pl.InOut[pld.DistributedTensor[[8, SIZE], pl.FP32]],
        s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    ):
        self.kernel(x, y, sums, sliced, w, s)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(
        self,
        x: pl.Tensor[[NR, 8, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[NR, 8, SIZE], pl.FP32]],
        sums: pl.Out[pl.Tensor[[NR, 8, 1], pl.FP32]],
        sliced: pl.Out[pl.Tensor[[NR, 2, SIZE], pl.FP32]],
    ):
        buf = pld.tensor.alloc_window_buffer([8, SIZE], dtype=pl.FP32)
        cells = pld.tensor.alloc_window_buffer(NR * pl.INT32.get_byte())
        for r in pl.range(pld.system.world_size()):
            w = pld.tensor.window(buf, [8, SIZE], dtype=pl.FP32)
            s = pld.tensor.window(cells, [NR, 1], dtype=pl.INT32)
            self.chip(x[r], y[r], sums[r], sliced[r], w, s, device=r)


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
    f = compiled(LongNames)
    nr = len(devices()[1])
    x = torch.randn(nr, 8, SIZE)
    y, sums, sliced = torch.zeros(nr, 8, SIZE), torch.zeros(nr, 8, 1), torch.zeros(nr, 2, SIZE)
    f(x, y, sums, sliced)
    assert torch.allclose(y, torch.stack([x[(r - 1) % nr] + 1.0 for r in range(nr)]))
    assert torch.allclose(sums, x.sum(dim=-1, keepdim=True), rtol=1e-5, atol=1e-5)
    assert torch.allclose(sliced, 2 * x[:, 2:4])
    print("OK")
