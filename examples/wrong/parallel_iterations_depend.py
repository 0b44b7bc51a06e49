"""A running sum in a parallel loop: each iteration reads the row that the one before it writes."""
# expect: RACE
# finding: RACE
# says: nothing orders the iterations of the pl.parallel
# hint: use pl.range
# devices: 0,1

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

ROWS = 4
SIZE = 16


def build(nr):
    @pl.program
    class ParallelIterationsDepend:
        @pl.function(type=pl.FunctionType.InCore)
        def step(
            self,
            x: pl.Tensor[[ROWS, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[ROWS, SIZE], pl.FP32]],
        ) -> pl.Tensor[[ROWS, SIZE], pl.FP32]:
            y = pl.store(pl.load(x, [0, 0], [1, SIZE]), [0, 0], y)
            for i in pl.parallel(1, ROWS):
                above = pl.load(y, [i - 1, 0], [1, SIZE])  # <- here: pl.load
                y = pl.store(pl.add(above, pl.load(x, [i, 0], [1, SIZE])), [i, 0], y)  # <- here: pl.store
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(
            self,
            x: pl.Tensor[[ROWS, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[ROWS, SIZE], pl.FP32]],
        ) -> pl.Tensor[[ROWS, SIZE], pl.FP32]:
            return self.step(x, y)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def on_host(
            self,
            x: pl.Tensor[[nr, ROWS, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[nr, ROWS, SIZE], pl.FP32]],
        ):
            for r in pl.range(pld.world_size()):
                self.on_chip(x[r], y[r], device=r)

    return ParallelIterationsDepend


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1")
    args = parser.parse_args()
    device_ids = [int(d) for d in args.device.split(",")]
    nr = len(device_ids)
    x = torch.randn((nr, ROWS, SIZE))
    y = torch.zeros((nr, ROWS, SIZE))
    compiled = ir.compile(
        build(nr),
        platform=args.platform,
        distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
    )
    compiled(x, y)
    assert torch.allclose(y, x.cumsum(1), atol=1e-5)
    print("OK")


if __name__ == "__main__":
    main()
