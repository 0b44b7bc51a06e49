"""One cell counts both rounds: a fast rank's second credit stands in for a slow rank's first."""
# expect: RACE
# finding: RACE
# says: put is ordered before it
# hint: give each of them a cell of its own
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
    class TwoRoundsInOneCell:
        @pl.function(type=pl.FunctionType.InCore)
        def step(
            self,
            x: pl.Tensor[[2, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[2, nr * SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[2 * nr, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
        ) -> pl.Tensor[[2, nr * SIZE], pl.FP32]:
            ctx = pld.get_comm_ctx(data)
            my_rank = pld.rank(ctx)
            nranks = pld.nranks(ctx)

            for turn in pl.range(2):
                for peer in pl.range(nranks):
                    if peer != my_rank:
                        pld.tensor.put(data, peer, x, [turn * nranks + my_rank, 0], [turn, 0], [1, SIZE])
                        pld.system.notify(
                            signal, peer=peer, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd
                        )
                pld.system.wait(  # <- here
                    signal, offsets=[0, 0], expected=(turn + 1) * (nranks - 1), cmp=pld.WaitCmp.Ge
                )
                for peer in pl.range(nranks):
                    if peer != my_rank:
                        theirs = pl.load(data, [turn * nranks + peer, 0], [1, SIZE])  # <- here: pl.load
                        y = pl.store(theirs, [turn, peer * SIZE], y)
            for turn in pl.range(2):
                mine = pl.load(x, [turn, 0], [1, SIZE])
                y = pl.store(mine, [turn, my_rank * SIZE], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(
            self,
            x: pl.Tensor[[2, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[2, nr * SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[2 * nr, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
        ) -> pl.Tensor[[2, nr * SIZE], pl.FP32]:
            return self.step(x, y, data, signal)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def on_host(
            self,
            x: pl.Tensor[[nr, 2, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[nr, 2, nr * SIZE], pl.FP32]],
        ):
            data_buffer = pld.alloc_window_buffer(2 * nr * SIZE * pl.FP32.get_byte())
            signal_buffer = pld.alloc_window_buffer(pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buffer, [2 * nr, SIZE], dtype=pl.FP32)
                signal = pld.window(signal_buffer, [1, 1], dtype=pl.INT32)
                self.on_chip(x[r], y[r], data, signal, device=r)

    return TwoRoundsInOneCell


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
    x = torch.arange(2 * nr * SIZE, dtype=torch.float32).reshape(nr, 2, SIZE) + 1
    y = torch.zeros((nr, 2, nr * SIZE), dtype=torch.float32)
    compiled(x, y)
    golden = torch.cat([x[r] for r in range(nr)], dim=1)
    for r in range(nr):
        assert torch.allclose(y[r], golden), f"rank {r} mismatch"
    print("OK")


if __name__ == "__main__":
    main()
