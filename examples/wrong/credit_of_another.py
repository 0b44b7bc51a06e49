"""A wait for one credit, and two ranks that may give it: only one of them has put the data before."""
# expect: RACE
# finding: RACE
# says: before rank 2's put is ordered before it
# hint: can be let through by rank 1's notify
# devices: 0,1,2

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 16


def build(nr):
    @pl.program
    class CreditOfAnother:
        @pl.function(type=pl.FunctionType.InCore)
        def step(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, nr * SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
        ) -> pl.Tensor[[1, nr * SIZE], pl.FP32]:
            ctx = pld.get_comm_ctx(data)
            my_rank = pld.rank(ctx)

            mine = pl.load(x, [0, 0], [1, SIZE])
            y = pl.store(mine, [0, my_rank * SIZE], y)
            if my_rank == 2:
                pld.tensor.put(data, peer=0, src=x)
                pld.system.notify(signal, peer=0, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)
            if my_rank == 1:
                for turn in pl.range(40):
                    pld.system.notify(
                        signal, peer=my_rank, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd
                    )
                pld.system.notify(signal, peer=0, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)  # <- here
            if my_rank == 0:
                pld.system.wait(signal, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)  # <- here
                theirs = pl.load(data, [0, 0], [1, SIZE])  # <- here: pl.load
                y = pl.store(theirs, [0, 2 * SIZE], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, nr * SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
        ) -> pl.Tensor[[1, nr * SIZE], pl.FP32]:
            return self.step(x, y, data, signal)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def on_host(
            self,
            x: pl.Tensor[[nr, 1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[nr, 1, nr * SIZE], pl.FP32]],
        ):
            data_buffer = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
            signal_buffer = pld.alloc_window_buffer(2 * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buffer, [1, SIZE], dtype=pl.FP32)
                signal = pld.window(signal_buffer, [2, 1], dtype=pl.INT32)
                self.on_chip(x[r], y[r], data, signal, device=r)

    return CreditOfAnother


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1,2")
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
    for r in range(nr):
        golden = torch.zeros((1, nr * SIZE), dtype=torch.float32)
        golden[:, r * SIZE : (r + 1) * SIZE] = x[r]
        if r == 0:
            golden[:, 2 * SIZE :] = x[2]
        assert torch.allclose(y[r], golden), f"rank {r} mismatch"
    print("OK")


if __name__ == "__main__":
    main()
