# One free function, read again for every set of shapes it is called with; what its text takes from
# the shape and the element type of its arguments, from the globals around it, and from defaults.
# devices: 0,1 | 0,1,2 | 5
import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import RunConfig

TIMES = 3
COLS = 64


@pl.jit.incore
def repeat(x: pl.Tensor, out: pl.Out[pl.Tensor], n: pl.Scalar[pl.INT32]):
    rows, cols = x.shape
    kind = x.dtype
    tile = pl.load(x, [0, 0], [rows, cols])
    total = pl.tile.full([x.shape[0], cols], dtype=kind, value=0.0)
    for _ in pl.range(n):
        total = pl.add(total, tile)
    out = pl.store(total, [0, 0], out)
    return out


@pl.jit.inline
def twice_plus(tile, more):
    doubled = pl.mul(tile, 2.0)
    return pl.add(doubled, more)


# Without a return statement the result is the first output.
@pl.jit.incore
def add_up(
    a: pl.Tensor[[1, COLS], pl.FP32],
    b: pl.Tensor[[1, COLS], pl.FP32],
    out: pl.Out[pl.Tensor[[1, COLS], pl.FP32]],
    more: pl.Scalar[pl.FP32] = 1.0,
):
    left = pl.load(a, [0, 0], [1, a.shape[1]])
    right = pl.load(b, [0, 0], [1, b.shape[-1]])
    pl.store(twice_plus(pl.add(left, right), more), [0, 0], out)


@pl.jit
def chip(
    x: pl.Tensor,
    wide: pl.Tensor,
    y: pl.Out[pl.Tensor],
    z: pl.Out[pl.Tensor],
    n: pl.Scalar[pl.INT32],
):
    y = repeat(x, n=n, out=y)
    z = repeat(wide, z, TIMES)
    other = pl.create_tensor([1, x.shape[1]], dtype=x.dtype)
    other = repeat(out=other, x=x, n=2)
    y = add_up(x, other, y)
    return y, z


@pl.jit.host
def host(x: pl.Tensor, wide: pl.Tensor, y: pl.Out[pl.Tensor], z: pl.Out[pl.Tensor]):
    for r in pl.range(pld.world_size()):
        chip(x[r], wide[r], y[r], z=z[r], n=2, device=r)
    return z, y


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1")
    args = parser.parse_args()
    ids = [int(d) for d in args.device.split(",")]
    n = len(ids)
    config = RunConfig(
        platform=args.platform, distributed_config=DistributedConfig(device_ids=ids)
    )
    # The same function for three sets of shapes: each call finds its own program.
    for rows, cols in [(8, 32), (4, 16), (8, 32), (16, 128)]:
        x = torch.randn((n, 1, COLS))
        wide = torch.randn((n, rows, cols))
        y = torch.zeros((n, 1, COLS))
        z = torch.zeros((n, rows, cols))
        first, second = host(x, wide, y, z, config=config)
        assert torch.allclose(y, (x + 2 * x) * 2 + 1, rtol=1e-5, atol=1e-5)
        assert torch.allclose(z, 3 * wide, rtol=1e-5, atol=1e-5)
        assert torch.equal(first, z)
        assert torch.equal(second, y)
    print("OK")


if __name__ == "__main__":
    main()
