"""Two groups that share rank 1; peers are numbers inside a group. Three devices."""

# devices: 0,1,2 | 7,3,5

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 32


@pl.program
class TwoGroups:
    @pl.function(type=pl.FunctionType.InCore)
    def swap(
        self,
        x: pl.Tensor[[1, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
        w: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
        s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
        peer: pl.Scalar[pl.INT32],
    ) -> pl.Tensor[[1, SIZE], pl.FP32]:
        w = pl.store(pl.load(x, [0, 0], [1, SIZE]), [0, 0], w)
        pld.system.notify(target=s, peer=peer, offsets=[0, 0], value=1, op=pld.NotifyOp.Set)
        pld.system.wait(signal=s, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Eq)
        return pl.store(pld.tile.remote_load(w, peer=peer, offsets=[0, 0], shape=[1, SIZE]), [0, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(
        self,
        x: pl.Tensor[[1, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
        w: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
        s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
        peer: pl.Scalar[pl.INT32],
    ) -> pl.Tensor[[1, SIZE], pl.FP32]:
        return self.swap(x, y, w, s, peer)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(
        self,
        x: pl.Tensor[[3, 1, SIZE], pl.FP32],
        low: pl.Out[pl.Tensor[[2, 1, SIZE], pl.FP32]],
        high: pl.Out[pl.Tensor[[2, 1, SIZE], pl.FP32]],
    ):
        low_buf = pld.alloc_window_buffer([1, SIZE], dtype=pl.FP32)
        low_sig = pld.alloc_window_buffer(pl.INT32.get_byte())
        high_buf = pld.alloc_window_buffer([1, SIZE], dtype=pl.FP32)
        high_sig = pld.alloc_window_buffer(pl.INT32.get_byte())
        for r in pl.range(2):
            w = pld.window(low_buf, [1, SIZE], dtype=pl.FP32)
            s = pld.window(low_sig, [1, 1], dtype=pl.INT32)
            self.chip(x[r], low[r], w, s, 1 - r, device=r)
        for r in pl.range(1, 3):
            w = pld.window(high_buf, [1, SIZE], dtype=pl.FP32)
            s = pld.window(high_sig, [1, 1], dtype=pl.INT32)
            self.chip(x[r], high[r - 1], w, s, 2 - r, device=r)


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
    f = compiled(TwoGroups)
    x = torch.arange(3 * SIZE, dtype=torch.float32).reshape(3, 1, SIZE)
    low = torch.zeros(2, 1, SIZE)
    high = torch.zeros(2, 1, SIZE)
    f(x, low, high)
    assert torch.equal(low, torch.stack([x[1], x[0]]))
    assert torch.equal(high, torch.stack([x[2], x[1]]))
    print("OK")
