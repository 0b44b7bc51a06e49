import pypto.language as pl
import pypto.language.distributed as pld
SIZE = 64

@pl.program
class P:
    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, x: pl.Tensor[[4, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[4, SIZE], pl.FP32]],
             w: pl.InOut[pld.DistributedTensor[[4, SIZE], pl.FP32]], k: pl.Scalar[pl.INT32]):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="stage") as tid:
            t = pl.load(x, [0, 0], [4, SIZE])
            w = pl.store(t, [0, 0], w)
        for i in pl.range(2):
            row = x[i:i + k, :]
            with pl.at(level=pl.Level.CORE_GROUP, deps=[tid]):
                ctx = pld.get_comm_ctx(w)
                u = pld.tile.remote_load(w, peer=k, offsets=[i, 0], shape=[1, SIZE])
                v = pl.load(row, [0, 0], [1, SIZE])
                y = pl.store(pl.add(u, v), [i, 0], y)
        return y

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[4, 4, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[4, 4, SIZE], pl.FP32]], z: pl.Out[pl.Tensor[[4, SIZE], pl.FP32]]):
        buf = pld.alloc_window_buffer([4, SIZE], dtype=pl.FP32)
        for r in pl.range(pld.world_size()):
            w = pld.window(buf, [4, SIZE], dtype=pl.FP32)
            self.chip(x[r], y[r], w, r, device=r)
        a = x[0]
        with pl.at(level=pl.Level.CHIP, role=pl.Role.Orchestrator):
            with pl.at(level=pl.Level.CORE_GROUP):
                t = pl.load(a, [0, 0], [4, SIZE])
                z = pl.store(t, [0, 0], z)
