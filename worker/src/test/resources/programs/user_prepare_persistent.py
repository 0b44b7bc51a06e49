# devices: 0,1 | 3,1,2
import sys
import torch
import pypto.language as pl
import pypto.language.distributed as pld
from pypto import ir
from pypto.ir import DistributedConfig

NR = pl.dynamic("NR")
S = 64

@pl.program
class Shift:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, x: pl.Tensor[[1, S], pl.FP32], y: pl.Out[pl.Tensor[[1, S], pl.FP32]], w: pl.InOut[pld.DistributedTensor[[1, S], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]]):
        ctx = pld.get_comm_ctx(w)
        me = pld.rank(ctx)
        n = pld.nranks(ctx)
        nxt = (me + 1) % n
        pld.tensor.put(w, peer=nxt, src=x)
        pld.system.notify(s, peer=nxt, offsets=[0, 0], value=1, op=pld.NotifyOp.Set)
        pld.system.wait(s, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)
        y = pl.store(pl.load(w, [0, 0], [1, S]), [0, 0], y)
    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, x: pl.Tensor[[1, S], pl.FP32], y: pl.Out[pl.Tensor[[1, S], pl.FP32]], w: pl.InOut[pld.DistributedTensor[[1, S], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]]):
        self.k(x, y, w, s)
    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[NR, 1, S], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, S], pl.FP32]]):
        wb = pld.alloc_window_buffer(S * 4)
        sb = pld.alloc_window_buffer(4)
        for r in pl.range(pld.world_size()):
            w = pld.window(wb, [1, S], dtype=pl.FP32)
            s = pld.window(sb, [1, 1], dtype=pl.INT32)
            self.chip(x[r], y[r], w, s, device=r)

ids = [int(i) for i in sys.argv[sys.argv.index("-d") + 1].split(",")]
compiled = ir.compile(Shift, platform="a2a3sim", distributed_config=DistributedConfig(device_ids=ids))
n = len(ids)
x = torch.zeros(n, 1, S).share_memory_()
y = torch.zeros(n, 1, S).share_memory_()
for kwargs in ({}, {"persistent": True}, dict(persistent=True, reset_persistent_windows=True)):
    with compiled.prepare(**kwargs) as rt:
        for step in range(3):
            x.copy_(torch.randn(n, 1, S))
            y.zero_()
            rt(x, y)
            assert torch.equal(y, torch.roll(x, 1, dims=0)), f"step {step}"
try:
    with compiled.prepare() as rt:
        rt(torch.zeros(n, 1, S), y)
except TypeError as e:
    assert "must be shared memory allocated BEFORE prepare()" in str(e)
else:
    raise AssertionError("expected a TypeError")
print("OK")
