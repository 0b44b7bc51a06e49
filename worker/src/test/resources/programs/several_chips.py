# Several chip programs without a HOST function: one is chosen by name; one worker for two of them.
# devices: 0
import torch
import pypto.language as pl
import pypto.language.distributed as pld
from pypto import ir
from pypto.ir import DistributedConfig
from pypto.runtime import DistributedWorker

S = 64


@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, x: pl.Tensor[[1,S],pl.FP32], y: pl.Out[pl.Tensor[[1,S],pl.FP32]], f: pl.Scalar[pl.FP32]) -> pl.Tensor[[1,S],pl.FP32]:
        return pl.store(pl.mul(pl.load(x,[0,0],[1,S]), f),[0,0],y)
    @pl.function(type=pl.FunctionType.Orchestration)
    def double(self, x: pl.Tensor[[1,S],pl.FP32], y: pl.Out[pl.Tensor[[1,S],pl.FP32]]) -> pl.Tensor[[1,S],pl.FP32]:
        y = self.k(x, y, 2.0)
        return y
    @pl.function(type=pl.FunctionType.Orchestration)
    def triple(self, x: pl.Tensor[[1,S],pl.FP32], y: pl.Out[pl.Tensor[[1,S],pl.FP32]]) -> pl.Tensor[[1,S],pl.FP32]:
        y = self.k(x, y, 3.0)
        return y
c = ir.compile(P, platform="a2a3sim")
x = torch.randn(1,S); y = torch.zeros(1,S)
try:
    c(x, y)
except ValueError as e:
    assert "select one explicitly" in str(e), str(e)
else:
    raise AssertionError
c["double"](x, y); assert torch.equal(y, 2*x)
assert torch.equal(c.triple(x), 3*x)
x.share_memory_(); y.share_memory_()
with DistributedWorker(c.double, c.triple) as rt:
    rt.run(c["triple"], x, y); assert torch.equal(y, 3*x)
    try: rt(x, y)
    except RuntimeError as e: assert "rt(*args) is ambiguous on a multi-program DistributedWorker" in str(e)
    try: rt.run(ir.compile(P, platform="a2a3sim").double, x, y)
    except ValueError as e: assert "registered when this worker was constructed" in str(e), str(e)
print("OK")
