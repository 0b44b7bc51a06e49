"""32,768 elements of an output, compared one by one in a loop of the script's own."""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 8192


def allreduce(ranks):
    @pl.program
    class AllReduce:
        @pl.function(type=pl.FunctionType.InCore)
        def reduce(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], pl.FP32]:
            data = pl.store(pl.load(x, [0, 0], [1, SIZE]), [0, 0], data)
            data = pld.tensor.allreduce(data, signal, op=pld.ReduceOp.Sum)
            return pl.store(pl.load(data, [0, 0], [1, SIZE]), [0, 0], y)

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], pl.FP32]:
            return self.reduce(x, y, data, signal)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            x: pl.Tensor[[ranks, 1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[ranks, 1, SIZE], pl.FP32]],
        ):
            data = pld.alloc_window_buffer([1, SIZE], dtype=pl.FP32)
            signal = pld.alloc_window_buffer([ranks, 1], dtype=pl.INT32)
            for r in pl.range(pld.world_size()):
                self.chip(
                    x[r],
                    y[r],
                    pld.window(data, [1, SIZE], dtype=pl.FP32),
                    pld.window(signal, [ranks, 1], dtype=pl.INT32),
                    device=r,
                )

    return AllReduce


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1,2,3")
    args = parser.parse_args()
    devices = [int(device) for device in args.device.split(",")]
    ranks = len(devices)
    torch.manual_seed(11)
    x = torch.randn(ranks, 1, SIZE)
    y = torch.zeros_like(x)
    config = DistributedConfig(device_ids=devices)
    ir.compile(allreduce(ranks), platform=args.platform, distributed_config=config)(x, y)
    golden = x.sum(0)
    wrong = []
    for r in range(ranks):
        for i, (got, want) in enumerate(zip(y[r].flatten().tolist(), golden.flatten().tolist())):
            if abs(got - want) > 1e-4 + 1e-4 * abs(want):
                wrong.append(f"rank {r}, element {i}: {got}, not {want}")
    if wrong:
        print("\n".join(wrong[:10]))
        raise SystemExit(f"{len(wrong)} elements are wrong")
    print("OK")


main()
