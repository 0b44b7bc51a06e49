"""Windows of three dimensions, several views of one buffer, tensors before and after scalars, many parameters."""

# devices: 0 | 0,1 | 4,9,2 | 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

A = 2
B = 4
C = 16
NR = pl.dynamic("NR")


@pl.program
class Wide:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        scale: pl.Scalar[pl.INT32],
        x: pl.Tensor[[A, B, C], pl.FP32],
        shift: pl.Scalar[pl.FP32],
        y: pl.Out[pl.Tensor[[A, B, C], pl.FP32]],
        counts: pl.Out[pl.Tensor[[1, 8], pl.INT32]],
        cube: pl.InOut[pld.DistributedTensor[[A, B, C], pl.FP32]],
        flat: pl.InOut[pld.DistributedTensor[[A * B, C], pl.FP32]],
        counters: pl.InOut[pld.DistributedTensor[[NR, 8], pl.INT32]],
        s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    ):
        ctx = pld.get_comm_ctx(cube)
        me = pld.rank(ctx)
        n = pld.nranks(ctx)
        for i in pl.range(A):
            t = pl.load(x, [i, 0, 0], [1, B, C])
            cube = pl.store(pl.add(t, shift), [i, 0, 0], cube)
        peer = (me + 1) % n
        pld.system.notify(counters, peer, [me, 3], scale, op=pld.NotifyOp.Set)
        pld.tensor.barrier(s)
        for i in pl.range(A * B):
            row = pld.tile.remote_load(flat, peer=peer, offsets=[i, 0], shape=[1, C])
            y = pl.store(pl.reshape(row, [1, 1, C]), [i // B, i % B, 0], y)
        left = (me + n - 1) % n
        pl.write(counts, [0, 0], pl.read(counters, [left, 3]))

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(
        self,
        scale: pl.Scalar[pl.INT32],
        x: pl.Tensor[[A, B, C], pl.FP32],
        shift: pl.Scalar[pl.FP32],
        y: pl.Out[pl.Tensor[[A, B, C], pl.FP32]],
        counts: pl.Out[pl.Tensor[[1, 8], pl.INT32]],
        cube: pl.InOut[pld.DistributedTensor[[A, B, C], pl.FP32]],
        flat: pl.InOut[pld.DistributedTensor[[A * B, C], pl.FP32]],
        counters: pl.InOut[pld.DistributedTensor[[NR, 8], pl.INT32]],
        s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    ):
        self.kernel(scale, x, shift, y, counts, cube, flat, counters, s)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(
        self,
        x: pl.Tensor[[NR, A, B, C], pl.FP32],
        y: pl.Out[pl.Tensor[[NR, A, B, C], pl.FP32]],
        counts: pl.Out[pl.Tensor[[NR, 1, 8], pl.INT32]],
    ):
        buf = pld.alloc_window_buffer(A * B * C * pl.FP32.get_byte())
        counter_buf = pld.alloc_window_buffer([NR, 8], dtype=pl.INT32)
        cells = pld.alloc_window_buffer(NR * pl.INT32.get_byte())
        for r in pl.range(pld.world_size()):
            cube = pld.window(buf, [A, B, C], dtype=pl.FP32)
            flat = pld.window(buf, [A * B, C], dtype=pl.FP32)
            counters = pld.window(counter_buf, [NR, 8], dtype=pl.INT32)
            s = pld.window(cells, [NR, 1], dtype=pl.INT32)
            self.chip(r + 1, x[r], 0.5, y[r], counts[r], cube, flat, counters, s, device=r)


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
    f = compiled(Wide)
    nr = len(devices()[1])
    x = torch.randn(nr, A, B, C)
    y = torch.zeros(nr, A, B, C)
    counts = torch.zeros(nr, 1, 8, dtype=torch.int32)
    f(x, y, counts)
    assert torch.allclose(y, torch.stack([x[(r + 1) % nr] + 0.5 for r in range(nr)]))
    assert counts[:, 0, 0].tolist() == [(r - 1) % nr + 1 for r in range(nr)]
    print("OK")
