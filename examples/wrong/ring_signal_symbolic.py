"""A ring-shaped signal with a symbolic column count: the compiler can't see it, the run can."""
# expect: REJECTED
# finding: RULE_BROKEN
# says: signal shape[1] must be 1 (one cell per rank)
# hint: [4, 1]
# devices: 0,1,2,3

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 16
ROWS = pl.dynamic("ROWS")
COLUMNS = pl.dynamic("COLUMNS")


def build(nr):
    @pl.program
    class RingSignalSymbolic:
        @pl.function(type=pl.FunctionType.InCore)
        def step(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            weights: pl.Tensor[[1, SIZE], pl.FP32],
            reduced: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            gathered: pl.Out[pl.Tensor[[1, nr * SIZE], pl.FP32]],
            w_data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            sum_data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            all_data: pl.InOut[pld.DistributedTensor[[nr, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[ROWS, COLUMNS], pl.INT32]],
        ) -> pl.Tensor[[1, nr * SIZE], pl.FP32]:
            ctx = pld.get_comm_ctx(w_data)
            my_rank = pld.rank(ctx)
            nranks = pld.nranks(ctx)
            if my_rank == 0:
                root_w = pl.load(weights, [0, 0], [1, SIZE])
                w_data = pl.store(root_w, [0, 0], w_data)
            w_data = pld.tensor.broadcast(w_data, signal, root=0)  # <- here: signal
            w = pl.load(w_data, [0, 0], [1, SIZE])
            mine = pl.load(x, [0, 0], [1, SIZE])
            sum_data = pl.store(mine, [0, 0], sum_data)
            sum_data = pld.tensor.allreduce(sum_data, signal, op=pld.ReduceOp.Sum, mode="mesh")
            total = pl.load(sum_data, [0, 0], [1, SIZE])
            reduced = pl.store(total, [0, 0], reduced)
            all_data = pld.tensor.allgather(x, all_data, signal)
            for src in pl.range(nranks):
                row = pl.load(all_data, [src, 0], [1, SIZE])
                scaled = pl.mul(row, w)
                gathered = pl.store(scaled, [0, src * SIZE], gathered)
            return gathered

        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            weights: pl.Tensor[[1, SIZE], pl.FP32],
            reduced: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            gathered: pl.Out[pl.Tensor[[1, nr * SIZE], pl.FP32]],
            w_data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            sum_data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            all_data: pl.InOut[pld.DistributedTensor[[nr, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[ROWS, COLUMNS], pl.INT32]],
        ) -> pl.Tensor[[1, nr * SIZE], pl.FP32]:
            return self.step(x, weights, reduced, gathered, w_data, sum_data, all_data, signal)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def on_host(
            self,
            x: pl.Tensor[[nr, 1, SIZE], pl.FP32],
            weights: pl.Tensor[[1, SIZE], pl.FP32],
            reduced: pl.Out[pl.Tensor[[nr, 1, SIZE], pl.FP32]],
            gathered: pl.Out[pl.Tensor[[nr, 1, nr * SIZE], pl.FP32]],
        ):
            w_buffer = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
            sum_buffer = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
            all_buffer = pld.alloc_window_buffer(nr * SIZE * pl.FP32.get_byte())
            cells = pld.alloc_window_buffer(2 * (nr - 1) * nr * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                w_data = pld.window(w_buffer, [1, SIZE], dtype=pl.FP32)
                sum_data = pld.window(sum_buffer, [1, SIZE], dtype=pl.FP32)
                all_data = pld.window(all_buffer, [nr, SIZE], dtype=pl.FP32)
                signal = pld.window(cells, [2 * (nr - 1), nr], dtype=pl.INT32)
                self.on_chip(
                    x[r], weights, reduced[r], gathered[r], w_data, sum_data, all_data, signal, device=r
                )

    return RingSignalSymbolic


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1,2,3")
    args = parser.parse_args()
    device_ids = [int(d) for d in args.device.split(",")]
    nr = len(device_ids)
    compiled = ir.compile(
        build(nr),
        platform=args.platform,
        distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
    )
    x = torch.arange(nr * SIZE, dtype=torch.float32).reshape(nr, 1, SIZE) + 1
    weights = torch.arange(SIZE, dtype=torch.float32).reshape(1, SIZE) + 2
    reduced = torch.zeros((nr, 1, SIZE), dtype=torch.float32)
    gathered = torch.zeros((nr, 1, nr * SIZE), dtype=torch.float32)
    compiled(x, weights, reduced, gathered)
    golden_sum = x.sum(dim=0)
    golden_rows = torch.cat([x[r] * weights for r in range(nr)], dim=1)
    for r in range(nr):
        assert torch.allclose(reduced[r], golden_sum), f"rank {r}: allreduce mismatch"
        assert torch.allclose(gathered[r], golden_rows), f"rank {r}: gather mismatch"
    print("OK")


if __name__ == "__main__":
    main()
