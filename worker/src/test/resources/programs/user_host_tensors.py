# HOST intermediates, descending loops, whole tensors to every rank, slices, if on host.
# devices: 0,1 | 0,1,2,3
import sys
import torch
import pypto.language as pl
import pypto.language.distributed as pld
from pypto import ir
from pypto.ir import DistributedConfig
S = 32
NR = pl.dynamic("NR")
@pl.program
class Chain:
    @pl.function(type=pl.FunctionType.InCore)
    def axpy(self, x: pl.Tensor[[1, S], pl.FP32], wts: pl.Tensor[[2, S], pl.FP32], y: pl.Out[pl.Tensor[[1, S], pl.FP32]], row: pl.Scalar[pl.INT32]) -> pl.Tensor[[1, S], pl.FP32]:
        t = pl.load(x, [0, 0], [1, S])
        w = pl.load(wts, [row, 0], [1, S])
        return pl.store(pl.mul(t, w), [0, 0], y)
    @pl.function(type=pl.FunctionType.Orchestration)
    def step(self, x: pl.Tensor[[1, S], pl.FP32], wts: pl.Tensor[[2, S], pl.FP32], y: pl.Out[pl.Tensor[[1, S], pl.FP32]], row: pl.Scalar[pl.INT32]) -> pl.Tensor[[1, S], pl.FP32]:
        y = self.axpy(x, wts, y, row)
        return y
    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[2, NR, 1, S], pl.FP32], wts: pl.Tensor[[2, S], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, S], pl.FP32]]) -> pl.Tensor[[NR, 1, S], pl.FP32]:
        mid = pl.create_tensor([NR, 1, S], dtype=pl.FP32)
        for r in pl.range(pld.world_size()):
            if r % 2 == 0:
                self.step(x[0, r], wts, mid[r], 0, device=r)
            else:
                self.step(x[1, r], wts, mid[r], 1, device=r)
        last = pld.world_size() - 1
        for r in pl.range(pld.world_size()):
            src = pl.max(pl.min(last - r, last), 0)
            self.step(mid[src], wts, y[r], 1, device=r)
        return y
ids = [int(i) for i in sys.argv[sys.argv.index("-d") + 1].split(",")]
n = len(ids)
x = torch.randn(2, n, 1, S); wts = torch.randn(2, S); y = torch.zeros(n, 1, S)
f = ir.compile(Chain, platform="a2a3sim", distributed_config=DistributedConfig(device_ids=ids))
f(x, wts, y)
mid = torch.stack([x[r % 2, r] * wts[r % 2] for r in range(n)])
assert torch.allclose(y, torch.flip(mid, dims=[0]) * wts[1])
print("OK")
