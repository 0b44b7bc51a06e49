"""Kernels of a class that ask for the number of their block, one of them through another."""

# devices: 0

import pypto.language as pl
import torch
from pypto import ir

BLOCKS, ROWS, COLS = 4, 8, 32
STEP = ROWS // BLOCKS


@pl.program
class Blocks:
    @pl.function(type=pl.FunctionType.InCore)
    def rows(self, x: pl.Tensor[[ROWS, COLS], pl.FP32]) -> pl.Tile[[STEP, COLS], pl.FP32]:
        return pl.load(x, [pl.tile.get_block_idx() * STEP, 0], [STEP, COLS])

    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self, x: pl.Tensor[[ROWS, COLS], pl.FP32], y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]]
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        tile = self.rows(x)
        block_idx = pl.tile.get_block_idx()
        number = pl.cast(pl.cast(block_idx, pl.INT32), pl.FP32)
        return pl.store(pl.add(tile, number), [block_idx * STEP, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(
        self, x: pl.Tensor[[ROWS, COLS], pl.FP32], y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]]
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        with pl.spmd(BLOCKS):
            y = self.kernel(x, y)
        return y


x = torch.randn(ROWS, COLS)
y = ir.compile(Blocks, platform="a2a3sim")(x)
number = torch.tensor([i // STEP for i in range(ROWS)], dtype=torch.float32).reshape(ROWS, 1)
assert torch.allclose(y, x + number)
print("OK")
