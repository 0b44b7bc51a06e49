"""Tasks with dependences: a manual scope, task handles, a waiter that defers."""

# devices: 0,1

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 64


@pl.program
class Tasks:
    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(
        self,
        x: pl.Tensor[[1, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
        w: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
        s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
        peer: pl.Scalar[pl.INT32],
    ) -> pl.Tensor[[1, SIZE], pl.FP32]:
        with pl.manual_scope():
            with pl.at(level=pl.Level.CORE_GROUP, name_hint="push") as sent:
                t = pl.load(x, [0, 0], [1, SIZE])
                pld.tile.remote_store(t, w, peer, [0, 0])
                pld.system.notify(s, peer=peer, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)
            with pl.at(level=pl.Level.CORE_GROUP, name_hint="arrived") as arrived:
                pld.system.defer_wait(s, [0, 0], 1, cmp=pld.WaitCmp.Ge)
            with pl.at(level=pl.Level.CORE_GROUP, name_hint="take", deps=[sent, arrived]):
                y = pl.store(pl.load(w, [0, 0], [1, SIZE]), [0, 0], y)
        return y

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[2, 1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[2, 1, SIZE], pl.FP32]]):
        buf = pld.alloc_window_buffer([1, SIZE], dtype=pl.FP32)
        cells = pld.alloc_window_buffer(2 * pl.INT32.get_byte())
        for r in pl.range(pld.world_size()):
            w = pld.window(buf, [1, SIZE], dtype=pl.FP32)
            s = pld.window(cells, [2, 1], dtype=pl.INT32)
            self.chip(x[r], y[r], w, s, 1 - r, device=r)


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
    x = torch.randn(2, 1, SIZE)
    y = torch.zeros(2, 1, SIZE)
    compiled(Tasks)(x, y)
    assert torch.equal(y, torch.stack([x[1], x[0]]))
    print("OK")
