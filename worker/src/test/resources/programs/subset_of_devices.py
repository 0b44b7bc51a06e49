"""Programs that leave devices idle: a domain in the middle, HOST collectives over it, single dispatches."""

# devices: 0,1,2,3 | 4,9,2,5,7

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

W = 16


def subset(nr, root):
    @pl.program
    class Subset:
        @pl.function(type=pl.FunctionType.InCore)
        def stage(
            self,
            x: pl.Tensor[[1, W], pl.FP32],
            w: pl.InOut[pld.DistributedTensor[[1, W], pl.FP32]],
        ):
            pl.store(pl.load(x, [0, 0], [1, W]), [0, 0], w)

        @pl.function(type=pl.FunctionType.Orchestration)
        def stage_on_chip(
            self,
            x: pl.Tensor[[1, W], pl.FP32],
            w: pl.InOut[pld.DistributedTensor[[1, W], pl.FP32]],
        ):
            self.stage(x, w)

        @pl.function(type=pl.FunctionType.InCore)
        def take(
            self,
            w: pld.DistributedTensor[[1, W], pl.FP32],
            y: pl.Out[pl.Tensor[[1, W], pl.FP32]],
        ):
            y = pl.store(pl.load(w, [0, 0], [1, W]), [0, 0], y)

        @pl.function(type=pl.FunctionType.Orchestration)
        def take_on_chip(
            self,
            w: pld.DistributedTensor[[1, W], pl.FP32],
            y: pl.Out[pl.Tensor[[1, W], pl.FP32]],
        ):
            self.take(w, y)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            x: pl.Tensor[[nr, 1, W], pl.FP32],
            total: pl.Out[pl.Tensor[[nr, 1, W], pl.FP32]],
            sent: pl.Out[pl.Tensor[[nr, 1, W], pl.FP32]],
        ):
            a_buf = pld.alloc_window_buffer(W * 4)
            b_buf = pld.alloc_window_buffer(W * 4)
            sig_buf = pld.alloc_window_buffer(2 * 4)
            for r in pl.range(1, 3):
                self.stage_on_chip(x[r], pld.window(a_buf, [1, W], dtype=pl.FP32), device=r)
                self.stage_on_chip(x[r], pld.window(b_buf, [1, W], dtype=pl.FP32), device=r)
            a = pld.window(a_buf, [1, W], dtype=pl.FP32)
            b = pld.window(b_buf, [1, W], dtype=pl.FP32)
            signal = pld.window(sig_buf, [2], dtype=pl.INT32)
            pld.tensor.allreduce(a, signal)
            pld.tensor.broadcast(b, signal, root=root)
            self.take_on_chip(a, total[1], device=1)
            self.take_on_chip(a, total[2], device=2)
            for r in pl.range(1, 3):
                self.take_on_chip(pld.window(b_buf, [1, W], dtype=pl.FP32), sent[r], device=r)

    return Subset


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1,2,3")
    args = parser.parse_args()
    ids = [int(d) for d in args.device.split(",")]
    nr = len(ids)
    for root in range(2):
        compiled = ir.compile(
            subset(nr, root),
            platform=args.platform,
            distributed_config=DistributedConfig(device_ids=ids),
        )
        x = torch.randn(nr, 1, W)
        total, sent = torch.zeros_like(x), torch.zeros_like(x)
        compiled(x, total, sent)
        for r in (1, 2):
            assert torch.allclose(total[r], x[1] + x[2])
            assert torch.equal(sent[r], x[1 + root])
    print("OK")


if __name__ == "__main__":
    main()
