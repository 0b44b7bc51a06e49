"""A matrix product on the cube unit, between a gather and a store; row reductions; max and min."""

# devices: 0,1

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

M = 16
K = 32


@pl.program
class MatMul:
    @pl.function(type=pl.FunctionType.InCore)
    def product(self, a: pl.Tensor[[M, K], pl.FP16], b: pl.Tensor[[K, M], pl.FP16], c: pl.Out[pl.Tensor[[M, M], pl.FP32]]) -> pl.Tensor[[M, M], pl.FP32]:
        a_mat = pl.load(a, [0, 0], [M, K], target_memory=pl.MemorySpace.Mat)
        b_mat = pl.load(b, [0, 0], [K, M], target_memory=pl.MemorySpace.Mat)
        a_left = pl.move(a_mat, target_memory=pl.MemorySpace.Left)
        b_right = pl.move(b_mat, target_memory=pl.MemorySpace.Right)
        return pl.store(pl.matmul(a_left, b_right), [0, 0], c)

    @pl.function(type=pl.FunctionType.InCore)
    def rows(self, c: pl.Tensor[[M, M], pl.FP32], sums: pl.Out[pl.Tensor[[M, 1], pl.FP32]], most: pl.Out[pl.Tensor[[M, M], pl.FP32]]):
        t = pl.load(c, [0, 0], [M, M])
        tmp = pl.tile.create([M, M], dtype=pl.FP32, target_memory=pl.MemorySpace.Vec)
        sums = pl.store(pl.row_sum(t, tmp), [0, 0], sums)
        most = pl.store(pl.minimum(pl.maximum(t, 0.0), 6.0), [0, 0], most)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(
        self,
        a: pl.Tensor[[M, K], pl.FP16],
        b: pl.Tensor[[K, M], pl.FP16],
        c: pl.Out[pl.Tensor[[M, M], pl.FP32]],
        sums: pl.Out[pl.Tensor[[M, 1], pl.FP32]],
        most: pl.Out[pl.Tensor[[M, M], pl.FP32]],
    ):
        c = self.product(a, b, c)
        self.rows(c, sums, most)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(
        self,
        a: pl.Tensor[[2, M, K], pl.FP16],
        b: pl.Tensor[[K, M], pl.FP16],
        c: pl.Out[pl.Tensor[[2, M, M], pl.FP32]],
        sums: pl.Out[pl.Tensor[[2, M, 1], pl.FP32]],
        most: pl.Out[pl.Tensor[[2, M, M], pl.FP32]],
    ):
        for r in pl.range(pld.world_size()):
            self.chip(a[r], b, c[r], sums[r], most[r], device=r)


def devices():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1")
    args = parser.parse_args()
    return args.platform, [int(d) for d in args.device.split(",")]


def compiled(program):
    platform, ids = devices()
    return ir.compile(program, platform=platform, distributed_config=DistributedConfig(device_ids=ids))


if __name__ == "__main__":
    a = torch.randn(2, M, K).to(torch.float16)
    b = torch.randn(K, M).to(torch.float16)
    c, most = torch.zeros(2, M, M), torch.zeros(2, M, M)
    sums = torch.zeros(2, M, 1)
    compiled(MatMul)(a, b, c, sums, most)
    want = torch.matmul(a.float(), b.float())
    assert torch.allclose(c, want, rtol=1e-4, atol=1e-4)
    assert torch.allclose(sums, want.sum(dim=2, keepdim=True), rtol=1e-3, atol=1e-3)
    assert torch.allclose(most, want.clamp(0, 6), rtol=1e-4, atol=1e-4)
    print("OK")
