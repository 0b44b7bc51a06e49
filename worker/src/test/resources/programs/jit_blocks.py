# The same kernel several times: the loop over blocks, the block statement, and a kernel that asks
# for the number of its block.
# devices: 0 | 0,1
import pypto.language as pl
import torch
from pypto.runtime import RunConfig

BLOCKS = 4
ROWS = 8
COLS = 32


@pl.jit.inline
def first_row():
    return pl.tile.get_block_idx() * ROWS


@pl.jit.incore
def add_number(x: pl.Tensor, out: pl.Out[pl.Tensor]):
    block_idx = first_row()
    tile = pl.load(x, [block_idx, 0], [ROWS, COLS])
    number = pl.cast(pl.cast(pl.tile.get_block_idx(), pl.INT32), pl.FP32)
    out = pl.store(pl.add(tile, number), [block_idx, 0], out)
    return out


@pl.jit
def chip(
    x: pl.Tensor[[BLOCKS * ROWS, COLS], pl.FP32],
    y: pl.Out[pl.Tensor[[BLOCKS * ROWS, COLS], pl.FP32]],
    z: pl.Out[pl.Tensor[[BLOCKS * ROWS, COLS], pl.FP32]],
    w: pl.Out[pl.Tensor[[BLOCKS * ROWS, COLS], pl.FP32]],
):
    for b in pl.spmd(BLOCKS, name_hint="doubled"):
        tile = pl.load(x, [b * ROWS, 0], [ROWS, COLS])
        y = pl.store(pl.mul(tile, 2.0), [b * ROWS, 0], y)
    with pl.spmd(core_num=BLOCKS, name_hint="negative") as done:
        at = pl.tile.get_block_idx() * ROWS
        part = y[at : at + ROWS, :]
        z = pl.assemble(z, pl.neg(part), [at, 0])
    with pl.spmd(BLOCKS, deps=[done]):
        w = add_number(x, w)
    return y, z, w


def main():
    x = torch.randn((BLOCKS * ROWS, COLS))
    y, z, w = chip(x, config=RunConfig(platform="a2a3sim"))
    assert torch.equal(y, 2.0 * x)
    assert torch.equal(z, -2.0 * x)
    for b in range(BLOCKS):
        rows = slice(b * ROWS, (b + 1) * ROWS)
        assert torch.allclose(w[rows], x[rows] + float(b)), f"block {b}"
    print("OK")


if __name__ == "__main__":
    main()
