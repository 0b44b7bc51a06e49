"""An all-to-all of counted rows in which rank 2 sends one row more than there is room for."""
# expect: OUT_OF_BOUNDS
# finding: OUT_OF_BOUNDS
# says: value 3 of 'counts' lies outside [0, 2]
# hint: make the capacity large enough
# devices: 0,1,2,3

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 16
ROWS = 2


def build(nr):
    @pl.program
    class CountAboveCapacity:
        @pl.function(type=pl.FunctionType.InCore)
        def step(
            self,
            x: pl.Tensor[[nr * ROWS, SIZE], pl.FP32],
            counts: pl.Tensor[[nr, 1], pl.INT32],
            y: pl.Out[pl.Tensor[[nr * ROWS, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[nr * ROWS, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
            received: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[nr * ROWS, SIZE], pl.FP32]:
            data = pld.tensor.all_to_all_v(x, data, signal, counts, received)  # <- here: counts
            rows = pl.load(data, [0, 0], [nr * ROWS, SIZE])
            y = pl.store(rows, [0, 0], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(
            self,
            x: pl.Tensor[[nr * ROWS, SIZE], pl.FP32],
            counts: pl.Tensor[[nr, 1], pl.INT32],
            y: pl.Out[pl.Tensor[[nr * ROWS, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[nr * ROWS, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
            received: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[nr * ROWS, SIZE], pl.FP32]:
            return self.step(x, counts, y, data, signal, received)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def on_host(
            self,
            x: pl.Tensor[[nr, nr * ROWS, SIZE], pl.FP32],
            counts: pl.Tensor[[nr, nr, 1], pl.INT32],
            y: pl.Out[pl.Tensor[[nr, nr * ROWS, SIZE], pl.FP32]],
        ):
            data_buffer = pld.alloc_window_buffer(nr * ROWS * SIZE * pl.FP32.get_byte())
            signal_buffer = pld.alloc_window_buffer(nr * pl.INT32.get_byte())
            received_buffer = pld.alloc_window_buffer(nr * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buffer, [nr * ROWS, SIZE], dtype=pl.FP32)
                signal = pld.window(signal_buffer, [nr, 1], dtype=pl.INT32)
                received = pld.window(received_buffer, [nr, 1], dtype=pl.INT32)
                self.on_chip(x[r], counts[r], y[r], data, signal, received, device=r)

    return CountAboveCapacity


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
    x = torch.arange(nr * nr * ROWS * SIZE, dtype=torch.float32).reshape(nr, nr * ROWS, SIZE) + 1
    counts = torch.full((nr, nr, 1), ROWS, dtype=torch.int32)
    counts[2, 0, 0] = ROWS + 1
    y = torch.zeros((nr, nr * ROWS, SIZE), dtype=torch.float32)
    compiled(x, counts, y)
    for r in range(nr):
        golden = torch.cat([x[s, r * ROWS : (r + 1) * ROWS] for s in range(nr)], dim=0)
        assert torch.allclose(y[r], golden), f"rank {r} mismatch"
    print("OK")


if __name__ == "__main__":
    main()
