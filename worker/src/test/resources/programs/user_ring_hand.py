# devices: 0,1 | 0,1,2,3 | 0,1,2,3,4,5,6,7
import sys
import torch
import pypto.language as pl
import pypto.language.distributed as pld
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 64

def build(nr):
    if SIZE % nr:
        raise ValueError(f"SIZE={SIZE} must be divisible by the rank count, got {nr}")
    SEG = SIZE // nr
    ROUNDS = 2 * (nr - 1)

    @pl.program
    class Ring:
        @pl.function(type=pl.FunctionType.InCore)
        def kernel(self, x: pl.Tensor[[1, SIZE], pl.FP32], out: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
                   acc: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
                   inbox: pl.InOut[pld.DistributedTensor[[ROUNDS, SEG], pl.FP32]],
                   sig: pl.InOut[pld.DistributedTensor[[ROUNDS, 1], pl.INT32]]) -> pl.Tensor[[1, SIZE], pl.FP32]:
            me = pld.rank(pld.get_comm_ctx(acc))
            right = (me + 1) % nr
            acc = pl.store(pl.load(x, [0, 0], [1, SIZE]), [0, 0], acc)
            for s in pl.range(nr - 1):
                send = (me - s + 2 * nr) % nr
                recv = (me - s - 1 + 2 * nr) % nr
                pld.tensor.put(inbox, right, acc, [s, 0], [0, send * SEG], [1, SEG])
                pld.system.notify(sig, right, [s, 0], 1, op=pld.NotifyOp.Set)
                pld.system.wait(sig, [s, 0], 1, cmp=pld.WaitCmp.Eq)
                mine = pl.load(acc, [0, recv * SEG], [1, SEG])
                got = pl.load(inbox, [s, 0], [1, SEG])
                acc = pl.store(pl.add(mine, got), [0, recv * SEG], acc)
            for s in pl.range(nr - 1):
                slot = nr - 1 + s
                send = (me + 1 - s + 2 * nr) % nr
                recv = (me - s + 2 * nr) % nr
                pld.tensor.put(inbox, right, acc, [slot, 0], [0, send * SEG], [1, SEG])
                pld.system.notify(sig, right, [slot, 0], 1, op=pld.NotifyOp.Set)
                pld.system.wait(sig, [slot, 0], 1, cmp=pld.WaitCmp.Eq)
                acc = pl.store(pl.load(inbox, [slot, 0], [1, SEG]), [0, recv * SEG], acc)
            return pl.store(pl.load(acc, [0, 0], [1, SIZE]), [0, 0], out)

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(self, x: pl.Tensor[[1, SIZE], pl.FP32], out: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
                   acc: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
                   inbox: pl.InOut[pld.DistributedTensor[[ROUNDS, SEG], pl.FP32]],
                   sig: pl.InOut[pld.DistributedTensor[[ROUNDS, 1], pl.INT32]]) -> pl.Tensor[[1, SIZE], pl.FP32]:
            return self.kernel(x, out, acc, inbox, sig)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(self, x: pl.Tensor[[nr, 1, SIZE], pl.FP32], out: pl.Out[pl.Tensor[[nr, 1, SIZE], pl.FP32]]):
            acc_buf = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
            inbox_buf = pld.alloc_window_buffer(ROUNDS * SEG * pl.FP32.get_byte())
            sig_buf = pld.alloc_window_buffer(ROUNDS * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                acc = pld.window(acc_buf, [1, SIZE], dtype=pl.FP32)
                inbox = pld.window(inbox_buf, [ROUNDS, SEG], dtype=pl.FP32)
                sig = pld.window(sig_buf, [ROUNDS, 1], dtype=pl.INT32)
                self.chip(x[r], out[r], acc, inbox, sig, device=r)
    return Ring

ids = [int(i) for i in sys.argv[sys.argv.index("-d") + 1].split(",")]
n = len(ids)
f = ir.compile(build(n), platform="a2a3sim", distributed_config=DistributedConfig(device_ids=ids))
x = torch.randn(n, 1, SIZE); out = torch.zeros(n, 1, SIZE)
f(x, out)
golden = x.sum(dim=0)
diff = (out - golden).abs().max().item()
assert torch.allclose(out, golden.expand(n, 1, SIZE), rtol=1e-5, atol=1e-5), f"ring mismatch: max diff = {diff}"
print("OK")
