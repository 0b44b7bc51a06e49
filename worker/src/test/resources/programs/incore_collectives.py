"""Every collective inside a kernel, both algorithms, each reduce operation, half precision, in one script."""

# devices: 0 | 0,1 | 4,9,2 | 0,1,2,3,4

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 64


def allreduce(nr, op, mode, dtype):
    rows, cols = (2 * (nr - 1), nr) if mode == "ring" else (nr, 1)

    @pl.program
    class AllReduce:
        @pl.function(type=pl.FunctionType.InCore)
        def kernel(
            self,
            x: pl.Tensor[[2, SIZE], dtype],
            y: pl.Out[pl.Tensor[[2, SIZE], dtype]],
            w: pl.InOut[pld.DistributedTensor[[2, SIZE], dtype]],
            s: pl.InOut[pld.DistributedTensor[[rows, cols], pl.INT32]],
        ) -> pl.Tensor[[2, SIZE], dtype]:
            w = pl.store(pl.load(x, [0, 0], [2, SIZE]), [0, 0], w)
            for _ in pl.range(2):
                w = pld.tensor.allreduce(w, s, op=op, mode=mode)
            return pl.store(pl.load(w, [0, 0], [2, SIZE]), [0, 0], y)

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            x: pl.Tensor[[2, SIZE], dtype],
            y: pl.Out[pl.Tensor[[2, SIZE], dtype]],
            w: pl.InOut[pld.DistributedTensor[[2, SIZE], dtype]],
            s: pl.InOut[pld.DistributedTensor[[rows, cols], pl.INT32]],
        ) -> pl.Tensor[[2, SIZE], dtype]:
            return self.kernel(x, y, w, s)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(self, x: pl.Tensor[[nr, 2, SIZE], dtype], y: pl.Out[pl.Tensor[[nr, 2, SIZE], dtype]]):
            buf = pld.alloc_window_buffer([2, SIZE], dtype=dtype)
            cells = pld.alloc_window_buffer(rows * cols * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                w = pld.window(buf, [2, SIZE], dtype=dtype)
                s = pld.window(cells, [rows, cols], dtype=pl.INT32)
                self.chip(x[r], y[r], w, s, device=r)

    return AllReduce


def exchange(nr, m):
    @pl.program
    class Exchange:
        @pl.function(type=pl.FunctionType.InCore)
        def kernel(
            self,
            x: pl.Tensor[[nr, SIZE], pl.FP32],
            blocks: pl.Tensor[[nr * m, SIZE], pl.FP32],
            send: pl.Tensor[[nr, 1], pl.INT32],
            y: pl.Out[pl.Tensor[[nr, SIZE], pl.FP32]],
            z: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            v: pl.Out[pl.Tensor[[nr * m, SIZE], pl.FP32]],
            got: pl.Out[pl.Tensor[[nr, 1], pl.INT32]],
            w: pl.InOut[pld.DistributedTensor[[nr, SIZE], pl.FP32]],
            sum_w: pl.InOut[pld.DistributedTensor[[nr, SIZE], pl.FP32]],
            vw: pl.InOut[pld.DistributedTensor[[nr * m, SIZE], pl.FP32]],
            recv: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
            s: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ):
            me = pld.rank(pld.get_comm_ctx(w))
            w = pld.tensor.all_to_all(x, w, s)
            y = pl.store(pl.load(w, [0, 0], [nr, SIZE]), [0, 0], y)
            sum_w = pl.store(pl.load(x, [0, 0], [nr, SIZE]), [0, 0], sum_w)
            sum_w = pld.tensor.reduce_scatter(sum_w, s, op=pld.ReduceOp.Sum)
            z = pl.store(pl.load(sum_w, [me, 0], [1, SIZE]), [0, 0], z)
            vw = pld.tensor.all_to_all_v(blocks, vw, s, send, recv)
            v = pl.store(pl.load(vw, [0, 0], [nr * m, SIZE]), [0, 0], v)
            for i in pl.range(nr):
                pl.write(got, [i, 0], pl.read(recv, [i, 0]))

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            x: pl.Tensor[[nr, SIZE], pl.FP32],
            blocks: pl.Tensor[[nr * m, SIZE], pl.FP32],
            send: pl.Tensor[[nr, 1], pl.INT32],
            y: pl.Out[pl.Tensor[[nr, SIZE], pl.FP32]],
            z: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            v: pl.Out[pl.Tensor[[nr * m, SIZE], pl.FP32]],
            got: pl.Out[pl.Tensor[[nr, 1], pl.INT32]],
            w: pl.InOut[pld.DistributedTensor[[nr, SIZE], pl.FP32]],
            sum_w: pl.InOut[pld.DistributedTensor[[nr, SIZE], pl.FP32]],
            vw: pl.InOut[pld.DistributedTensor[[nr * m, SIZE], pl.FP32]],
            recv: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
            s: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ):
            self.kernel(x, blocks, send, y, z, v, got, w, sum_w, vw, recv, s)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            x: pl.Tensor[[nr, nr, SIZE], pl.FP32],
            blocks: pl.Tensor[[nr, nr * m, SIZE], pl.FP32],
            send: pl.Tensor[[nr, nr, 1], pl.INT32],
            y: pl.Out[pl.Tensor[[nr, nr, SIZE], pl.FP32]],
            z: pl.Out[pl.Tensor[[nr, 1, SIZE], pl.FP32]],
            v: pl.Out[pl.Tensor[[nr, nr * m, SIZE], pl.FP32]],
            got: pl.Out[pl.Tensor[[nr, nr, 1], pl.INT32]],
        ):
            buf = pld.alloc_window_buffer([nr, SIZE], dtype=pl.FP32)
            sum_buf = pld.alloc_window_buffer([nr, SIZE], dtype=pl.FP32)
            v_buf = pld.alloc_window_buffer([nr * m, SIZE], dtype=pl.FP32)
            recv_buf = pld.alloc_window_buffer([nr, 1], dtype=pl.INT32)
            cells = pld.alloc_window_buffer([nr, 1], dtype=pl.INT32)
            for r in pl.range(pld.world_size()):
                w = pld.window(buf, [nr, SIZE], dtype=pl.FP32)
                sum_w = pld.window(sum_buf, [nr, SIZE], dtype=pl.FP32)
                vw = pld.window(v_buf, [nr * m, SIZE], dtype=pl.FP32)
                recv = pld.window(recv_buf, [nr, 1], dtype=pl.INT32)
                s = pld.window(cells, [nr, 1], dtype=pl.INT32)
                self.chip(x[r], blocks[r], send[r], y[r], z[r], v[r], got[r], w, sum_w, vw, recv, s, device=r)

    return Exchange


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
    nr = len(devices()[1])
    golden = {
        pld.ReduceOp.Sum: lambda x: nr * x.sum(dim=0),
        pld.ReduceOp.Max: lambda x: x.max(dim=0).values,
        pld.ReduceOp.Min: lambda x: x.min(dim=0)[0],
        pld.ReduceOp.Prod: lambda x: x.prod(dim=0) ** nr,
    }
    for mode in ("mesh", "ring") if nr > 1 else ("mesh",):
        for op, of in golden.items():
            for dtype, host, tolerance in ((pl.FP32, torch.float32, 1e-4), (pl.FP16, torch.float16, 2e-2)):
                x = (torch.rand(nr, 2, SIZE) + 0.5).to(host)
                y = torch.zeros(nr, 2, SIZE, dtype=host)
                compiled(allreduce(nr, op, mode, dtype))(x, y)
                want = of(x.float()).expand(nr, 2, SIZE)
                assert torch.allclose(y.float(), want, rtol=tolerance, atol=tolerance), (mode, op, dtype)
    m = 2
    x = torch.randn(nr, nr, SIZE)
    blocks = torch.randn(nr, nr * m, SIZE)
    send = torch.arange(nr * nr, dtype=torch.int32).reshape(nr, nr, 1) % (m + 1)
    y, z, v = torch.zeros(nr, nr, SIZE), torch.zeros(nr, 1, SIZE), torch.zeros(nr, nr * m, SIZE)
    got = torch.zeros(nr, nr, 1, dtype=torch.int32)
    compiled(exchange(nr, m))(x, blocks, send, y, z, v, got)
    assert torch.equal(y, x.permute(1, 0, 2))
    assert torch.allclose(z, x.sum(dim=0).reshape(nr, 1, SIZE), rtol=1e-5, atol=1e-5)
    want = blocks.reshape(nr, nr, m, SIZE).transpose(0, 1).reshape(nr, nr * m, SIZE)
    assert torch.equal(v, want)
    assert torch.equal(got[:, :, 0], send[:, :, 0].transpose(0, 1))
    print("OK")
