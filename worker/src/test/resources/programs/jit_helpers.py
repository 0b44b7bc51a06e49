# Free functions that stand in for their calls: in the host function, in a chip function, and chip
# functions that call one another.
# devices: 0 | 0,1 | 0,1,2,3
import sys

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import RunConfig

COLS = 64
NR = pl.dynamic("NR")


@pl.jit.incore
def double(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    tile = pl.load(x, [0, 0], [1, COLS])
    return pl.store(pl.add(tile, tile), [0, 0], y)


@pl.jit.opaque
def add_one(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="one"):
        y = pl.assemble(y, pl.add(x, 1.0), [0, 0])
    return y


@pl.jit
def twice(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    y = double(x, y)
    return y


@pl.jit
def chip(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    half = pl.create_tensor([1, COLS], dtype=pl.FP32)
    half = twice(x, half)
    y = add_one(half, y)
    return y


@pl.jit.inline
def mirrored(r, n):
    return n - 1 - r


@pl.jit.inline
def dispatch(x: pl.Tensor, y: pl.Out[pl.Tensor], r: pl.Scalar[pl.INT32], n):
    from_rank = mirrored(r, n)
    chip(x[from_rank], y[r], device=r)


@pl.jit.host
def host(x: pl.Tensor[[NR, 1, COLS], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, COLS], pl.FP32]]):
    from_rank = pld.world_size()
    for r in pl.range(pld.world_size()):
        dispatch(x, y, r, from_rank)


def main():
    ids = [int(d) for d in sys.argv[sys.argv.index("-d") + 1].split(",")]
    x = torch.randn((len(ids), 1, COLS))
    y = torch.zeros_like(x)
    host(x, y, config=RunConfig(platform="a2a3sim", distributed_config=DistributedConfig(device_ids=ids)))
    assert torch.equal(y, torch.flip(2.0 * x + 1.0, [0]))
    print("OK")


if __name__ == "__main__":
    main()
