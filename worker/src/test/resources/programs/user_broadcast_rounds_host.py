# HOST broadcast per round with a barrier before the next stage; inputs[rd, r].
# devices: 0,1 | 0,1,2,3
import sys
import torch
import pypto.language as pl
import pypto.language.distributed as pld
from pypto import ir
from pypto.ir import DistributedConfig
S, ROUNDS, ROOT = 64, 3, 1
def build(n):
    @pl.program
    class Rounds:
        @pl.function(type=pl.FunctionType.InCore)
        def stage(self, x: pl.Tensor[[1, S], pl.FP32], w: pl.InOut[pld.DistributedTensor[[1, S], pl.FP32]], is_root: pl.Scalar[pl.INT32]):
            me = pld.rank(pld.get_comm_ctx(w))
            if me == is_root:
                w = pl.store(pl.load(x, [0, 0], [1, S]), [0, 0], w)
        @pl.function(type=pl.FunctionType.InCore)
        def take(self, w: pld.DistributedTensor[[1, S], pl.FP32], y: pl.Out[pl.Tensor[[1, S], pl.FP32]]) -> pl.Tensor[[1, S], pl.FP32]:
            return pl.store(pl.load(w, [0, 0], [1, S]), [0, 0], y)
        @pl.function(type=pl.FunctionType.Orchestration)
        def c_stage(self, x: pl.Tensor[[1, S], pl.FP32], w: pl.InOut[pld.DistributedTensor[[1, S], pl.FP32]], root: pl.Scalar[pl.INT32]):
            self.stage(x, w, root)
        @pl.function(type=pl.FunctionType.Orchestration)
        def c_take(self, w: pld.DistributedTensor[[1, S], pl.FP32], y: pl.Out[pl.Tensor[[1, S], pl.FP32]]) -> pl.Tensor[[1, S], pl.FP32]:
            return self.take(w, y)
        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(self, inputs: pl.Tensor[[ROUNDS, n, 1, S], pl.FP32], out: pl.Out[pl.Tensor[[ROUNDS, n, 1, S], pl.FP32]]):
            wb = pld.alloc_window_buffer([1, S], dtype=pl.FP32)
            sb = pld.alloc_window_buffer(pld.world_size() * pl.INT32.get_byte())
            for rd in pl.range(ROUNDS):
                for r in pl.range(pld.world_size()):
                    w = pld.window(wb, [1, S], dtype=pl.FP32)
                    self.c_stage(inputs[rd, r], w, ROOT, device=r)
                w = pld.window(wb, [1, S], dtype=pl.FP32)
                s = pld.window(sb, [pld.world_size()], dtype=pl.INT32)
                pld.tensor.broadcast(w, s, root=ROOT)
                for r in pl.range(pld.world_size()):
                    w2 = pld.window(wb, [1, S], dtype=pl.FP32)
                    self.c_take(w2, out[rd, r], device=r)
                pld.tensor.barrier(s)
    return Rounds
ids = [int(i) for i in sys.argv[sys.argv.index("-d") + 1].split(",")]
n = len(ids)
x = torch.randn(ROUNDS, n, 1, S); y = torch.zeros_like(x)
ir.compile(build(n), platform="a2a3sim", distributed_config=DistributedConfig(device_ids=ids))(x, y)
assert torch.equal(y, x[:, ROOT:ROOT + 1].expand(ROUNDS, n, 1, S))
print("OK")
