"""A program for one chip, without a HOST level."""

# devices: 0

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 64


@pl.program
class OneChip:
    @pl.function(type=pl.FunctionType.InCore)
    def add(self, a: pl.Tensor[[1, SIZE], pl.FP32], b: pl.Tensor[[1, SIZE], pl.FP32], c: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]) -> pl.Tensor[[1, SIZE], pl.FP32]:
        return pl.store(pl.add(pl.load(a, [0, 0], [1, SIZE]), pl.load(b, [0, 0], [1, SIZE])), [0, 0], c)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[1, SIZE], pl.FP32], b: pl.Tensor[[1, SIZE], pl.FP32], c: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]) -> pl.Tensor[[1, SIZE], pl.FP32]:
        c = self.add(a, b, c)
        return c


if __name__ == "__main__":
    f = ir.compile(OneChip, platform="a2a3sim")
    a, b = torch.randn(1, SIZE), torch.randn(1, SIZE)
    c = torch.zeros(1, SIZE)
    f(a, b, c)
    assert torch.equal(c, a + b)
    d = f(a, b)
    assert torch.equal(d, a + b)
    print("OK")
