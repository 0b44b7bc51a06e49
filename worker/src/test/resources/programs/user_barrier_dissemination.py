# devices: 0,1 | 0,1,2 | 0,1,2,3,4 | 0,1,2,3,4,5,6,7
import sys
import math
import torch
import pypto.language as pl
import pypto.language.distributed as pld
from pypto import ir
from pypto.ir import DistributedConfig

def build(nr):
    rounds = max(1, math.ceil(math.log2(nr)))
    @pl.program
    class Dissemination:
        @pl.function(type=pl.FunctionType.InCore)
        def k(self, x: pl.Tensor[[1, 32], pl.INT32], y: pl.Out[pl.Tensor[[nr, 32], pl.INT32]], w: pl.InOut[pld.DistributedTensor[[1, 32], pl.INT32]], sig: pl.InOut[pld.DistributedTensor[[rounds, 1], pl.INT32]]):
            me = pld.rank(pld.get_comm_ctx(w))
            w = pl.store(pl.load(x, [0, 0], [1, 32]), [0, 0], w)
            for k in pl.unroll(rounds):
                dist = 1 << k
                pld.system.notify(sig, peer=(me + dist) % nr, offsets=[k, 0], value=1, op=pld.NotifyOp.AtomicAdd)
                pld.system.wait(sig, offsets=[k, 0], expected=1, cmp=pld.WaitCmp.Ge)
            for p in pl.range(nr):
                y = pl.store(pld.tile.remote_load(w, p, [0, 0], [1, 32]), [p, 0], y)
        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(self, x: pl.Tensor[[1, 32], pl.INT32], y: pl.Out[pl.Tensor[[nr, 32], pl.INT32]], w: pl.InOut[pld.DistributedTensor[[1, 32], pl.INT32]], sig: pl.InOut[pld.DistributedTensor[[rounds, 1], pl.INT32]]):
            self.k(x, y, w, sig)
        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(self, x: pl.Tensor[[nr, 1, 32], pl.INT32], y: pl.Out[pl.Tensor[[nr, nr, 32], pl.INT32]]):
            wb = pld.alloc_window_buffer([1, 32], dtype=pl.INT32)
            sb = pld.alloc_window_buffer([rounds, 1], dtype=pl.INT32)
            for r in pl.range(pld.world_size()):
                w = pld.window(wb, [1, 32], dtype=pl.INT32)
                s = pld.window(sb, [rounds, 1], dtype=pl.INT32)
                self.chip(x[r], y[r], w, s, device=r)
    return Dissemination
ids = [int(i) for i in sys.argv[sys.argv.index("-d") + 1].split(",")]
n = len(ids)
x = torch.arange(n * 32, dtype=torch.int32).reshape(n, 1, 32)
y = torch.zeros(n, n, 32, dtype=torch.int32)
ir.compile(build(n), platform="a2a3sim", distributed_config=DistributedConfig(device_ids=ids))(x, y)
assert torch.equal(y, torch.stack([x.squeeze(1)] * n))
print("OK")
