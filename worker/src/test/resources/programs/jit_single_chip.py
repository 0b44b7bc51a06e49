# A chip function that the driver calls itself: it runs on the first device. Its blocks are kernels,
# inline code stands in the caller, tensors made in a block live on, and a name may get another type.
# devices: 0 | 3,4
import pypto.language as pl
import torch
from pypto.runtime import RunConfig

ROWS = 16
COLS = 64
STEP = 8
EPS = 1e-6


@pl.jit.inline
def normalise(x: pl.Tensor, weight: pl.Tensor, out: pl.Tensor):
    rows, cols = x.shape
    for at in pl.range(0, rows, STEP):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="rows"):
            part = pl.slice(x, [STEP, cols], [at, 0])
            total = pl.row_sum(pl.mul(part, part))
            mean = pl.mul(total, 1.0 / COLS)
            factor = pl.rsqrt(pl.add(mean, EPS))
            scaled = pl.mul(part, factor)
            row = pl.slice(weight, [1, cols], [0, 0])
            out = pl.assemble(out, pl.mul(scaled, row), [at, 0])
    return out


@pl.jit
def layer(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    weight: pl.Tensor[[1, COLS], pl.FP32],
    out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    between = pl.create_tensor([ROWS, COLS], dtype=pl.FP32)
    between = normalise(x, weight, between)
    with pl.at(level=pl.Level.CORE_GROUP):
        tile = pl.load(between, [0, 0], [ROWS, COLS])
        tile = pl.cast(tile, pl.BF16)
        tile = pl.cast(tile, pl.FP32)
        rest = pl.load(x, [0, 0], [ROWS, COLS])
        sum_of_both = pl.create_tensor([ROWS, COLS], dtype=pl.FP32)
        sum_of_both = pl.store(pl.add(tile, rest), [0, 0], sum_of_both)
    with pl.at(level=pl.Level.CORE_GROUP):
        doubled = pl.mul(sum_of_both, 2.0)
        out = pl.assemble(out, doubled, [0, 0])
    return out


def main():
    x = torch.randn((ROWS, COLS))
    weight = torch.randn((1, COLS))
    norm = x / torch.sqrt((x * x).sum(dim=1, keepdim=True) / COLS + EPS) * weight
    golden = (norm.to(torch.bfloat16).to(torch.float32) + x) * 2.0

    out = torch.zeros((ROWS, COLS))
    layer(x, weight, out, config=RunConfig(platform="a2a3sim"))
    assert torch.allclose(out, golden, rtol=2e-2, atol=2e-2)

    # Without the output the call makes it and hands it out.
    made = layer(x, weight, config=RunConfig(platform="a2a3sim"))
    assert torch.equal(made, out)

    # Without samples the annotations say the shapes.
    compiled = layer.compile(config=RunConfig(platform="a2a3sim"))
    again = torch.zeros((ROWS, COLS))
    compiled(x, weight, again)
    assert torch.equal(again, out)
    print("OK")


if __name__ == "__main__":
    main()
