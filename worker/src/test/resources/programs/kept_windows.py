# Windows that keep what they hold from call to call.
# devices: 0,1
import torch
import pypto.language as pl
import pypto.language.distributed as pld
from pypto import ir
from pypto.ir import DistributedConfig

S = 64

NR = pl.dynamic("NR")
@pl.program
class Acc:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, x: pl.Tensor[[1,S],pl.FP32], y: pl.Out[pl.Tensor[[1,S],pl.FP32]], rnd: pl.Tensor[[1], pl.INT32], w: pl.InOut[pld.DistributedTensor[[1,S],pl.FP32]], s: pl.InOut[pld.DistributedTensor[[1,1],pl.INT32]]):
        t = pl.load(x,[0,0],[1,S])
        n = pl.read(rnd, [0])
        ctx = pld.get_comm_ctx(w)
        peer = 1 - pld.rank(ctx)
        acc = pl.load(w,[0,0],[1,S])
        t = pl.add(acc, t)
        w = pl.store(t,[0,0],w)
        pld.system.notify(s, peer, [0,0], 1, op=pld.NotifyOp.AtomicAdd)
        pld.system.wait(s, [0,0], n, cmp=pld.WaitCmp.Ge)
        y = pl.store(t,[0,0],y)
    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, x: pl.Tensor[[1,S],pl.FP32], y: pl.Out[pl.Tensor[[1,S],pl.FP32]], rnd: pl.Tensor[[1], pl.INT32], w: pl.InOut[pld.DistributedTensor[[1,S],pl.FP32]], s: pl.InOut[pld.DistributedTensor[[1,1],pl.INT32]]):
        self.k(x, y, rnd, w, s)
    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[NR,1,S],pl.FP32], y: pl.Out[pl.Tensor[[NR,1,S],pl.FP32]], rnd: pl.Tensor[[1], pl.INT32]):
        wb = pld.alloc_window_buffer([1,S], dtype=pl.FP32)
        sb = pld.alloc_window_buffer([1,1], dtype=pl.INT32)
        for r in pl.range(pld.world_size()):
            self.chip(x[r], y[r], rnd, pld.window(wb,[1,S],dtype=pl.FP32), pld.window(sb,[1,1],dtype=pl.INT32), device=r)
f = ir.compile(Acc, platform="a2a3sim", distributed_config=DistributedConfig(device_ids=[0,1]))
x = torch.randn(2,1,S).share_memory_(); y = torch.zeros(2,1,S).share_memory_(); rnd = torch.zeros(1, dtype=torch.int32).share_memory_()
total = torch.zeros(2,1,S)
with f.prepare(persistent=True, reset_persistent_windows=False) as rt:
    for i in range(3):
        x.copy_(torch.randn(2,1,S)); rnd.fill_(i+1)
        total = total + x
        rt(x, y, rnd)
        assert torch.allclose(y, total, atol=1e-6)
print("OK")
