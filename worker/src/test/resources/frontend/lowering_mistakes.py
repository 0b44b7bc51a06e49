import torch, pypto.language as pl, pypto.language.distributed as pld
from pypto import ir
from pypto.ir import DistributedConfig
NR=pl.dynamic("NR")
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, x: pl.Tensor[[1,64],pl.FP32], w: pl.InOut[pld.DistributedTensor[[1,64],pl.FP32]], s: pl.InOut[pld.DistributedTensor[[NR],pl.INT32]], big: pl.InOut[pld.DistributedTensor[[2, 3],pl.INT32]]):
        t = pl.load(x,[0,0],[1,64])
        odd = pl.tile.create([2,1], dtype=pl.INT32)
        w = pl.store(t,[0,0],w)
        pld.tensor.barrier(s)
        pld.tensor.allreduce(w, s, core_num=2)
        pld.tensor.allreduce(w, big)
    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, x: pl.Tensor[[1,64],pl.FP32], w: pl.InOut[pld.DistributedTensor[[1,64],pl.FP32]], s: pl.InOut[pld.DistributedTensor[[NR],pl.INT32]], big: pl.InOut[pld.DistributedTensor[[2, 3],pl.INT32]]):
        self.k(x, w, s, big)
    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[NR,1,64],pl.FP32]):
        a = pld.alloc_window_buffer([1,64], dtype=pl.FP32)
        b = pld.alloc_window_buffer(NR*4)
        c = pld.alloc_window_buffer(24)
        for r in pl.range(pld.world_size()):
            w = pld.window(a, [1,64], dtype=pl.FP32)
            s = pld.window(b, [NR], dtype=pl.INT32)
            big = pld.window(c, [2,3], dtype=pl.INT32)
            self.chip(x[r], w, s, big, device=r)
        w = pld.window(a, [1,64], dtype=pl.FP32)
        s = pld.window(b, [NR], dtype=pl.INT32)
        pld.tensor.allreduce(w, s, mode="rong")
        pld.tensor.allreduce(w, s, core_num=1000)
        for i in pl.range(2):
            pld.tensor.allreduce(w)
        pld.tensor.broadcast(w, s, root=7)
ir.compile(P, platform="a2a3sim", distributed_config=DistributedConfig(device_ids=[0,1]))
