"""A HOST function assigns what a dispatch returns to the slice that it was written to."""

# devices: 0 | 0,1 | 3,1,2

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

ROW = pl.Tensor[[1, 64], pl.FP32]


def build(nr):
    @pl.program
    class Assigned:
        @pl.function(type=pl.FunctionType.InCore)
        def add(self, x: ROW, y: pl.Out[ROW]) -> ROW:
            y = pl.store(pl.add(pl.load(x, [0, 0], [1, 64]), 1.0), [0, 0], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(self, x: ROW, y: pl.Out[ROW]) -> ROW:
            y = self.add(x, y)
            return y

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(self, x: pl.Tensor[[nr, 1, 64], pl.FP32], y: pl.Out[pl.Tensor[[nr, 1, 64], pl.FP32]]):
            for r in pl.range(pld.world_size()):
                y[r] = self.chip(x[r], y[r], device=r)
            for r in pl.range(pld.world_size()):
                y[r] = self.chip(y[r], y[r], device=r)

    return Assigned


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1")
    args = parser.parse_args()
    devices = [int(d) for d in args.device.split(",")]
    nr = len(devices)
    compiled = ir.compile(
        build(nr), platform=args.platform, distributed_config=DistributedConfig(device_ids=devices)
    )
    x = torch.arange(nr * 64, dtype=torch.float32).reshape(nr, 1, 64)
    y = torch.zeros(nr, 1, 64)
    compiled(x, y)
    assert torch.equal(y, x + 2)
    print("OK")


if __name__ == "__main__":
    main()
