"""A ring that takes over the segment of the right neighbour instead of the left one."""
# expect: WRONG_RESULT
# says: segment 0 lacks ranks 2 and 3
# hint: segment 1 lacks ranks 0 and 3
# devices: 0,1,2,3

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 64


def build(nr):
    @pl.program
    class RingWrongNeighbour:
        @pl.function(type=pl.FunctionType.InCore)
        def step(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[2 * (nr - 1), nr], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], pl.FP32]:
            ctx = pld.get_comm_ctx(data)
            my_rank = pld.rank(ctx)
            nranks = pld.nranks(ctx)

            left = (my_rank + 1) % nr
            mine = pl.load(x, [0, 0], [1, SIZE])
            data = pl.store(mine, [0, 0], data)
            for step in pl.range(2 * (nr - 1)):
                for peer in pl.range(nr):
                    if peer != my_rank:
                        pld.system.notify(
                            signal, peer=peer, offsets=[step, my_rank], value=1, op=pld.NotifyOp.AtomicAdd
                        )
                for src in pl.range(nr):
                    if src != my_rank:
                        pld.system.wait(signal, offsets=[step, src], expected=1, cmp=pld.WaitCmp.Ge)
                start = (my_rank + 2 * nr - step - 2) % nr * (SIZE // nr)
                theirs = pld.tile.remote_load(data, peer=left, offsets=[0, start], shape=[1, SIZE // nr])
                if step < nr - 1:
                    own = pl.load(data, [0, start], [1, SIZE // nr])
                    data = pl.store(pl.add(own, theirs), [0, start], data)
                else:
                    data = pl.store(theirs, [0, start], data)
            total = pl.load(data, [0, 0], [1, SIZE])
            y = pl.store(total, [0, 0], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[2 * (nr - 1), nr], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], pl.FP32]:
            return self.step(x, y, data, signal)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def on_host(
            self,
            x: pl.Tensor[[nr, 1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[nr, 1, SIZE], pl.FP32]],
        ):
            data_buffer = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
            signal_buffer = pld.alloc_window_buffer(2 * (nr - 1) * nr * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buffer, [1, SIZE], dtype=pl.FP32)
                signal = pld.window(signal_buffer, [2 * (nr - 1), nr], dtype=pl.INT32)
                self.on_chip(x[r], y[r], data, signal, device=r)

    return RingWrongNeighbour


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
        assert torch.allclose(y[r], golden), f"rank {r} mismatch"  # <- here
    print("OK")


if __name__ == "__main__":
    main()
