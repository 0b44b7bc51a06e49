import pypto.language as pl
import pypto.language.distributed as pld
SIZE = 64
NR = pl.dynamic("NR")
ROOT_RANK = 0

@pl.program
class Compose:
    @pl.function(type=pl.FunctionType.InCore)
    def compose_step(
        self,
        x: pl.Tensor[[1, SIZE], pl.FP32],
        w_in: pl.Tensor[[1, SIZE], pl.FP32],
        allred: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
        gathered: pl.Out[pl.Tensor[[1, NR * SIZE], pl.FP32]],
        w_data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
        ar_data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
        ag_data: pl.InOut[pld.DistributedTensor[[NR, SIZE], pl.FP32]],
        sig_bcast: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
        sig_ar: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
        sig_ag: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    ) -> pl.Tensor[[1, NR * SIZE], pl.FP32]:
        ctx = pld.get_comm_ctx(w_data)
        my_rank = pld.rank(ctx)
        nranks = pld.nranks(ctx)
        # 1
        if my_rank == ROOT_RANK:
            local_w = pl.load(w_in, [0, 0], [1, SIZE])
            w_data = pl.store(local_w, [0, 0], w_data)
        w_data = pld.tensor.broadcast(w_data, sig_bcast, root=ROOT_RANK)
        w = pl.load(w_data, [0, 0], [1, SIZE])
        local_x = pl.load(x, [0, 0], [1, SIZE])
        ar_data = pl.store(local_x, [0, 0], ar_data)
        ar_data = pld.tensor.allreduce(ar_data, sig_ar, op=pld.ReduceOp.Sum, mode="mesh")
        total = pl.load(ar_data, [0, 0], [1, SIZE])
        allred = pl.store(total, [0, 0], allred)
        ag_data = pld.tensor.allgather(x, ag_data, sig_ag)
        for src in pl.range(nranks):
            chunk = pl.load(ag_data, [src, 0], [1, SIZE])
            chunk = pl.mul(chunk, w)
            gathered = pl.store(chunk, [0, src * SIZE], gathered)
        return gathered

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip_orch(
        self,
        x: pl.Tensor[[1, SIZE], pl.FP32],
        w_in: pl.Tensor[[1, SIZE], pl.FP32],
        allred: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
        gathered: pl.Out[pl.Tensor[[1, NR * SIZE], pl.FP32]],
        w_data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
        ar_data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
        ag_data: pl.InOut[pld.DistributedTensor[[NR, SIZE], pl.FP32]],
        sig_bcast: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
        sig_ar: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
        sig_ag: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    ) -> pl.Tensor[[1, NR * SIZE], pl.FP32]:
        return self.compose_step(x, w_in, allred, gathered, w_data, ar_data, ag_data,
                                 sig_bcast, sig_ar, sig_ag)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host_orch(
        self,
        x: pl.Tensor[[NR, 1, SIZE], pl.FP32],
        weights: pl.Tensor[[1, SIZE], pl.FP32],
        allred: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]],
        gathered: pl.Out[pl.Tensor[[NR, 1, NR * SIZE], pl.FP32]],
    ):
        w_buf = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
        ar_buf = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
        ag_buf = pld.alloc_window_buffer(NR * SIZE * pl.FP32.get_byte())
        b_buf = pld.alloc_window_buffer(pld.world_size() * pl.INT32.get_byte())
        r_buf = pld.alloc_window_buffer(pld.world_size() * pl.INT32.get_byte())
        g_buf = pld.alloc_window_buffer(pld.world_size() * pl.INT32.get_byte())
        for r in pl.range(pld.world_size()):
            w_data = pld.window(w_buf, [1, SIZE], dtype=pl.FP32)
            ar_data = pld.window(ar_buf, [1, SIZE], dtype=pl.FP32)
            ag_data = pld.window(ag_buf, [NR, SIZE], dtype=pl.FP32)
            s1 = pld.window(b_buf, [pld.world_size(), 1], dtype=pl.INT32)
            s2 = pld.window(r_buf, [pld.world_size(), 1], dtype=pl.INT32)
            s3 = pld.window(g_buf, [pld.world_size(), 1], dtype=pl.INT32)
            self.chip_orch(x[r], weights, allred[r], gathered[r], w_data, ar_data, ag_data,
                           s1, s2, s3, device=r)
