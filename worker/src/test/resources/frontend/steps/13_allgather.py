import pypto.language as pl
import pypto.language.distributed as pld
SIZE = 64
nr = 4
use_builtin = False
GATHERED = 256

@pl.program
class AllGather:
    """Step 13."""

    @pl.function(type=pl.FunctionType.InCore)
    def hand_step(
        self,
        x: pl.Tensor[[1, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[1, nr * SIZE], pl.FP32]],
        data: pl.InOut[pld.DistributedTensor[[nr, SIZE], pl.FP32]],
        signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
    ) -> pl.Tensor[[1, nr * SIZE], pl.FP32]:
        ctx = pld.get_comm_ctx(data)
        my_rank = pld.rank(ctx)
        nranks = pld.nranks(ctx)
        local = pl.load(x, [0, 0], [1, SIZE])
        data = pl.store(local, [my_rank, 0], data)
        for peer in pl.range(nranks):
            if peer != my_rank:
                pld.system.notify(signal, peer=peer, offsets=[my_rank, 0],
                                  value=1, op=pld.NotifyOp.AtomicAdd)
        for src in pl.range(nranks):
            if src != my_rank:
                pld.system.wait(signal, offsets=[src, 0], expected=1,
                                cmp=pld.WaitCmp.Ge)
        for peer in pl.range(nranks):
            recv = pld.tile.remote_load(data, peer=peer, offsets=[peer, 0], shape=[1, SIZE])
            y = pl.store(recv, [0, peer * SIZE], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def builtin_step(
        self,
        x: pl.Tensor[[1, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[1, nr * SIZE], pl.FP32]],
        data: pl.InOut[pld.DistributedTensor[[nr, SIZE], pl.FP32]],
        signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
    ) -> pl.Tensor[[1, nr * SIZE], pl.FP32]:
        ctx = pld.get_comm_ctx(data)
        nranks = pld.nranks(ctx)
        data = pld.tensor.allgather(x, data, signal)
        for src in pl.range(nranks):
            chunk = pl.load(data, [src, 0], [1, SIZE])
            y = pl.store(chunk, [0, src * SIZE], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip_orch(
        self,
        x: pl.Tensor[[1, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[1, nr * SIZE], pl.FP32]],
        data: pl.InOut[pld.DistributedTensor[[nr, SIZE], pl.FP32]],
        signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
    ) -> pl.Tensor[[1, nr * SIZE], pl.FP32]:
        if use_builtin:
            return self.builtin_step(x, y, data, signal)
        return self.hand_step(x, y, data, signal)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host_orch(
        self,
        x: pl.Tensor[[nr, 1, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[nr, 1, nr * SIZE], pl.FP32]],
    ):
        data_buf = pld.alloc_window_buffer(nr * SIZE * pl.FP32.get_byte())
        sig_buf = pld.alloc_window_buffer([nr, 1], dtype=pl.INT32)
        for r in pl.range(pld.world_size()):
            data = pld.window(data_buf, [nr, SIZE], dtype=pl.FP32)
            signal = pld.window(sig_buf, [nr, 1], dtype=pl.INT32)
            self.chip_orch(x[r], y[r], data, signal, device=r)
