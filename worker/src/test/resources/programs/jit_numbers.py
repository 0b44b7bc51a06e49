# Numbers in a call: the program is made for them. A mixed module: a class beside free functions.
# devices: 0,1 | 0,1,2,3
import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig
from pypto.runtime import RunConfig

NR = pl.dynamic("NR")
SIZE = 32


@pl.jit.incore
def grow(
    x: pl.Tensor[[1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
    times: pl.Scalar[pl.INT32],
    add: pl.Scalar[pl.FP32],
):
    tile = pl.load(x, [0, 0], [1, SIZE])
    if times > 2:
        tile = pl.mul(tile, 10.0)
    for _ in pl.range(times):
        tile = pl.add(tile, add)
    return pl.store(tile, [0, 0], y)


@pl.jit
def on_chip(
    x: pl.Tensor[[1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
    times: pl.Scalar[pl.INT32],
    add: pl.Scalar[pl.FP32],
):
    y = grow(x, y, times, add)
    return y


@pl.jit.host
def on_host(
    x: pl.Tensor[[NR, 1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]],
    times: pl.Scalar[pl.INT32],
    add: pl.Scalar[pl.FP32] = 0.5,
):
    for r in pl.range(pld.world_size()):
        on_chip(x[r], y[r], times, add, device=r)


@pl.program
class AddOne:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self, x: pl.Tensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]
    ) -> pl.Tensor[[1, SIZE], pl.FP32]:
        return pl.store(pl.add(pl.load(x, [0, 0], [1, SIZE]), 1.0), [0, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(
        self, x: pl.Tensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]
    ) -> pl.Tensor[[1, SIZE], pl.FP32]:
        return self.kernel(x, y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(
        self,
        x: pl.Tensor[[NR, 1, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]],
    ):
        for r in pl.range(pld.world_size()):
            self.chip(x[r], y[r], device=r)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1")
    args = parser.parse_args()
    ids = [int(d) for d in args.device.split(",")]
    config = RunConfig(
        platform=args.platform, distributed_config=DistributedConfig(device_ids=ids)
    )
    x = torch.randn((len(ids), 1, SIZE))
    y = torch.zeros((len(ids), 1, SIZE))

    compiled = on_host.compile(x, y, 2, config=config)
    compiled(x, y, 2)
    assert torch.allclose(y, x + 1.0, rtol=1e-5, atol=1e-5)
    # Another number is another program.
    compiled(x, y, 4, config=RunConfig(platform=args.platform))
    assert torch.allclose(y, 10.0 * x + 2.0, rtol=1e-5, atol=1e-5)
    # The tensors alone: the numbers of the compilation.
    y.zero_()
    compiled(x, y)
    assert torch.allclose(y, x + 1.0, rtol=1e-5, atol=1e-5)
    on_host(x, y, add=3.0, times=1, config=config)
    assert torch.allclose(y, x + 3.0, rtol=1e-5, atol=1e-5)

    by_class = ir.compile(
        AddOne, platform=args.platform, distributed_config=DistributedConfig(device_ids=ids)
    )
    by_class(x, y)
    assert torch.allclose(y, x + 1.0, rtol=1e-5, atol=1e-5)

    # What lower() returns is a program like a class.
    lowered = on_host.lower(x, y, 1, 7.0)
    by_ir = ir.compile(
        lowered, platform=args.platform, distributed_config=DistributedConfig(device_ids=ids)
    )
    by_ir(x, y)
    assert torch.allclose(y, x + 7.0, rtol=1e-5, atol=1e-5)
    print("OK")


if __name__ == "__main__":
    main()
