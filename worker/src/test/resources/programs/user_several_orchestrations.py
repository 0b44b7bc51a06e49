# devices: 0,1
import torch
import pypto.language as pl
import pypto.language.distributed as pld
from pypto import ir
from pypto.ir import DistributedConfig

S = 64

@pl.program
class ThreeStages:
    @pl.function(type=pl.FunctionType.InCore)
    def k_scale(self, x: pl.Tensor[[1, S], pl.FP32], y: pl.Out[pl.Tensor[[1, S], pl.FP32]], k: pl.Scalar[pl.FP32]) -> pl.Tensor[[1, S], pl.FP32]:
        t: pl.Tile[[1, S], pl.FP32] = pl.load(x, [0, 0], [1, S])
        return pl.store(pl.mul(t, k), [0, 0], y)

    @pl.function(type=pl.FunctionType.InCore)
    def k_stage(self, x: pl.Tensor[[1, S], pl.FP32], w: pl.InOut[pld.DistributedTensor[[1, S], pl.FP32]]):
        w = pl.store(pl.load(x, [0, 0], [1, S]), [0, 0], w)

    @pl.function(type=pl.FunctionType.InCore)
    def k_pull(self, w: pld.DistributedTensor[[1, S], pl.FP32], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]], y: pl.Out[pl.Tensor[[1, S], pl.FP32]], z: pl.Out[pl.Tensor[[1, 8], pl.FP32]]) -> tuple[pl.Tensor[[1, S], pl.FP32], pl.Tensor[[1, 8], pl.FP32]]:
        pld.tensor.barrier(s)
        me = pld.rank(pld.get_comm_ctx(w))
        t = pld.tile.remote_load(w, 1 - me, [0, 0], [1, S])
        part = pl.slice(t, [1, 8], [0, 8])
        y = pl.store(t, [0, 0], y)
        z = pl.store(part, [0, 0], z)
        return y, z

    @pl.function(type=pl.FunctionType.Orchestration)
    def scale(self, x: pl.Tensor[[1, S], pl.FP32], y: pl.Out[pl.Tensor[[1, S], pl.FP32]], k: pl.Scalar[pl.FP32]) -> pl.Tensor[[1, S], pl.FP32]:
        return self.k_scale(x, y, k)

    @pl.function(type=pl.FunctionType.Orchestration)
    def stage(self, x: pl.Tensor[[1, S], pl.FP32], w: pl.InOut[pld.DistributedTensor[[1, S], pl.FP32]]):
        self.k_stage(x, w)

    @pl.function(type=pl.FunctionType.Orchestration)
    def pull(self, w: pld.DistributedTensor[[1, S], pl.FP32], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]], y: pl.Out[pl.Tensor[[1, S], pl.FP32]], z: pl.Out[pl.Tensor[[1, 8], pl.FP32]]) -> pl.Tuple[pl.Tensor[[1, S], pl.FP32], pl.Tensor[[1, 8], pl.FP32]]:
        y, z = self.k_pull(w, s, y, z)
        return y, z

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[2, 1, S], pl.FP32], y: pl.Out[pl.Tensor[[2, 1, S], pl.FP32]], z: pl.Out[pl.Tensor[[2, 1, 8], pl.FP32]]):
        wb = pld.alloc_window_buffer([1, S], dtype=pl.FP32)
        sb = pld.alloc_window_buffer([2, 1], dtype=pl.INT32)
        tmp = pl.create_tensor([2, 1, S], dtype=pl.FP32)
        for r in pl.range(pld.world_size()):
            w = pld.window(wb, [1, S], dtype=pl.FP32)
            self.scale(x[r], tmp[r], 0.5, device=r)
            self.stage(tmp[r], w, device=r)
        for r in pl.range(pld.world_size()):
            w = pld.window(wb, [1, S], dtype=pl.FP32)
            s = pld.window(sb, [2, 1], dtype=pl.INT32)
            self.pull(w, s, y[r], z[r], device=r)

f = ir.compile(ThreeStages, platform="a2a3sim", distributed_config=DistributedConfig(device_ids=[0, 1]))
x = torch.randn(2, 1, S); y = torch.zeros(2, 1, S); z = torch.zeros(2, 1, 8)
f(x, y, z)
golden = torch.stack([x[1], x[0]]) * 0.5
assert torch.allclose(y, golden) and torch.allclose(z, golden[:, :, 8:16])
print("OK")
