# Two overlapping groups with their own windows, signals and root.
# devices: 0,1,2 | 8,3,5
import torch
import pypto.language as pl
import pypto.language.distributed as pld
from pypto import ir
from pypto.ir import DistributedConfig
import sys

N = 32


@pl.program
class TwoGroups:
    @pl.function(type=pl.FunctionType.InCore)
    def swap(self, x: pl.Tensor[[1, N], pl.FP32], y: pl.Out[pl.Tensor[[1, N], pl.FP32]],
             w: pl.InOut[pld.DistributedTensor[[1, N], pl.FP32]],
             sig: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]], peer: pl.Scalar[pl.INT32]) -> pl.Tensor[[1, N], pl.FP32]:
        t = pl.load(x, [0, 0], [1, N])
        pld.tile.remote_store(t, target=w, peer=peer, offsets=[0, 0])
        ctx = pld.get_comm_ctx(w)
        me = pld.rank(ctx)
        pld.system.notify(sig, peer, [me, 0], 1, op=pld.NotifyOp.Set)
        pld.system.wait(sig, [peer, 0], 1, cmp=pld.WaitCmp.Eq)
        return pl.store(pl.load(w, [0, 0], [1, N]), [0, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, x: pl.Tensor[[1, N], pl.FP32], y: pl.Out[pl.Tensor[[1, N], pl.FP32]],
             w: pl.InOut[pld.DistributedTensor[[1, N], pl.FP32]],
             sig: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]], peer: pl.Scalar[pl.INT32]) -> pl.Tensor[[1, N], pl.FP32]:
        y = self.swap(x, y, w, sig, peer)
        return y

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[3, 1, N], pl.FP32], a: pl.Out[pl.Tensor[[2, 1, N], pl.FP32]], b: pl.Out[pl.Tensor[[2, 1, N], pl.FP32]]):
        wa_buf = pld.alloc_window_buffer([1, N], dtype=pl.FP32)
        sa_buf = pld.alloc_window_buffer([2, 1], dtype=pl.INT32)
        wb_buf = pld.alloc_window_buffer([1, N], dtype=pl.FP32)
        sb_buf = pld.alloc_window_buffer([2, 1], dtype=pl.INT32)
        for r in pl.range(2):
            wa = pld.window(wa_buf, [1, N], dtype=pl.FP32)
            sa = pld.window(sa_buf, [2, 1], dtype=pl.INT32)
            self.chip(x[r], a[r], wa, sa, 1 - r, device=r)
        for r in pl.range(1, 3):
            wb = pld.window(wb_buf, [1, N], dtype=pl.FP32)
            sb = pld.window(sb_buf, [2, 1], dtype=pl.INT32)
            self.chip(x[r], b[r - 1], wb, sb, 2 - r, device=r)


ids = [int(i) for i in sys.argv[sys.argv.index("-d") + 1].split(",")]
c = ir.compile(TwoGroups, platform="a2a3sim", distributed_config=DistributedConfig(device_ids=ids))
x = torch.stack([torch.full((1, N), float(i + 1)) for i in range(3)])
a = torch.zeros((2, 1, N)); b = torch.zeros((2, 1, N))
c(x, a, b)
assert torch.equal(a, torch.stack([x[1], x[0]]))
assert torch.equal(b, torch.stack([x[2], x[1]]))
print("OK")
