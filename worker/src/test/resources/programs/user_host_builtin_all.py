# HOST rail: allreduce(mesh, ring, lanes), broadcast, allgather, all_to_all, reduce_scatter, barrier one after another.
# devices: 0,1 | 0,1,2,3 | 0,1,2,3,4,5,6,7
import sys
import torch
import pypto.language as pl
import pypto.language.distributed as pld
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 64


def make(n, core_num):
    @pl.program
    class HostRail:
        @pl.function(type=pl.FunctionType.InCore)
        def stage(self, x: pl.Tensor[[1, SIZE], pl.FP32], row: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]], k: pl.Scalar[pl.FP32]) -> pld.DistributedTensor[[1, SIZE], pl.FP32]:
            t = pl.load(x, [0, 0], [1, SIZE])
            return pl.store(pl.mul(t, k), [0, 0], row)

        @pl.function(type=pl.FunctionType.InCore)
        def stage_rows(self, x: pl.Tensor[[1, SIZE], pl.FP32], rows: pl.InOut[pld.DistributedTensor[[n, SIZE], pl.FP32]]) -> pld.DistributedTensor[[n, SIZE], pl.FP32]:
            t = pl.load(x, [0, 0], [1, SIZE])
            for i in pl.range(n):
                f = pl.cast(pl.cast(i, pl.INT32), pl.FP32)
                rows = pl.store(pl.add(t, f), [i, 0], rows)
            return rows

        @pl.function(type=pl.FunctionType.InCore)
        def out1(self, row: pld.DistributedTensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]) -> pl.Tensor[[1, SIZE], pl.FP32]:
            return pl.store(pl.load(row, [0, 0], [1, SIZE]), [0, 0], y)

        @pl.function(type=pl.FunctionType.InCore)
        def outn(self, rows: pld.DistributedTensor[[n, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[n, SIZE], pl.FP32]]) -> pl.Tensor[[n, SIZE], pl.FP32]:
            return pl.store(pl.load(rows, [0, 0], [n, SIZE]), [0, 0], y)

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip_stage(self, x: pl.Tensor[[1, SIZE], pl.FP32], row: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]], k: pl.Scalar[pl.FP32]) -> pld.DistributedTensor[[1, SIZE], pl.FP32]:
            return self.stage(x, row, k)

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip_rows(self, x: pl.Tensor[[1, SIZE], pl.FP32], rows: pl.InOut[pld.DistributedTensor[[n, SIZE], pl.FP32]]) -> pld.DistributedTensor[[n, SIZE], pl.FP32]:
            return self.stage_rows(x, rows)

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip_out1(self, row: pld.DistributedTensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]) -> pl.Tensor[[1, SIZE], pl.FP32]:
            return self.out1(row, y)

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip_outn(self, rows: pld.DistributedTensor[[n, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[n, SIZE], pl.FP32]]) -> pl.Tensor[[n, SIZE], pl.FP32]:
            return self.outn(rows, y)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            x: pl.Tensor[[n, 1, SIZE], pl.FP32],
            summed: pl.Out[pl.Tensor[[n, 1, SIZE], pl.FP32]],
            bcast: pl.Out[pl.Tensor[[n, 1, SIZE], pl.FP32]],
            gathered: pl.Out[pl.Tensor[[n, n, SIZE], pl.FP32]],
            exchanged: pl.Out[pl.Tensor[[n, n, SIZE], pl.FP32]],
            scattered: pl.Out[pl.Tensor[[n, n, SIZE], pl.FP32]],
        ):
            a_buf = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
            b_buf = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
            g_buf = pld.alloc_window_buffer([n, SIZE], dtype=pl.FP32)
            in_buf = pld.alloc_window_buffer([n, SIZE], dtype=pl.FP32)
            ex_buf = pld.alloc_window_buffer([n, SIZE], dtype=pl.FP32)
            rs_buf = pld.alloc_window_buffer([n, SIZE], dtype=pl.FP32)
            lane_buf = pld.alloc_window_buffer([n, core_num], dtype=pl.INT32)
            sig_buf = pld.alloc_window_buffer(pld.world_size() * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                a = pld.window(a_buf, [1, SIZE], dtype=pl.FP32)
                b = pld.window(b_buf, [1, SIZE], dtype=pl.FP32)
                inp = pld.window(in_buf, [n, SIZE], dtype=pl.FP32)
                rs = pld.window(rs_buf, [n, SIZE], dtype=pl.FP32)
                self.chip_stage(x[r], a, 1.0, device=r)
                self.chip_stage(x[r], b, 3.0, device=r)
                self.chip_rows(x[r], inp, device=r)
                self.chip_rows(x[r], rs, device=r)
            a = pld.window(a_buf, [1, SIZE], dtype=pl.FP32)
            b = pld.window(b_buf, [1, SIZE], dtype=pl.FP32)
            g = pld.window(g_buf, [n, SIZE], dtype=pl.FP32)
            inp = pld.window(in_buf, [n, SIZE], dtype=pl.FP32)
            ex = pld.window(ex_buf, [n, SIZE], dtype=pl.FP32)
            rs = pld.window(rs_buf, [n, SIZE], dtype=pl.FP32)
            lanes = pld.window(lane_buf, [n, core_num], dtype=pl.INT32)
            sig = pld.window(sig_buf, [pld.world_size()], dtype=pl.INT32)
            g = pld.tensor.allgather(b, g, sig)
            pld.tensor.barrier(sig)
            a = pld.tensor.allreduce(a, lanes, op=pld.ReduceOp.Sum, core_num=core_num)
            pld.tensor.barrier(sig)
            pld.tensor.broadcast(b, sig, root=n - 1)
            ex = pld.tensor.all_to_all(inp, ex, sig)
            pld.tensor.reduce_scatter(rs, sig, op=pld.ReduceOp.Sum)
            for r in pl.range(pld.world_size()):
                self.chip_out1(a, summed[r], device=r)
                self.chip_out1(b, bcast[r], device=r)
                self.chip_outn(g, gathered[r], device=r)
                self.chip_outn(ex, exchanged[r], device=r)
                self.chip_outn(rs, scattered[r], device=r)

    return HostRail


def main():
    ids = [int(i) for i in sys.argv[sys.argv.index("-d") + 1].split(",")]
    n = len(ids)
    f = ir.compile(make(n, 2), platform="a2a3sim", distributed_config=DistributedConfig(device_ids=ids, num_sub_workers=0))
    x = torch.randn(n, 1, SIZE)
    summed, bcast = torch.zeros(n, 1, SIZE), torch.zeros(n, 1, SIZE)
    gathered, exchanged, scattered = (torch.zeros(n, n, SIZE) for _ in range(3))
    f(x, summed, bcast, gathered, exchanged, scattered)
    row = torch.arange(n, dtype=torch.float32).view(n, 1)
    assert torch.allclose(summed, x.sum(0, keepdim=True).expand(n, 1, SIZE), rtol=1e-5, atol=1e-5)
    assert torch.allclose(bcast, 3 * x[n - 1].expand(n, 1, SIZE))
    assert torch.allclose(gathered, 3 * x.squeeze(1).expand(n, n, SIZE))
    for r in range(n):
        assert torch.allclose(exchanged[r], x.squeeze(1) + float(r))
        assert torch.allclose(scattered[r, r], x.sum(0).squeeze(0) + n * float(r), rtol=1e-5, atol=1e-4)
    print("OK")


if __name__ == "__main__":
    main()
