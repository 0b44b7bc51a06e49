"""Barriers by hand: dissemination in log2 rounds, a centre with a counter, used again and again."""

# devices: 0 | 0,1 | 4,9,2 | 0,1,2,3,4,5,6,7

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

ROUNDS = 3
NR = pl.dynamic("NR")


def build(nr):
    @pl.program
    class Barriers:
        @pl.function(type=pl.FunctionType.InCore)
        def kernel(
            self,
            out: pl.Out[pl.Tensor[[1, 8], pl.INT32]],
            data: pl.InOut[pld.DistributedTensor[[1, 8], pl.INT32]],
            flags: pl.InOut[pld.DistributedTensor[[8, 1], pl.INT32]],
            centre: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
        ) -> pl.Tensor[[1, 8], pl.INT32]:
            ctx = pld.get_comm_ctx(data)
            me = pld.rank(ctx)
            n = pld.nranks(ctx)
            for rd in pl.range(ROUNDS):
                pl.write(data, [0, 0], pl.cast(me * 10 + rd, pl.INT32))
                for k in pl.range(4):
                    step = 1 << k
                    if step < n:
                        to = (me + step) % n
                        pld.system.notify(flags, to, [k, 0], 1, op=pld.NotifyOp.AtomicAdd)
                        pld.system.wait(flags, [k, 0], rd + 1, cmp=pld.WaitCmp.Ge)
                peer = (me + 1) % n
                got = pld.tile.remote_load(data, peer=peer, offsets=[0, 0], shape=[1, 8])
                out = pl.store(got, [0, 0], out)
                pld.system.notify(centre, peer=0, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)
                if me == 0:
                    pld.system.wait(centre, [0, 0], n * (rd + 1), cmp=pld.WaitCmp.Ge)
                    for p in pl.range(n):
                        pld.system.notify(centre, p, [1, 0], 1, op=pld.NotifyOp.AtomicAdd)
                pld.system.wait(centre, [1, 0], rd + 1, cmp=pld.WaitCmp.Ge)
            return out

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            out: pl.Out[pl.Tensor[[1, 8], pl.INT32]],
            data: pl.InOut[pld.DistributedTensor[[1, 8], pl.INT32]],
            flags: pl.InOut[pld.DistributedTensor[[8, 1], pl.INT32]],
            centre: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
        ) -> pl.Tensor[[1, 8], pl.INT32]:
            return self.kernel(out, data, flags, centre)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(self, out: pl.Out[pl.Tensor[[nr, 1, 8], pl.INT32]]):
            buf = pld.alloc_window_buffer([1, 8], dtype=pl.INT32)
            flag_buf = pld.alloc_window_buffer(8 * pl.INT32.get_byte())
            centre_buf = pld.alloc_window_buffer(2 * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(buf, [1, 8], dtype=pl.INT32)
                flags = pld.window(flag_buf, [8, 1], dtype=pl.INT32)
                centre = pld.window(centre_buf, [2, 1], dtype=pl.INT32)
                self.chip(out[r], data, flags, centre, device=r)

    return Barriers


def devices():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1")
    args = parser.parse_args()
    return args.platform, [int(d) for d in args.device.split(",")]


def compiled(program):
    platform, ids = devices()
    return ir.compile(program, platform=platform, distributed_config=DistributedConfig(device_ids=ids))


if __name__ == "__main__":
    nr = len(devices()[1])
    out = torch.zeros(nr, 1, 8, dtype=torch.int32)
    compiled(build(nr))(out)
    want = torch.tensor([((r + 1) % nr) * 10 + ROUNDS - 1 for r in range(nr)], dtype=torch.int32)
    assert torch.equal(out[:, 0, 0], want)
    print("OK")
