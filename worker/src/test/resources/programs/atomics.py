"""Atomic stores and remote stores into one place from all ranks; Set and Eq signals; a shared counter."""

# devices: 0 | 0,1 | 4,9,2 | 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

N = 16
NR = pl.dynamic("NR")


@pl.program
class Atomics:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        x: pl.Tensor[[2, N], pl.FP32],
        y: pl.Out[pl.Tensor[[2, N], pl.FP32]],
        seen: pl.Out[pl.Tensor[[8], pl.INT32]],
        w: pl.InOut[pld.DistributedTensor[[2, N], pl.FP32]],
        counter: pl.InOut[pld.DistributedTensor[[1, 8], pl.INT32]],
    ):
        ctx = pld.get_comm_ctx(w)
        me = pld.rank(ctx)
        n = pld.nranks(ctx)
        t = pl.load(x, [0, 0], [2, N])
        pld.tile.remote_store(t, target=w, peer=0, offsets=[0, 0], atomic=pld.AtomicType.Add)
        pld.system.notify(target=counter, peer=0, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)
        if me == 0:
            pld.system.wait(signal=counter, offsets=[0, 0], expected=n, cmp=pld.WaitCmp.Ge)
            for p in pl.range(n):
                pld.system.notify(counter, p, [0, 1], 5, op=pld.NotifyOp.Set)
        pld.system.wait(counter, [0, 1], 5, cmp=pld.WaitCmp.Eq)
        got = pld.tile.remote_load(w, peer=0, offsets=[0, 0], shape=[2, N])
        y = pl.store(got, [0, 0], y)
        pl.write(seen, [0], pl.read(counter, [0, 1]))

    @pl.function(type=pl.FunctionType.InCore)
    def local(self, x: pl.Tensor[[2, N], pl.FP32], acc: pl.InOut[pl.Tensor[[2, N], pl.FP32]]):
        for i in pl.range(3):
            acc = pl.store(pl.load(x, [0, 0], [2, N]), [0, 0], acc, atomic=pl.AtomicType.Add)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(
        self,
        x: pl.Tensor[[2, N], pl.FP32],
        y: pl.Out[pl.Tensor[[2, N], pl.FP32]],
        acc: pl.InOut[pl.Tensor[[2, N], pl.FP32]],
        seen: pl.Out[pl.Tensor[[8], pl.INT32]],
        w: pl.InOut[pld.DistributedTensor[[2, N], pl.FP32]],
        counter: pl.InOut[pld.DistributedTensor[[1, 8], pl.INT32]],
    ):
        self.kernel(x, y, seen, w, counter)
        self.local(x, acc)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(
        self,
        x: pl.Tensor[[NR, 2, N], pl.FP32],
        y: pl.Out[pl.Tensor[[NR, 2, N], pl.FP32]],
        acc: pl.InOut[pl.Tensor[[NR, 2, N], pl.FP32]],
        seen: pl.Out[pl.Tensor[[NR, 8], pl.INT32]],
    ):
        buf = pld.alloc_window_buffer([2, N], dtype=pl.FP32)
        cells = pld.alloc_window_buffer(8 * pl.INT32.get_byte())
        for r in pl.range(pld.world_size()):
            w = pld.window(buf, [2, N], dtype=pl.FP32)
            counter = pld.window(cells, [1, 8], dtype=pl.INT32)
            self.chip(x[r], y[r], acc[r], seen[r], w, counter, device=r)


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
    f = compiled(Atomics)
    nr = len(devices()[1])
    x = torch.randn(nr, 2, N)
    y = torch.zeros(nr, 2, N)
    acc = torch.ones(nr, 2, N)
    seen = torch.zeros(nr, 8, dtype=torch.int32)
    f(x, y, acc, seen)
    assert torch.allclose(y, x.sum(dim=0).expand(nr, 2, N), rtol=1e-5, atol=1e-5)
    assert torch.allclose(acc, 1 + 3 * x, rtol=1e-5, atol=1e-5)
    assert seen[:, 0].tolist() == [5] * nr
    print("OK")
