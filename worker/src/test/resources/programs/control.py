"""While loops, break and continue, nested conditions, boolean scalars, loops with steps."""

# devices: 0,1

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

@pl.program
class Control:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[16], pl.INT32], out: pl.Out[pl.Tensor[[16], pl.INT32]], limit: pl.Scalar[pl.INT32]):
        total = pl.const(0, pl.INT32)
        i = pl.const(0, pl.INT32)
        while i < limit:
            total = total + pl.read(x, [i])
            i = i + pl.const(1, pl.INT32)
        pl.write(out, [0], total)
        seen = pl.const(0, pl.INT32)
        for k in pl.range(16):
            v = pl.read(x, [k])
            if v == 5:
                continue
            if v > 9:
                break
            seen = seen + v
        pl.write(out, [1], seen)
        odd = pl.const(0, pl.INT32)
        for k in pl.range(1, 16, 2):
            odd = odd + pl.read(x, [k])
        pl.write(out, [2], odd)
        even = limit % 2 == 0
        if even and not limit == 4:
            code = pl.const(1, pl.INT32)
        elif limit == 4 or limit > 100:
            code = pl.const(2, pl.INT32)
        else:
            code = pl.const(3, pl.INT32)
        pl.write(out, [3], code)
        pl.write(out, [4], ~limit)
        pl.write(out, [5], pl.cast(limit >> 1, pl.INT32))

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, x: pl.Tensor[[16], pl.INT32], out: pl.Out[pl.Tensor[[16], pl.INT32]], limit: pl.Scalar[pl.INT32]):
        self.kernel(x, out, limit)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[2, 16], pl.INT32], out: pl.Out[pl.Tensor[[2, 16], pl.INT32]]):
        for r in pl.range(pld.world_size()):
            if r == 0:
                self.chip(x[r], out[r], r + 4, device=r)
            else:
                self.chip(x[r], out[r], r + 5, device=r)


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
    x = torch.arange(16, dtype=torch.int32).expand(2, 16).contiguous()
    out = torch.zeros(2, 16, dtype=torch.int32)
    compiled(Control)(x, out)
    assert out[0, :6].tolist() == [6, 40, 64, 2, ~4, 2]
    assert out[1, :6].tolist() == [15, 40, 64, 1, ~6, 3]
    print("OK")
