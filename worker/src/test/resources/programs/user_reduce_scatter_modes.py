# devices: 0,1 | 0,1,2,3 | 0,1,2,3,4,5,6,7
import argparse
import torch
import pypto.language as pl
import pypto.language.distributed as pld
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 64


def build(nr: int, mode: str, op=pld.ReduceOp.Sum):
    builtin = mode == "builtin"

    @pl.program
    class ReduceScatter:
        """Stage, reduce own row."""

        @pl.function(type=pl.FunctionType.InCore)
        def kernel(
            self,
            x: pl.Tensor[[nr, SIZE], pl.FP32],
            out: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[nr, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], pl.FP32]:
            ctx = pld.get_comm_ctx(data)
            me = pld.rank(ctx)
            for row in pl.range(nr):
                t = pl.load(x, [row, 0], [1, SIZE])
                data = pl.store(t, [row, 0], data)
            if builtin:
                data = pld.tensor.reduce_scatter(data, signal, op=op)
                return pl.store(pl.load(data, [me, 0], [1, SIZE]), [0, 0], out)
            else:
                pld.tensor.barrier(signal)
                acc = pl.load(data, [me, 0], [1, SIZE])
                for step in pl.range(1, nr):
                    peer = (me + step) % nr
                    part = pld.tile.remote_load(data, peer, [me, 0], [1, SIZE])
                    acc = pl.add(acc, part)
                return pl.store(acc, [0, 0], out)

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            x: pl.Tensor[[nr, SIZE], pl.FP32],
            out: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[nr, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], pl.FP32]:
            out = self.kernel(x, out, data, signal)
            return out

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            xs: pl.Tensor[[nr, nr, SIZE], pl.FP32],
            outs: pl.Out[pl.Tensor[[nr, 1, SIZE], pl.FP32]],
        ) -> pl.Tensor[[nr, 1, SIZE], pl.FP32]:
            data_buf = pld.alloc_window_buffer([nr, SIZE], dtype=pl.FP32)
            signal_buf = pld.alloc_window_buffer(nr * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buf, [nr, SIZE], dtype=pl.FP32)
                signal = pld.window(signal_buf, [nr, 1], dtype=pl.INT32)
                self.chip(xs[r], outs[r], data, signal, device=r)
            return outs

    return ReduceScatter


def main():
    p = argparse.ArgumentParser()
    p.add_argument("-p", "--platform", type=str, default="a2a3sim")
    p.add_argument("-d", "--device", type=str, default="0,1,2,3")
    a = p.parse_args()
    ids = list(map(int, a.device.split(",")))
    n = len(ids)
    for mode in ("hand", "builtin"):
        prog = build(n, mode)
        f = ir.compile(prog, platform=a.platform, distributed_config=DistributedConfig(device_ids=ids))
        xs = torch.arange(n * n * SIZE, dtype=torch.float32).reshape(n, n, SIZE) / 100.0
        got = f(xs)
        expect = xs.sum(dim=0).unsqueeze(1)
        torch.testing.assert_close(got, expect, rtol=1e-5, atol=1e-4)
        assert got.shape == (n, 1, SIZE), got.shape
    print("OK")


if __name__ == "__main__":
    main()
