"""A kernel that multiplies matrices and notifies: both cores carry out the notify."""
# expect: REJECTED
# says: credits would count twice
# hint: kernel of its own
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
    class NotifyOnBothCores:
        @pl.function(type=pl.FunctionType.InCore)
        def step(
            self,
            x: pl.Tensor[[SIZE, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[SIZE, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[SIZE, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[SIZE, SIZE], pl.FP32]:
            ctx = pld.get_comm_ctx(data)
            my_rank = pld.rank(ctx)
            right = (my_rank + 1) % nr
            left = (my_rank + nr - 1) % nr
            pld.tensor.put(data, peer=right, src=x)
            pld.system.notify(  # <- here
                signal, peer=right, offsets=[my_rank, 0], value=1, op=pld.NotifyOp.AtomicAdd
            )
            pld.system.wait(signal, offsets=[left, 0], expected=1, cmp=pld.WaitCmp.Ge)
            a = pl.load(data, [0, 0], [SIZE, SIZE], target_memory=pl.MemorySpace.Mat)
            b = pl.load(data, [0, 0], [SIZE, SIZE], target_memory=pl.MemorySpace.Mat)
            a_left = pl.move(a, target_memory=pl.MemorySpace.Left)
            b_right = pl.move(b, target_memory=pl.MemorySpace.Right)
            y = pl.store(pl.matmul(a_left, b_right), [0, 0], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(
            self,
            x: pl.Tensor[[SIZE, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[SIZE, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[SIZE, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[SIZE, SIZE], pl.FP32]:
            return self.step(x, y, data, signal)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def on_host(
            self,
            x: pl.Tensor[[nr, SIZE, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[nr, SIZE, SIZE], pl.FP32]],
        ):
            data_buffer = pld.alloc_window_buffer(SIZE * SIZE * pl.FP32.get_byte())
            signal_buffer = pld.alloc_window_buffer(nr * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buffer, [SIZE, SIZE], dtype=pl.FP32)
                signal = pld.window(signal_buffer, [nr, 1], dtype=pl.INT32)
                self.on_chip(x[r], y[r], data, signal, device=r)

    return NotifyOnBothCores


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
    x = torch.arange(nr * SIZE * SIZE, dtype=torch.float32).reshape(nr, SIZE, SIZE) / 1000
    y = torch.zeros((nr, SIZE, SIZE), dtype=torch.float32)
    compiled(x, y)
    for r in range(nr):
        golden = torch.matmul(x[(r - 1) % nr], x[(r - 1) % nr])
        assert torch.allclose(y[r], golden, rtol=1e-4), f"rank {r} mismatch"
    print("OK")


if __name__ == "__main__":
    main()
