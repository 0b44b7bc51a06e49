"""Every collective as a HOST call, in rounds, with one signal reused and results rebound."""

# devices: 0 | 0,1 | 4,9,2 | 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 64
CHUNK = 2


def build(nr, core_num):
    @pl.program
    class HostCollectives:
        @pl.function(type=pl.FunctionType.InCore)
        def stage(self, x: pl.Tensor[[1, SIZE], pl.FP32], w: pl.Out[pld.DistributedTensor[[1, SIZE], pl.FP32]]):
            w = pl.store(pl.load(x, [0, 0], [1, SIZE]), [0, 0], w)

        @pl.function(type=pl.FunctionType.InCore)
        def stage_rows(self, x: pl.Tensor[[1, SIZE], pl.FP32], w: pl.Out[pld.DistributedTensor[[nr, SIZE], pl.FP32]]):
            for i in pl.range(nr):
                t = pl.load(x, [0, 0], [1, SIZE])
                w = pl.store(pl.mul(t, 2.0), [i, 0], w)

        @pl.function(type=pl.FunctionType.InCore)
        def take(self, w: pld.DistributedTensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]) -> pl.Tensor[[1, SIZE], pl.FP32]:
            return pl.store(pl.load(w, [0, 0], [1, SIZE]), [0, 0], y)

        @pl.function(type=pl.FunctionType.InCore)
        def take_rows(self, w: pld.DistributedTensor[[nr, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[nr, SIZE], pl.FP32]]) -> pl.Tensor[[nr, SIZE], pl.FP32]:
            return pl.store(pl.load(w, [0, 0], [nr, SIZE]), [0, 0], y)

        @pl.function(type=pl.FunctionType.Orchestration)
        def put_in(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            a: pl.Out[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            rows: pl.Out[pld.DistributedTensor[[nr, SIZE], pl.FP32]],
        ):
            self.stage(x, a)
            self.stage_rows(x, rows)

        @pl.function(type=pl.FunctionType.Orchestration)
        def take_one(self, w: pld.DistributedTensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]):
            self.take(w, y)

        @pl.function(type=pl.FunctionType.Orchestration)
        def take_all(self, w: pld.DistributedTensor[[nr, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[nr, SIZE], pl.FP32]]):
            self.take_rows(w, y)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            x: pl.Tensor[[nr, 1, SIZE], pl.FP32],
            summed: pl.Out[pl.Tensor[[nr, 1, SIZE], pl.FP32]],
            gathered: pl.Out[pl.Tensor[[nr, nr, SIZE], pl.FP32]],
            scattered: pl.Out[pl.Tensor[[nr, nr, SIZE], pl.FP32]],
            exchanged: pl.Out[pl.Tensor[[nr, nr, SIZE], pl.FP32]],
            rooted: pl.Out[pl.Tensor[[nr, 1, SIZE], pl.FP32]],
        ):
            a_buf = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
            rows_buf = pld.alloc_window_buffer(nr * SIZE * pl.FP32.get_byte())
            all_buf = pld.alloc_window_buffer(nr * SIZE * pl.FP32.get_byte())
            ex_buf = pld.alloc_window_buffer(nr * SIZE * pl.FP32.get_byte())
            cells = pld.alloc_window_buffer(pld.world_size() * pl.INT32.get_byte())
            lanes = pld.alloc_window_buffer(pld.world_size() * core_num * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                a = pld.window(a_buf, [1, SIZE], dtype=pl.FP32)
                rows = pld.window(rows_buf, [nr, SIZE], dtype=pl.FP32)
                self.put_in(x[r], a, rows, device=r)
            a = pld.window(a_buf, [1, SIZE], dtype=pl.FP32)
            rows = pld.window(rows_buf, [nr, SIZE], dtype=pl.FP32)
            full = pld.window(all_buf, [nr, SIZE], dtype=pl.FP32)
            ex = pld.window(ex_buf, [nr, SIZE], dtype=pl.FP32)
            s = pld.window(cells, [pld.world_size()], dtype=pl.INT32)
            many = pld.window(lanes, [pld.world_size(), core_num], dtype=pl.INT32)
            pld.tensor.barrier(s)
            full = pld.tensor.allgather(a, full, s)
            ex = pld.tensor.all_to_all(rows, ex, s)
            pld.tensor.barrier(s)
            a = pld.tensor.allreduce(a, many, op=pld.ReduceOp.Sum, core_num=core_num)
            a = pld.tensor.allreduce(a, op=pld.ReduceOp.Max)
            pld.tensor.reduce_scatter(rows, s, op=pld.ReduceOp.Sum)
            for r in pl.range(pld.world_size()):
                self.take_one(a, summed[r], device=r)
                self.take_all(full, gathered[r], device=r)
                self.take_all(rows, scattered[r], device=r)
                self.take_all(ex, exchanged[r], device=r)
            for r in pl.range(pld.world_size()):
                b = pld.window(a_buf, [1, SIZE], dtype=pl.FP32)
                c = pld.window(rows_buf, [nr, SIZE], dtype=pl.FP32)
                self.put_in(x[r], b, c, device=r)
            b = pld.window(a_buf, [1, SIZE], dtype=pl.FP32)
            pld.tensor.broadcast(b, s, root=nr - 1)
            for r in pl.range(pld.world_size()):
                self.take_one(b, rooted[r], device=r)

    return HostCollectives


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
    f = compiled(build(nr, 3))
    x = torch.randn(nr, 1, SIZE)
    summed, rooted = torch.zeros(nr, 1, SIZE), torch.zeros(nr, 1, SIZE)
    gathered, scattered, exchanged = [torch.zeros(nr, nr, SIZE) for _ in range(3)]
    f(x, summed, gathered, scattered, exchanged, rooted)
    flat = x.reshape(nr, SIZE)
    assert torch.allclose(summed, x.sum(dim=0, keepdim=True).expand(nr, 1, SIZE), rtol=1e-5, atol=1e-5)
    assert torch.equal(gathered, flat.expand(nr, nr, SIZE))
    assert torch.equal(exchanged, (2 * flat).expand(nr, nr, SIZE))
    for r in range(nr):
        assert torch.allclose(scattered[r, r], 2 * flat.sum(dim=0), rtol=1e-5, atol=1e-5)
    assert torch.equal(rooted, x[nr - 1 :].expand(nr, 1, SIZE))
    print("OK")
