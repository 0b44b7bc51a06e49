# devices: 0,1
import torch
import pypto.language as pl
import pypto.language.distributed as pld
from pypto import ir
from pypto.ir import DistributedConfig

S = 32

@pl.program
class WithVerify:
    @pl.function(level=pl.Level.HOST, role=pl.Role.SubWorker)
    def verify(y: pl.Tensor[[2, 1, S], pl.FP32]):
        if not torch.all(y >= 0).item():
            raise AssertionError(f"negative: min = {y.min().item()}")

    @pl.function(level=pl.Level.HOST, role=pl.Role.SubWorker)
    def report(y: pl.Tensor[[2, 1, S], pl.FP32]):
        ...

    @pl.function(type=pl.FunctionType.InCore)
    def k(self, x: pl.Tensor[[1, S], pl.FP32], y: pl.Out[pl.Tensor[[1, S], pl.FP32]]) -> pl.Tensor[[1, S], pl.FP32]:
        return pl.store(pl.abs(pl.load(x, [0, 0], [1, S])), [0, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, x: pl.Tensor[[1, S], pl.FP32], y: pl.Out[pl.Tensor[[1, S], pl.FP32]]) -> pl.Tensor[[1, S], pl.FP32]:
        return self.k(x, y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[2, 1, S], pl.FP32], y: pl.Out[pl.Tensor[[2, 1, S], pl.FP32]]):
        for r in pl.range(pld.world_size()):
            self.chip(x[r], y[r], device=r)
        self.verify(y)
        self.report(y)

seen = []
compiled = ir.compile(WithVerify, platform="a2a3sim", distributed_config=DistributedConfig(device_ids=[0, 1], num_sub_workers=1))
x = torch.randn(2, 1, S).share_memory_()
y = torch.zeros(2, 1, S).share_memory_()
try:
    compiled(x, y)
except ValueError as e:
    assert "are runtime-bound callbacks" in str(e)
with compiled.prepare(callbacks={"report": lambda t: seen.append(t.sum().item())}) as rt:
    rt(x, y)
assert len(seen) == 1
assert torch.equal(y, x.abs())
print("OK")
