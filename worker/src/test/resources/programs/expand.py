"""Arithmetic with one value for each row or column: a softmax and a norm, of tiles and of tensors."""

# devices: 0

import pypto.language as pl
import torch
from pypto import ir

ROWS, COLS = 8, 32


@pl.program
class Expanded:
    @pl.function(type=pl.FunctionType.InCore)
    def tiles(
        self, x: pl.Tensor[[ROWS, COLS], pl.FP32], y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]]
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        t = pl.load(x, [0, 0], [ROWS, COLS])
        tmp = pl.tile.create([ROWS, COLS], dtype=pl.FP32)
        e = pl.exp(pl.row_expand_sub(t, pl.row_max(t, tmp)))
        return pl.store(pl.row_expand_div(e, pl.row_sum(e, tmp)), [0, 0], y)

    @pl.function(type=pl.FunctionType.InCore)
    def tensors(
        self, x: pl.Tensor[[ROWS, COLS], pl.FP32], z: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]]
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        mean = pl.mul(pl.row_sum(pl.mul(x, x)), 1.0 / COLS)
        z = pl.assemble(z, pl.row_expand_mul(x, pl.rsqrt(pl.add(mean, 1e-6))), [0, 0])
        return z

    @pl.function(type=pl.FunctionType.InCore)
    def columns(
        self, x: pl.Tensor[[ROWS, COLS], pl.FP32], c: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]]
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        t = pl.load(x, [0, 0], [ROWS, COLS])
        top = pl.col_max(t)
        low = pl.col_min(t)
        scaled = pl.col_expand_add(pl.col_expand_mul(t, top), low)
        more = pl.col_expand(t, top)
        both = pl.add(scaled, pl.col_expand_max(pl.col_expand_sub(more, low), low))
        return pl.store(both, [0, 0], c)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(
        self,
        x: pl.Tensor[[ROWS, COLS], pl.FP32],
        y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
        z: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
        c: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
    ):
        y = self.tiles(x, y)
        z = self.tensors(x, z)
        c = self.columns(x, c)


x = torch.randn(ROWS, COLS)
y, z, c = torch.zeros_like(x), torch.zeros_like(x), torch.zeros_like(x)
ir.compile(Expanded, platform="a2a3sim")(x, y, z, c)
top, low = x.max(dim=0, keepdim=True).values, x.min(dim=0, keepdim=True).values
assert torch.allclose(y, torch.softmax(x, dim=-1), atol=1e-6)
assert torch.allclose(z, x * torch.rsqrt((x * x).mean(dim=-1, keepdim=True) + 1e-6), atol=1e-5)
assert torch.allclose(c, x * top + low + torch.maximum(top - low, low).expand(ROWS, COLS), atol=1e-5)
print("OK")
