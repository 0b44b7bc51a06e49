"""Windows of each element type, casts with rounding, reductions in half precision."""

# devices: 0,1

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

N = 32


def build(dtype):
    @pl.program
    class Copy:
        @pl.function(type=pl.FunctionType.InCore)
        def kernel(
            self,
            x: pl.Tensor[[1, N], dtype],
            y: pl.Out[pl.Tensor[[1, N], dtype]],
            w: pl.InOut[pld.DistributedTensor[[1, N], dtype]],
            s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
        ) -> pl.Tensor[[1, N], dtype]:
            me = pld.rank(pld.get_comm_ctx(w))
            peer = 1 - me
            w = pl.store(pl.load(x, [0, 0], [1, N]), [0, 0], w)
            pld.system.notify(s, peer=peer, offsets=[me, 0], value=1, op=pld.NotifyOp.AtomicAdd)
            pld.system.wait(s, offsets=[peer, 0], expected=1, cmp=pld.WaitCmp.Ge)
            got = pld.tile.remote_load(w, peer, [0, 0], [1, N])
            return pl.store(got, [0, 0], y)

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            x: pl.Tensor[[1, N], dtype],
            y: pl.Out[pl.Tensor[[1, N], dtype]],
            w: pl.InOut[pld.DistributedTensor[[1, N], dtype]],
            s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
        ) -> pl.Tensor[[1, N], dtype]:
            return self.kernel(x, y, w, s)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(self, x: pl.Tensor[[2, 1, N], dtype], y: pl.Out[pl.Tensor[[2, 1, N], dtype]]) -> pl.Tensor[[2, 1, N], dtype]:
            buf = pld.alloc_window_buffer(N * dtype.get_byte())
            cells = pld.alloc_window_buffer(2 * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                w = pld.window(buf, [1, N], dtype=dtype)
                s = pld.window(cells, [2, 1], dtype=pl.INT32)
                self.chip(x[r], y[r], w, s, device=r)
            return y

    return Copy


@pl.program
class Casts:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        x: pl.Tensor[[1, N], pl.FP32],
        h: pl.Out[pl.Tensor[[1, N], pl.FP16]],
        b: pl.Out[pl.Tensor[[1, N], pl.BF16]],
        i: pl.Out[pl.Tensor[[1, N], pl.INT32]],
        t: pl.Out[pl.Tensor[[1, N], pl.INT32]],
        e: pl.Out[pl.Tensor[[1, N], pl.INT32]],
    ):
        v = pl.load(x, [0, 0], [1, N])
        h = pl.store(pl.mul(pl.cast(v, pl.FP16), 3.0), [0, 0], h)
        b = pl.store(pl.cast(v, target_type=pl.BF16), [0, 0], b)
        i = pl.store(pl.cast(v, pl.INT32, mode="round"), [0, 0], i)
        t = pl.store(pl.cast(v, pl.INT32, mode="trunc"), [0, 0], t)
        e = pl.store(pl.cast(v, pl.INT32, mode="rint"), [0, 0], e)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(
        self,
        x: pl.Tensor[[1, N], pl.FP32],
        h: pl.Out[pl.Tensor[[1, N], pl.FP16]],
        b: pl.Out[pl.Tensor[[1, N], pl.BF16]],
        i: pl.Out[pl.Tensor[[1, N], pl.INT32]],
        t: pl.Out[pl.Tensor[[1, N], pl.INT32]],
        e: pl.Out[pl.Tensor[[1, N], pl.INT32]],
    ):
        self.kernel(x, h, b, i, t, e)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(
        self,
        x: pl.Tensor[[1, N], pl.FP32],
        h: pl.Out[pl.Tensor[[1, N], pl.FP16]],
        b: pl.Out[pl.Tensor[[1, N], pl.BF16]],
        i: pl.Out[pl.Tensor[[1, N], pl.INT32]],
        t: pl.Out[pl.Tensor[[1, N], pl.INT32]],
        e: pl.Out[pl.Tensor[[1, N], pl.INT32]],
    ):
        self.chip(x, h, b, i, t, e, device=0)


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
    pairs = [
        (pl.FP32, torch.float32), (pl.FP16, torch.float16), (pl.BF16, torch.bfloat16), (pl.INT8, torch.int8),
        (pl.INT16, torch.int16), (pl.INT32, torch.int32), (pl.INT64, torch.int64), (pl.UINT8, torch.uint8),
    ]
    for dsl, host in pairs:
        x = torch.arange(2 * N, dtype=torch.float32).reshape(2, 1, N).to(host)
        y = compiled(build(dsl))(x)
        assert y.dtype == host
        assert torch.equal(y, torch.stack([x[1], x[0]])), dsl
    x = torch.arange(N, dtype=torch.float32).reshape(1, N) * 0.5 - 7.75
    x[0, 0] = 2.5
    x[0, 1] = -2.5
    h = torch.zeros(1, N, dtype=torch.float16)
    b = torch.zeros(1, N, dtype=torch.bfloat16)
    i, t, e = [torch.zeros(1, N, dtype=torch.int32) for _ in range(3)]
    compiled(Casts)(x, h, b, i, t, e)
    assert torch.equal(h, x.to(torch.float16) * 3)
    assert torch.equal(b, x.to(torch.bfloat16))
    assert i[0, :2].tolist() == [3, -3]
    assert t[0, :2].tolist() == [2, -2]
    assert e[0, :2].tolist() == [2, -2]
    assert torch.equal(t, x.to(torch.int32))
    print("OK")
