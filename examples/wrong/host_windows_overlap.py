"""A HOST allgather whose input and target are views of one buffer."""
# expect: REJECTED
# says: must be different window allocations
# hint: Allocate a buffer for each
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
    class HostWindowsOverlap:
        @pl.function(type=pl.FunctionType.InCore)
        def stage_tile(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
        ) -> pl.Tensor[[1, SIZE], pl.FP32]:
            mine = pl.load(x, [0, 0], [1, SIZE])
            data = pl.store(mine, [0, 0], data)
            return data

        @pl.function(type=pl.FunctionType.Orchestration)
        def stage(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
        ) -> pl.Tensor[[1, SIZE], pl.FP32]:
            return self.stage_tile(x, data)

        @pl.function(type=pl.FunctionType.InCore)
        def fetch_tile(
            self,
            y: pl.Out[pl.Tensor[[nr, SIZE], pl.FP32]],
            data: pld.DistributedTensor[[nr, SIZE], pl.FP32],
        ) -> pl.Tensor[[nr, SIZE], pl.FP32]:
            row = pl.load(data, [0, 0], [nr, SIZE])
            y = pl.store(row, [0, 0], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def fetch(
            self,
            y: pl.Out[pl.Tensor[[nr, SIZE], pl.FP32]],
            data: pld.DistributedTensor[[nr, SIZE], pl.FP32],
        ) -> pl.Tensor[[nr, SIZE], pl.FP32]:
            return self.fetch_tile(y, data)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def on_host(
            self,
            x: pl.Tensor[[nr, 1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[nr, nr, SIZE], pl.FP32]],
        ):
            data_buffer = pld.alloc_window_buffer(nr * SIZE * pl.FP32.get_byte())
            cells = pld.alloc_window_buffer(nr * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                part = pld.window(data_buffer, [1, SIZE], dtype=pl.FP32)
                self.stage(x[r], part, device=r)
            part = pld.window(data_buffer, [1, SIZE], dtype=pl.FP32)
            data = pld.window(data_buffer, [nr, SIZE], dtype=pl.FP32)
            signal = pld.window(cells, [nr], dtype=pl.INT32)
            data = pld.tensor.allgather(part, data, signal)  # <- here: data,

            for r in pl.range(pld.world_size()):
                data = pld.window(data_buffer, [nr, SIZE], dtype=pl.FP32)
                self.fetch(y[r], data, device=r)

    return HostWindowsOverlap


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
    y = torch.zeros((nr, nr, SIZE), dtype=torch.float32)
    compiled(x, y)
    golden = torch.cat([x[r] for r in range(nr)], dim=0)
    for r in range(nr):
        assert torch.allclose(y[r], golden), f"rank {r} mismatch"
    print("OK")


if __name__ == "__main__":
    main()
