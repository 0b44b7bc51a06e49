# devices: 0,1 | 0,1,2,3
import sys
import torch
import pypto.language as pl
import pypto.language.distributed as pld
from pypto import ir
from pypto.ir import DistributedConfig

M, D = 4, 32

def build(n):
    R = n * M
    @pl.program
    class A2AV:
        @pl.function(type=pl.FunctionType.InCore)
        def k(self, x: pl.Tensor[[R, D], pl.FP32], counts: pl.Tensor[[n], pl.INT32], y: pl.Out[pl.Tensor[[R, D], pl.FP32]], got: pl.Out[pl.Tensor[[n, 1], pl.INT32]],
              target: pl.InOut[pld.DistributedTensor[[R, D], pl.FP32]], signal: pl.InOut[pld.DistributedTensor[[n, 1], pl.INT32]], recv: pl.InOut[pld.DistributedTensor[[n, 1], pl.INT32]]):
            target = pld.tensor.all_to_all_v(x, target, signal, counts, recv)
            for s in pl.range(n):
                c = pl.read(recv, [s, 0])
                pl.write(got, [s, 0], c)
                t = pl.load(target, [s * M, 0], [M, D])
                y = pl.store(t, [s * M, 0], y)
        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(self, x: pl.Tensor[[R, D], pl.FP32], counts: pl.Tensor[[n], pl.INT32], y: pl.Out[pl.Tensor[[R, D], pl.FP32]], got: pl.Out[pl.Tensor[[n, 1], pl.INT32]],
              target: pl.InOut[pld.DistributedTensor[[R, D], pl.FP32]], signal: pl.InOut[pld.DistributedTensor[[n, 1], pl.INT32]], recv: pl.InOut[pld.DistributedTensor[[n, 1], pl.INT32]]):
            self.k(x, counts, y, got, target, signal, recv)
        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(self, x: pl.Tensor[[n, R, D], pl.FP32], counts: pl.Tensor[[n, n], pl.INT32], y: pl.Out[pl.Tensor[[n, R, D], pl.FP32]], got: pl.Out[pl.Tensor[[n, n, 1], pl.INT32]]):
            tb = pld.alloc_window_buffer([R, D], dtype=pl.FP32)
            sb = pld.alloc_window_buffer([n, 1], dtype=pl.INT32)
            rb = pld.alloc_window_buffer([n, 1], dtype=pl.INT32)
            for r in pl.range(pld.world_size()):
                t = pld.window(tb, [R, D], dtype=pl.FP32)
                s = pld.window(sb, [n, 1], dtype=pl.INT32)
                c = pld.window(rb, [n, 1], dtype=pl.INT32)
                self.chip(x[r], counts[r], y[r], got[r], t, s, c, device=r)
    return A2AV

ids = [int(i) for i in sys.argv[sys.argv.index("-d") + 1].split(",")]
n = len(ids)
f = ir.compile(build(n), platform="a2a3sim", distributed_config=DistributedConfig(device_ids=ids))
x = torch.randn(n, n * M, D)
g = torch.Generator().manual_seed(3)
counts = torch.randint(0, M + 1, (n, n), generator=g, dtype=torch.int32)
y = torch.zeros(n, n * M, D)
got = torch.zeros(n, n, 1, dtype=torch.int32)
f(x, counts, y, got)
for r in range(n):
    for s in range(n):
        assert got[r, s, 0].item() == counts[s, r].item()
        assert torch.equal(y[r, s * M:(s + 1) * M], x[s, r * M:(r + 1) * M])
print("OK")
