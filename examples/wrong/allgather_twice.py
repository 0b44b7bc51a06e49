"""A second allgather into the window that slower ranks still read."""
# expect: RACE
# finding: RACE
# says: again before rank 0's read of the earlier value is ordered before it
# hint: a built-in has no barrier on that side
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
    class AllgatherTwice:
        @pl.function(type=pl.FunctionType.InCore)
        def step(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            z: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[2, nr * SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[nr, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[2, nr * SIZE], pl.FP32]:
            ctx = pld.get_comm_ctx(data)
            my_rank = pld.rank(ctx)
            nranks = pld.nranks(ctx)

            data = pld.tensor.allgather(x, data, signal)
            for src in pl.range(nranks):
                row = pl.load(data, [src, 0], [1, SIZE])  # <- here: pl.load
                y = pl.store(row, [0, src * SIZE], y)
            data = pld.tensor.allgather(z, data, signal)  # <- here: pld.tensor.allgather
            for src in pl.range(nranks):
                row = pl.load(data, [src, 0], [1, SIZE])
                y = pl.store(row, [1, src * SIZE], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            z: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[2, nr * SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[nr, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[2, nr * SIZE], pl.FP32]:
            return self.step(x, z, y, data, signal)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def on_host(
            self,
            x: pl.Tensor[[nr, 1, SIZE], pl.FP32],
            z: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[nr, 2, nr * SIZE], pl.FP32]],
        ):
            data_buffer = pld.alloc_window_buffer(nr * SIZE * pl.FP32.get_byte())
            signal_buffer = pld.alloc_window_buffer(nr * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buffer, [nr, SIZE], dtype=pl.FP32)
                signal = pld.window(signal_buffer, [nr, 1], dtype=pl.INT32)
                self.on_chip(x[r], z, y[r], data, signal, device=r)

    return AllgatherTwice


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
    z = torch.full((1, SIZE), 7.0)
    y = torch.zeros((nr, 2, nr * SIZE), dtype=torch.float32)
    compiled(x, z, y)
    first = torch.cat([x[r] for r in range(nr)], dim=1)
    golden = torch.cat([first, torch.full((1, nr * SIZE), 7.0)], dim=0)
    for r in range(nr):
        assert torch.allclose(y[r], golden), f"rank {r} mismatch"
    print("OK")


if __name__ == "__main__":
    main()
