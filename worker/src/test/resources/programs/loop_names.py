# devices: 0,1
"""A name may count loops and hold something else: before, between and behind them."""

import argparse
import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig


@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, idx: pl.Tensor[[9], pl.INT32], out: pl.Out[pl.Tensor[[9], pl.INT32]], n: pl.Scalar[pl.INT32]):
        for e in pl.range(2):
            pl.write(out, [e], pl.cast(e, pl.INT32))
        for i in pl.range(2, 4):
            e = pl.read(idx, [i])
            pl.write(out, [i], e)
        for e in pl.range(4, 6):
            pl.write(out, [e], pl.cast(e * 2, pl.INT32))
        t = pl.read(idx, [6])
        pl.write(out, [6], t)
        for t in pl.range(7, 8):
            pl.write(out, [t], pl.cast(t + n, pl.INT32))
        t = pl.read(idx, [8])
        pl.write(out, [8], t)

    @pl.function(type=pl.FunctionType.Orchestration)
    def o(self, idx: pl.Tensor[[9], pl.INT32], out: pl.Out[pl.Tensor[[9], pl.INT32]], n: pl.Scalar[pl.INT32]):
        self.k(idx, out, n)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def h(self, idx: pl.Tensor[[2, 9], pl.INT32], out: pl.Out[pl.Tensor[[2, 9], pl.INT32]]):
        for r in pl.range(pld.world_size()):
            self.o(idx[r], out[r], r, device=r)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("-p", default="a2a3sim")
    ap.add_argument("-d", default="0,1")
    a = ap.parse_args()
    idx = torch.arange(18, dtype=torch.int32).reshape(2, 9) * 100
    out = torch.zeros(2, 9, dtype=torch.int32)
    ir.compile(P, platform=a.p, distributed_config=DistributedConfig(device_ids=[int(d) for d in a.d.split(",")]))(idx, out)
    for r in range(2):
        v = idx[r].tolist()
        assert out[r].tolist() == [0, 1, v[2], v[3], 8, 10, v[6], 7 + r, v[8]]
    print("OK")


main()
