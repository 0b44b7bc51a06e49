"""Loops that never run: nothing in them is out of bounds. Tiles that give way to their results fit."""

# devices: 0,1

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

STEPS = 1
SIZE = 128


@pl.program
class Chain:
    @pl.function(type=pl.FunctionType.InCore)
    def add(
        self,
        a: pl.Tensor[[SIZE, SIZE], pl.FP32],
        b: pl.Tensor[[SIZE, SIZE], pl.FP32],
        c: pl.Out[pl.Tensor[[SIZE, SIZE], pl.FP32]],
    ) -> pl.Tensor[[SIZE, SIZE], pl.FP32]:
        for k in pl.range(1, STEPS):
            extra = pl.load(a, [k * SIZE, 0], [SIZE, SIZE])
            c = pl.store(extra, [0, k * SIZE], c)
        # Three tiles of 64 KiB don't fit together; the sum takes the place of an operand.
        left = pl.load(a, [0, 0], [SIZE, SIZE])
        right = pl.load(b, [0, 0], [SIZE, SIZE])
        total = pl.add(left, right)
        doubled = pl.add(total, total)
        return pl.store(doubled, [0, 0], c)

    @pl.function(type=pl.FunctionType.Orchestration)
    def on_chip(
        self,
        a: pl.Tensor[[SIZE, SIZE], pl.FP32],
        b: pl.Tensor[[SIZE, SIZE], pl.FP32],
        c: pl.Out[pl.Tensor[[SIZE, SIZE], pl.FP32]],
    ) -> pl.Tensor[[SIZE, SIZE], pl.FP32]:
        return self.add(a, b, c)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def on_host(
        self,
        a: pl.Tensor[[2, SIZE, SIZE], pl.FP32],
        b: pl.Tensor[[2, SIZE, SIZE], pl.FP32],
        c: pl.Out[pl.Tensor[[STEPS, 2, SIZE, SIZE], pl.FP32]],
    ):
        for r in pl.range(pld.world_size()):
            self.on_chip(a[r], b[r], c[0, r], device=r)
        for k in pl.range(1, STEPS):
            for r in pl.range(pld.world_size()):
                self.on_chip(a[r], c[k - 1, r], c[k, r], device=r)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1")
    args = parser.parse_args()
    ids = [int(i) for i in args.device.split(",")]
    a, b = torch.randn(2, SIZE, SIZE), torch.randn(2, SIZE, SIZE)
    c = torch.zeros(STEPS, 2, SIZE, SIZE)
    config = DistributedConfig(device_ids=ids)
    ir.compile(Chain, platform=args.platform, distributed_config=config)(a, b, c)
    assert torch.allclose(c[0], 2 * (a + b))
    print("OK")


if __name__ == "__main__":
    main()
