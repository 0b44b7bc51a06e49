# Allgather of A rows, local B shard, FP16 -> FP32.
# devices: 0,1 | 0,1,2,3
import sys
import torch
import pypto.language as pl
import pypto.language.distributed as pld
from pypto import ir
from pypto.ir import DistributedConfig

def build(n, M=16, K=32, N=16, dtype=pl.FP16):
    @pl.program
    class AGGemm:
        @pl.function(type=pl.FunctionType.InCore)
        def gather(self, a: pl.Tensor[[1, M * K], dtype], full: pl.InOut[pld.DistributedTensor[[n, M * K], dtype]], sig: pl.InOut[pld.DistributedTensor[[n, 1], pl.INT32]]) -> pld.DistributedTensor[[n, M * K], dtype]:
            return pld.tensor.allgather(a, full, sig)
        @pl.function(type=pl.FunctionType.InCore)
        def gemm(self, full: pld.DistributedTensor[[n * M, K], dtype], b: pl.Tensor[[K, N], dtype], c: pl.Out[pl.Tensor[[n * M, N], pl.FP32]]) -> pl.Tensor[[n * M, N], pl.FP32]:
            for i in pl.range(n):
                a_l1 = pl.load(full, [i * M, 0], [M, K], target_memory=pl.MemorySpace.Mat)
                b_l1 = pl.load(b, [0, 0], [K, N], target_memory=pl.MemorySpace.Mat)
                a_l0 = pl.move(a_l1, target_memory=pl.MemorySpace.Left)
                b_l0 = pl.move(b_l1, target_memory=pl.MemorySpace.Right)
                acc = pl.matmul(a_l0, b_l0)
                c = pl.store(acc, [i * M, 0], c)
            return c
        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(self, a: pl.Tensor[[M, K], dtype], b: pl.Tensor[[K, N], dtype], c: pl.Out[pl.Tensor[[n * M, N], pl.FP32]], full: pl.InOut[pld.DistributedTensor[[n, M * K], dtype]], rows: pl.InOut[pld.DistributedTensor[[n * M, K], dtype]], sig: pl.InOut[pld.DistributedTensor[[n, 1], pl.INT32]]) -> pl.Tensor[[n * M, N], pl.FP32]:
            flat = pl.reshape(a, [1, M * K])
            full = self.gather(flat, full, sig)
            c = self.gemm(rows, b, c)
            return c
        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(self, a: pl.Tensor[[n, M, K], dtype], b: pl.Tensor[[n, K, N], dtype], c: pl.Out[pl.Tensor[[n, n * M, N], pl.FP32]]):
            fb = pld.alloc_window_buffer([n, M * K], dtype=dtype)
            sb = pld.alloc_window_buffer(n * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                full = pld.window(fb, [n, M * K], dtype=dtype)
                rows = pld.window(fb, [n * M, K], dtype=dtype)
                sig = pld.window(sb, [n, 1], dtype=pl.INT32)
                self.chip(a[r], b[r], c[r], full, rows, sig, device=r)
    return AGGemm

ids = [int(i) for i in sys.argv[sys.argv.index("-d") + 1].split(",")]
n = len(ids)
a = torch.randn(n, 16, 32).half(); b = torch.randn(n, 32, 16).half()
c = torch.zeros(n, n * 16, 16)
ir.compile(build(n), platform="a2a3sim", distributed_config=DistributedConfig(device_ids=ids))(a, b, c)
golden = torch.matmul(a.reshape(1, n * 16, 32).float(), b.float())
assert torch.allclose(c, golden, rtol=1e-3, atol=1e-3), (c - golden).abs().max()
print("OK")
