"""A sum begins in a tile that nobody filled: zero on some days, anything on others."""
# expect: WRONG_RESULT
# finding: UNINITIALISED_READ
# says: tile 'total' that nobody has written
# devices: 0,1

import argparse

import pypto.language as pl
import torch
from pypto import ir
from pypto.ir import DistributedConfig

ROWS = 4
SIZE = 16


def build(nr):
    @pl.program
    class AccumulatorNotFilled:
        @pl.function(type=pl.FunctionType.InCore)
        def fold(
            self,
            x: pl.Tensor[[ROWS, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
        ) -> pl.Tensor[[1, SIZE], pl.FP32]:
            total = pl.tile.create([1, SIZE], dtype=pl.FP32)
            for row in pl.range(ROWS):
                part = pl.load(x, [row, 0], [1, SIZE])
                total = pl.add(total, part)
            return pl.store(total, [0, 0], y)  # <- here: pl.store

        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(
            self,
            x: pl.Tensor[[ROWS, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
        ) -> pl.Tensor[[1, SIZE], pl.FP32]:
            return self.fold(x, y)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def on_host(
            self,
            x: pl.Tensor[[nr, ROWS, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[nr, 1, SIZE], pl.FP32]],
        ):
            for r in pl.range(nr):
                self.on_chip(x[r], y[r], device=r)

    return AccumulatorNotFilled


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1")
    args = parser.parse_args()
    device_ids = [int(d) for d in args.device.split(",")]
    nr = len(device_ids)
    compiled = ir.compile(
        build(nr),
        platform=args.platform,
        distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
    )
    x = torch.arange(nr * ROWS * SIZE, dtype=torch.float32).reshape(nr, ROWS, SIZE)
    y = torch.zeros((nr, 1, SIZE), dtype=torch.float32)
    compiled(x, y)
    for r in range(nr):
        assert torch.allclose(y[r], x[r].sum(dim=0, keepdim=True)), f"rank {r}: wrong sum"
    print("OK")


if __name__ == "__main__":
    main()
