"""Row counts that the peers set by notify, read before the wait."""
# expect: RACE
# finding: RACE
# says: before rank 0's notify is ordered before it
# hint: put a barrier between them
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
    class CountReadEarly:
        @pl.function(type=pl.FunctionType.InCore)
        def step(
            self,
            x: pl.Tensor[[1, 1], pl.INT32],
            y: pl.Out[pl.Tensor[[1, nr], pl.INT32]],
            data: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, nr], pl.INT32]:
            ctx = pld.get_comm_ctx(data)
            my_rank = pld.rank(ctx)
            nranks = pld.nranks(ctx)

            count = pl.read(x, [0, 0])
            for peer in pl.range(nranks):
                pld.system.notify(  # <- here
                    data, peer=peer, offsets=[my_rank, 0], value=count, op=pld.NotifyOp.Set
                )
            for src in pl.range(nranks):
                received = pl.read(data, [src, 0])  # <- here: pl.read
                pl.write(y, [0, src], received)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(
            self,
            x: pl.Tensor[[1, 1], pl.INT32],
            y: pl.Out[pl.Tensor[[1, nr], pl.INT32]],
            data: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, nr], pl.INT32]:
            return self.step(x, y, data, signal)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def on_host(
            self,
            x: pl.Tensor[[nr, 1, 1], pl.INT32],
            y: pl.Out[pl.Tensor[[nr, 1, nr], pl.INT32]],
        ):
            data_buffer = pld.alloc_window_buffer(nr * pl.INT32.get_byte())
            signal_buffer = pld.alloc_window_buffer(nr * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buffer, [nr, 1], dtype=pl.INT32)
                signal = pld.window(signal_buffer, [nr, 1], dtype=pl.INT32)
                self.on_chip(x[r], y[r], data, signal, device=r)

    return CountReadEarly


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
    x = torch.arange(nr, dtype=torch.int32).reshape(nr, 1, 1) + 1
    y = torch.zeros((nr, 1, nr), dtype=torch.int32)
    compiled(x, y)
    golden = torch.arange(nr, dtype=torch.int32).reshape(1, nr) + 1
    for r in range(nr):
        assert torch.equal(y[r], golden), f"rank {r} mismatch"
    print("OK")


if __name__ == "__main__":
    main()
