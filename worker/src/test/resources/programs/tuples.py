"""Several results under one name: read by index, unpacked later, handed on, carried by loops, returned."""

# devices: 0,1 | 3,1,2 | 0,1,2,3

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig
from pypto.ir.distributed_compiled_program import DistributedConfig as JitConfig
from pypto.runtime import RunConfig

SIZE = 32
NR = pl.dynamic("NR")


@pl.program
class Tuples:
    @pl.function(type=pl.FunctionType.InCore)
    def both(self, x: pl.Tensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]], z: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]) -> tuple[pl.Tensor[[1, SIZE], pl.FP32], pl.Tensor[[1, SIZE], pl.FP32]]:
        t = pl.load(x, [0, 0], [1, SIZE])
        pair = (pl.add(t, t), pl.neg(t))
        y = pl.store(pair[0], [0, 0], y)
        z = pl.store(pair[1], [0, 0], z)
        out = (y, z)
        return out

    @pl.function(type=pl.FunctionType.InCore)
    def swaps(self, x: pl.Tensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]], z: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]):
        t = pl.load(x, [0, 0], [1, SIZE])
        p = (t, pl.mul(t, 10.0))
        at = [0, 0]
        for i in pl.range(3):
            p = (p[1], p[0])
            if i == 1:
                p = (pl.add(p[0], 1.0), p[1])
        first, second = p
        for i, (a, b) in pl.range(3, init_values=p):
            c, d = pl.yield_(pl.add(a, 1.0), b)
        pl.store(first, at, y)
        pl.store(pl.add(second, c), at, z)

    @pl.function(type=pl.FunctionType.InCore)
    def exchange(self, w: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
                 s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
                 x: pl.Tensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]):
        ctx = pld.get_comm_ctx(w)
        who = (pld.rank(ctx), pld.nranks(ctx))
        pl.store(pl.load(x, [0, 0], [1, SIZE]), [0, 0], w)
        pld.tensor.barrier(s)
        y = pl.store(pld.tile.remote_load(w, (who[0] + 1) % who[1], [0, 0], [1, SIZE]), [0, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, x: pl.Tensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]], z: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]], n: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
             w: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
             s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]]) -> tuple[pl.Tensor[[1, SIZE], pl.FP32], pl.Tensor[[1, SIZE], pl.FP32]]:
        a = pl.create_tensor([1, SIZE], dtype=pl.FP32)
        b = pl.create_tensor([1, SIZE], dtype=pl.FP32)
        r = self.both(x, a, b)
        again = self.both(r[1], y, z)
        self.exchange(w, s, r[0], n)
        return again

    @pl.function(type=pl.FunctionType.Orchestration)
    def second(self, x: pl.Tensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]], z: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]):
        self.swaps(x, y, z)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(
        self,
        x: pl.Tensor[[NR, 1, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]],
        z: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]],
        n: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]],
        p: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]],
        q: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]],
    ):
        buf = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
        cells = pld.alloc_window_buffer(NR * pl.INT32.get_byte())
        for r in pl.range(pld.world_size()):
            w = pld.window(buf, [1, SIZE], dtype=pl.FP32)
            s = pld.window(cells, [NR, 1], dtype=pl.INT32)
            got = self.chip(x[r], y[r], z[r], n[r], w, s, device=r)
            self.second(got[1], p[r], q[r], device=r)


@pl.jit.inline
def split(t):
    return pl.add(t, 3.0), pl.mul(t, 3.0)


@pl.jit.incore
def free_kernel(x: pl.Tensor, y: pl.Out[pl.Tensor], z: pl.Out[pl.Tensor]):
    n, m = x.shape
    parts = split(pl.load(x, [0, 0], [n, m]))
    y = pl.store(parts[0], [0, 0], y)
    z = pl.store(parts[1], [0, 0], z)
    both = y, z
    return both


@pl.jit
def free_chip(x: pl.Tensor, y: pl.Out[pl.Tensor], z: pl.Out[pl.Tensor]):
    mid = pl.create_tensor([1, SIZE], dtype=pl.FP32)
    r = free_kernel(x, y, mid)
    r = free_kernel(r[1], r[0], z)
    return r


@pl.jit.host
def free_host(x: pl.Tensor, y: pl.Out[pl.Tensor], z: pl.Out[pl.Tensor]):
    for r in pl.range(pld.world_size()):
        got = free_chip(x[r], y[r], z[r], device=r)


def devices():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1")
    args = parser.parse_args()
    return args.platform, [int(d) for d in args.device.split(",")]


if __name__ == "__main__":
    platform, ids = devices()
    nr = len(ids)
    x = torch.randn(nr, 1, SIZE)
    y, z, n, p, q = (torch.zeros(nr, 1, SIZE) for _ in range(5))
    ir.compile(Tuples, platform=platform, distributed_config=DistributedConfig(device_ids=ids))(x, y, z, n, p, q)
    assert torch.equal(y, -2 * x)
    assert torch.equal(z, x)
    for r in range(nr):
        assert torch.equal(n[r], 2 * x[(r + 1) % nr])
    assert torch.equal(p, x * 10 + 0)
    assert torch.allclose(q, x + 1 + x * 10 + 3)

    config = RunConfig(platform=platform, distributed_config=JitConfig(device_ids=ids, num_sub_workers=0))
    y, z = torch.zeros(nr, 1, SIZE), torch.zeros(nr, 1, SIZE)
    free_host.compile(x, y, z, config=config)(x, y, z, config=RunConfig(platform=platform))
    assert torch.allclose(y, 3 * x + 3)
    assert torch.allclose(z, 9 * x)
    print("OK")
