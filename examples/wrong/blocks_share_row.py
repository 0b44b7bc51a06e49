"""Blocks of a kernel that add to one row by loading and storing it: they run at the same time."""
# expect: RACE
# finding: RACE
# says: nothing orders the blocks of the pl.spmd
# hint: pl.AtomicType.Add
# devices: 0

import argparse

import pypto.language as pl
import torch
from pypto import ir
from pypto.ir import DistributedConfig

BLOCKS = 4
SIZE = 16


@pl.program
class BlocksShareRow:
    @pl.function(type=pl.FunctionType.Opaque)
    def on_chip(
        self,
        x: pl.Tensor[[BLOCKS, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
    ) -> pl.Tensor[[1, SIZE], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP):
            y = pl.store(pl.tile.full([1, SIZE], dtype=pl.FP32, value=0.0), [0, 0], y)
        for b in pl.spmd(BLOCKS):
            row = pl.load(x, [b, 0], [1, SIZE])
            so_far = pl.load(y, [0, 0], [1, SIZE])  # <- here: pl.load
            y = pl.store(pl.add(so_far, row), [0, 0], y)  # <- here: pl.store
        return y


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0")
    args = parser.parse_args()
    device_ids = [int(d) for d in args.device.split(",")]
    x = torch.randn((BLOCKS, SIZE))
    y = torch.zeros((1, SIZE))
    compiled = ir.compile(
        BlocksShareRow,
        platform=args.platform,
        distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
    )
    compiled(x, y)
    assert torch.allclose(y, x.sum(0, keepdim=True), atol=1e-5)
    print("OK")


if __name__ == "__main__":
    main()
