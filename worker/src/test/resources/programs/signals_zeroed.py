"""One row of flags for two rounds: zeroed in between by a store, a Set or what takes credits back."""

# devices: 0,1 | 4,9,2 | 0,1,2,3

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 8


def build(nr, how):
    @pl.program
    class Zeroed:
        @pl.function(type=pl.FunctionType.InCore)
        def kernel(
            self,
            x: pl.Tensor[[1, SIZE], pl.INT32],
            zeros: pl.Tensor[[1, SIZE], pl.INT32],
            y: pl.Out[pl.Tensor[[1, SIZE], pl.INT32]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.INT32]],
            flags: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.INT32]],
            quiet: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], pl.INT32]:
            ctx = pld.get_comm_ctx(data)
            me = pld.rank(ctx)
            n = pld.nranks(ctx)
            left = (me + n - 1) % n
            data = pl.store(pl.load(x, [0, 0], [1, SIZE]), [0, 0], data)
            for p in pl.range(n):
                if p != me:
                    pld.system.notify(flags, p, [0, me], 1, op=pld.NotifyOp.AtomicAdd)
            for p in pl.range(n):
                if p != me:
                    pld.system.wait(flags, [0, p], 1, cmp=pld.WaitCmp.Ge)
            got = pld.tile.remote_load(data, peer=left, offsets=[0, 0], shape=[1, SIZE])
            if how == "store":
                flags = pl.store(pl.load(zeros, [0, 0], [1, SIZE]), [0, 0], flags)
            for p in pl.range(n):
                if how == "set":
                    pld.system.notify(flags, me, [0, p], 0, op=pld.NotifyOp.Set)
                if how == "subtract":
                    if p != me:
                        pld.system.notify(flags, me, [0, p], -1, op=pld.NotifyOp.AtomicAdd)
            for p in pl.range(n):
                if p != me:
                    pld.system.notify(quiet, p, [0, me], 1, op=pld.NotifyOp.AtomicAdd)
            for p in pl.range(n):
                if p != me:
                    pld.system.wait(quiet, [0, p], 1, cmp=pld.WaitCmp.Ge)
            data = pl.store(got, [0, 0], data)
            for p in pl.range(n):
                if p != me:
                    pld.system.notify(flags, p, [0, me], 1, op=pld.NotifyOp.AtomicAdd)
            for p in pl.range(n):
                if p != me:
                    pld.system.wait(flags, [0, p], 1, cmp=pld.WaitCmp.Ge)
            further = pld.tile.remote_load(data, peer=left, offsets=[0, 0], shape=[1, SIZE])
            return pl.store(further, [0, 0], y)

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            x: pl.Tensor[[1, SIZE], pl.INT32],
            zeros: pl.Tensor[[1, SIZE], pl.INT32],
            y: pl.Out[pl.Tensor[[1, SIZE], pl.INT32]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.INT32]],
            flags: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.INT32]],
            quiet: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], pl.INT32]:
            return self.kernel(x, zeros, y, data, flags, quiet)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            x: pl.Tensor[[nr, 1, SIZE], pl.INT32],
            zeros: pl.Tensor[[1, SIZE], pl.INT32],
            y: pl.Out[pl.Tensor[[nr, 1, SIZE], pl.INT32]],
        ):
            data_buf = pld.alloc_window_buffer([1, SIZE], dtype=pl.INT32)
            flag_buf = pld.alloc_window_buffer([1, SIZE], dtype=pl.INT32)
            quiet_buf = pld.alloc_window_buffer([1, SIZE], dtype=pl.INT32)
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buf, [1, SIZE], dtype=pl.INT32)
                flags = pld.window(flag_buf, [1, SIZE], dtype=pl.INT32)
                quiet = pld.window(quiet_buf, [1, SIZE], dtype=pl.INT32)
                self.chip(x[r], zeros, y[r], data, flags, quiet, device=r)

    return Zeroed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1")
    args = parser.parse_args()
    ids = [int(d) for d in args.device.split(",")]
    nr = len(ids)
    for how in ("store", "set", "subtract"):
        compiled = ir.compile(
            build(nr, how),
            platform=args.platform,
            distributed_config=DistributedConfig(device_ids=ids, num_sub_workers=0),
        )
        x = torch.arange(nr * SIZE, dtype=torch.int32).reshape(nr, 1, SIZE)
        y = torch.zeros((nr, 1, SIZE), dtype=torch.int32)
        compiled(x, torch.zeros((1, SIZE), dtype=torch.int32), y)
        assert torch.equal(y, x.roll(2, dims=0)), how
    print("OK")


if __name__ == "__main__":
    main()
