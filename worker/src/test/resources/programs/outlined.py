"""Kernels and chip programs written in place with pl.at, task handles, a manual scope, a deferred wait."""

# devices: 0 | 0,1 | 4,9,2 | 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 64
NR = pl.dynamic("NR")


@pl.program
class InPlace:
    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(
        self,
        x: pl.Tensor[[1, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
        w: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
        s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    ) -> pl.Tensor[[1, SIZE], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="stage"):
            w = pl.store(pl.mul(pl.load(x, [0, 0], [1, SIZE]), 2.0), [0, 0], w)
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="meet"):
            pld.tensor.barrier(s)
        with pl.at(level=pl.Level.CORE_GROUP):
            ctx = pld.get_comm_ctx(w)
            peer = (pld.rank(ctx) + 1) % pld.nranks(ctx)
            y = pl.store(pld.tile.remote_load(w, peer=peer, offsets=[0, 0], shape=[1, SIZE]), [0, 0], y)
        return y

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[NR, 1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]]):
        buf = pld.alloc_window_buffer([1, SIZE], dtype=pl.FP32)
        cells = pld.alloc_window_buffer(pld.world_size() * pl.INT32.get_byte())
        for r in pl.range(pld.world_size()):
            w = pld.window(buf, [1, SIZE], dtype=pl.FP32)
            s = pld.window(cells, [NR, 1], dtype=pl.INT32)
            self.chip(x[r], y[r], w, s, device=r)


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
    f = compiled(InPlace)
    nr = len(devices()[1])
    x = torch.randn(nr, 1, SIZE)
    y = torch.zeros(nr, 1, SIZE)
    f(x, y)
    assert torch.equal(y, torch.stack([2 * x[(r + 1) % nr] for r in range(nr)]))
    print("OK")
