"""Division and remainder: towards zero on the device, to the floor on the host."""

# devices: 0,1,2,3

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

NR = pl.dynamic("NR")


@pl.program
class Signs:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, out: pl.Out[pl.Tensor[[8], pl.INT32]], a: pl.Scalar[pl.INT32], host_mod: pl.Scalar[pl.INT32], host_div: pl.Scalar[pl.INT32]):
        pl.write(out, [0], pl.cast(a % 4, pl.INT32))
        pl.write(out, [1], pl.cast(a // 4, pl.INT32))
        pl.write(out, [2], host_mod)
        pl.write(out, [3], host_div)
        pl.write(out, [4], pl.const(-7, pl.INT32) % pl.const(4, pl.INT32))
        pl.write(out, [5], pl.cast(a << 1, pl.INT32))
        pl.write(out, [6], -a)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, out: pl.Out[pl.Tensor[[8], pl.INT32]], a: pl.Scalar[pl.INT32], host_mod: pl.Scalar[pl.INT32], host_div: pl.Scalar[pl.INT32]):
        self.kernel(out, a, host_mod, host_div)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, out: pl.Out[pl.Tensor[[NR, 8], pl.INT32]]):
        for r in pl.range(pld.world_size()):
            self.chip(out[r], r - 7, (r - 7) % 4, (r - 7) // 4, device=r)


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
    nr = len(devices()[1])
    out = torch.zeros(nr, 8, dtype=torch.int32)
    compiled(Signs)(out)
    for r in range(nr):
        a = r - 7
        assert out[r, :4].tolist() == [-((-a) % 4), -((-a) // 4), a % 4, a // 4], out[r]
        assert out[r, 5:7].tolist() == [2 * a, -a]
    print("OK")
