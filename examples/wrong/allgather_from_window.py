"""The built-in allgather with a window as source, inside a kernel."""
# expect: REJECTED
# says: pld.tensor.allgather local_data must be a plain Tensor
# hint: not a window
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
    class AllgatherFromWindow:
        @pl.function(type=pl.FunctionType.InCore)
        def step(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, nr * SIZE], pl.FP32]],
            stage: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[nr, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, nr * SIZE], pl.FP32]:
            ctx = pld.get_comm_ctx(data)
            nranks = pld.nranks(ctx)
            mine = pl.load(x, [0, 0], [1, SIZE])
            stage = pl.store(mine, [0, 0], stage)
            data = pld.tensor.allgather(stage, data, signal)  # <- here: stage
            for src in pl.range(nranks):
                row = pl.load(data, [src, 0], [1, SIZE])
                y = pl.store(row, [0, src * SIZE], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, nr * SIZE], pl.FP32]],
            stage: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[nr, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, nr * SIZE], pl.FP32]:
            return self.step(x, y, stage, data, signal)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def on_host(
            self,
            x: pl.Tensor[[nr, 1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[nr, 1, nr * SIZE], pl.FP32]],
        ):
            stage_buffer = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
            data_buffer = pld.alloc_window_buffer((nr) * SIZE * pl.FP32.get_byte())
            cells = pld.alloc_window_buffer(nr * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                stage = pld.window(stage_buffer, [1, SIZE], dtype=pl.FP32)
                data = pld.window(data_buffer, [nr, SIZE], dtype=pl.FP32)
                signal = pld.window(cells, [nr, 1], dtype=pl.INT32)
                self.on_chip(x[r], y[r], stage, data, signal, device=r)

    return AllgatherFromWindow


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
    y = torch.zeros((nr, 1, nr * SIZE), dtype=torch.float32)
    compiled(x, y)
    golden = torch.cat([x[r] for r in range(nr)], dim=1)
    for r in range(nr):
        assert torch.allclose(y[r], golden), f"rank {r} mismatch"
    print("OK")


if __name__ == "__main__":
    main()
