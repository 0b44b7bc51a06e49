# Tasks that are submitted by name: one, one a block, with and without dependences; the two vector
# lanes of a core.
# devices: 0
import pypto.language as pl
import torch

BLOCKS = 4
ROWS = 8
COLS = 32


@pl.jit.incore
def double(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    tile = pl.load(x, [0, 0], [ROWS, COLS])
    return pl.store(pl.add(tile, tile), [0, 0], y)


@pl.jit.incore
def number_rows(x: pl.Tensor, y: pl.Out[pl.Tensor], step: pl.Scalar[pl.INT32]):
    first = pl.tile.get_block_idx() * step
    number = pl.cast(pl.cast(pl.tile.get_block_idx(), pl.INT32), pl.FP32)
    tile = pl.load(x, [first, 0], [ROWS // BLOCKS, COLS])
    return pl.store(pl.add(tile, number), [first, 0], y)


@pl.jit.incore
def two(x: pl.Tensor, y: pl.Out[pl.Tensor], z: pl.Out[pl.Tensor]):
    tile = pl.load(x, [0, 0], [ROWS, COLS])
    y = pl.store(tile, [0, 0], y)
    z = pl.store(pl.neg(tile), [0, 0], z)
    return y, z


@pl.jit
def chip(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    numbered: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
    plus: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
    minus: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
    lanes: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    temp = pl.create_tensor([ROWS, COLS], dtype=pl.FP32)
    with pl.manual_scope():
        temp, first = pl.submit(double, x, temp)
        numbered, second = pl.spmd_submit(
            number_rows, temp, numbered, ROWS // BLOCKS, core_num=BLOCKS, deps=[first]
        )
        plus, minus, third = pl.submit(two, pl.no_dep(numbered), plus, minus, deps=[second])
        with pl.at(level=pl.Level.CORE_GROUP, deps=[third]):
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                at = lane * (ROWS // 2)
                part = plus[at : at + ROWS // 2, :]
                lanes = pl.assemble(lanes, pl.mul(part, 3.0), [at, 0])
            for lane in pl.split_aiv(2, mode=pl.SplitMode.LEFT_RIGHT):
                half = pl.aiv_shard(lanes)
                lanes = pl.assemble(lanes, pl.add(half, 1.0), [0, lane * (COLS // 2)])
    return numbered, plus, minus, lanes


x = torch.randn((ROWS, COLS))
numbered, plus, minus, lanes = chip(x)
golden = 2.0 * x + torch.arange(BLOCKS).repeat_interleave(ROWS // BLOCKS).to(torch.float32)[:, None]
assert torch.allclose(numbered, golden)
assert torch.allclose(plus, golden)
assert torch.allclose(minus, -golden)
assert torch.allclose(lanes, 3.0 * golden + 1.0)
print("OK")
