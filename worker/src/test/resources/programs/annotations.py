"""Annotations hold any Python expression of values outside, and the name of a type written before."""

# devices: 0 | 0,1 | 2,0,1

import argparse
import enum
from collections import namedtuple
from dataclasses import dataclass
from types import SimpleNamespace

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig


@dataclass(frozen=True)
class Config:
    columns: int = 32
    dtype: object = pl.FP32

    def rows(self):
        return 1


class Sizes:
    COLUMNS = 32

    class Inner:
        ROWS = 1


class Width(enum.IntEnum):
    FULL = 32


Pair = namedtuple("Pair", "rows columns")

config = Config()
space = SimpleNamespace(shape=(1, 32))
pair = Pair(1, 32)
table = {"columns": 32, "dtype": pl.FP32}
extents = [1, 32]
Row = pl.Tensor[[1, config.columns], config.dtype]
Result = pl.Out[Row]
Part = pl.Tile[extents, table["dtype"]]
Number = pl.Scalar[pl.INT32]
kinds = {"row": Row}


def columns():
    return 32


def build(nr):
    @pl.program
    class Summed:
        @pl.function(type=pl.FunctionType.InCore)
        def add_up(
            self,
            a: pl.Tensor[[1, config.columns], config.dtype],
            b: pl.Tensor[[Sizes.Inner.ROWS, Sizes.COLUMNS], table["dtype"]],
            c: pl.Tensor[[config.rows(), Width.FULL], pl.FP32],
            d: pl.Tensor[[len(extents) - 1, max(extents)], pl.FP32],
            e: pl.Tensor[[1, columns()], pl.FP32],
            f: pl.Tensor[[1, 32 if extents else 64], pl.FP32],
            g: pl.Tensor[tuple(extents), pl.FP32],
            h: pl.Tensor[[n for n in extents], pl.FP32],
            i: pl.Tensor[space.shape, pl.FP32],
            j: pl.Tensor[[1, pair.columns * 2 // 2], pl.FP32],
            k: Row,
            m: kinds["row"],
            y: Result,
            times: Number,
        ) -> Row:
            total: Part = pl.load(a, [0, 0], [1, 32])
            total = pl.add(total, pl.load(b, [0, 0], [1, 32]))
            total = pl.add(total, pl.load(c, [0, 0], [1, 32]))
            total = pl.add(total, pl.load(d, [0, 0], [1, 32]))
            total = pl.add(total, pl.load(e, [0, 0], [1, 32]))
            total = pl.add(total, pl.load(f, [0, 0], [1, 32]))
            total = pl.add(total, pl.load(g, [0, 0], [1, 32]))
            total = pl.add(total, pl.load(h, [0, 0], [1, 32]))
            total = pl.add(total, pl.load(i, [0, 0], [1, 32]))
            total = pl.add(total, pl.load(j, [0, 0], [1, 32]))
            total = pl.add(total, pl.load(k, [0, 0], [1, 32]))
            for _ in pl.range(times):
                total = pl.add(total, pl.load(m, [0, 0], [1, 32]))
            y = pl.store(total, [0, 0], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(self, x: Row, y: Result, times: Number):
            y = self.add_up(x, x, x, x, x, x, x, x, x, x, x, x, y, times)
            return y

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(self, x: pl.Tensor[[nr, *extents], pl.FP32], y: pl.Out[pl.Tensor[[nr, *extents], pl.FP32]]):
            for r in pl.range(pld.world_size()):
                self.chip(x[r], y[r], r + 1, device=r)

    return Summed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1")
    args = parser.parse_args()
    devices = [int(d) for d in args.device.split(",")]
    nr = len(devices)
    compiled = ir.compile(
        build(nr), platform=args.platform, distributed_config=DistributedConfig(device_ids=devices)
    )
    x = torch.arange(nr * 32, dtype=torch.float32).reshape(nr, 1, 32)
    y = torch.zeros(nr, 1, 32)
    compiled(x, y)
    golden = torch.stack([x[r] * (11 + r + 1) for r in range(nr)])
    assert torch.equal(y, golden)
    print("OK")


if __name__ == "__main__":
    main()
