"""Rank 0 reduces one window first and the others another."""
# expect: MISMATCH
# finding: MISMATCH
# says: collective call 1 of comm_d0 differs between ranks in window
# hint: the same collective calls in the same order
# devices: 0,1,2,3

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 16


def build(nr):
    @pl.program
    class CollectivesInOtherOrder:
        @pl.function(type=pl.FunctionType.InCore)
        def step(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            other: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], pl.FP32]:
            ctx = pld.get_comm_ctx(data)
            my_rank = pld.rank(ctx)
            nranks = pld.nranks(ctx)

            mine = pl.load(x, [0, 0], [1, SIZE])
            data = pl.store(mine, [0, 0], data)
            other = pl.store(mine, [0, 0], other)
            if my_rank == 0:
                pld.tensor.allreduce(data, signal, op=pld.ReduceOp.Sum)  # <- here
                pld.tensor.allreduce(other, signal, op=pld.ReduceOp.Sum)
            else:
                pld.tensor.allreduce(other, signal, op=pld.ReduceOp.Sum)  # <- here
                pld.tensor.allreduce(data, signal, op=pld.ReduceOp.Sum)
            total = pl.load(data, [0, 0], [1, SIZE])
            y = pl.store(total, [0, 0], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            other: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], pl.FP32]:
            return self.step(x, y, data, other, signal)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def on_host(
            self,
            x: pl.Tensor[[nr, 1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[nr, 1, SIZE], pl.FP32]],
        ):
            data_buffer = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
            other_buffer = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
            signal_buffer = pld.alloc_window_buffer(nr * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buffer, [1, SIZE], dtype=pl.FP32)
                other = pld.window(other_buffer, [1, SIZE], dtype=pl.FP32)
                signal = pld.window(signal_buffer, [nr, 1], dtype=pl.INT32)
                self.on_chip(x[r], y[r], data, other, signal, device=r)

    return CollectivesInOtherOrder


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
    y = torch.zeros((nr, 1, SIZE), dtype=torch.float32)
    compiled(x, y)
    golden = x.sum(dim=0)
    for r in range(nr):
        assert torch.allclose(y[r], golden), f"rank {r} mismatch"
    print("OK")


if __name__ == "__main__":
    main()
