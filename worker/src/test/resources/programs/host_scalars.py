"""HOST scalar math, ifs and descending loops; scalars before tensors; several chip programs per rank; world size arithmetic."""

# devices: 0,1,2
import argparse
import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

N = 32


@pl.program
class HostMath:
    @pl.function(type=pl.FunctionType.InCore)
    def fill(self, a: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[1, N], pl.INT32]], b: pl.Scalar[pl.INT32]) -> pl.Tensor[[1, N], pl.INT32]:
        z = pl.tile.full([1, N], dtype=pl.INT32, value=0)
        t = pl.add(z, a)
        t = pl.mul(t, b)
        return pl.store(t, [0, 0], y)

    @pl.function(type=pl.FunctionType.InCore)
    def addto(self, x: pl.Tensor[[1, N], pl.INT32], y: pl.InOut[pl.Tensor[[1, N], pl.INT32]]) -> pl.Tensor[[1, N], pl.INT32]:
        t = pl.add(pl.load(x, [0, 0], [1, N]), pl.load(y, [0, 0], [1, N]))
        return pl.store(t, [0, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def fill_o(self, a: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[1, N], pl.INT32]], b: pl.Scalar[pl.INT32]) -> pl.Tensor[[1, N], pl.INT32]:
        return self.fill(a, y, b)

    @pl.function(type=pl.FunctionType.Orchestration)
    def add_o(self, x: pl.Tensor[[1, N], pl.INT32], y: pl.InOut[pl.Tensor[[1, N], pl.INT32]]) -> pl.Tensor[[1, N], pl.INT32]:
        return self.addto(x, y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, y: pl.Out[pl.Tensor[[3, 1, N], pl.INT32]], acc: pl.InOut[pl.Tensor[[3, 1, N], pl.INT32]]):
        n = pld.world_size()
        for r in pl.range(n):
            prev = (r - 1) % n
            half = (r - 3) // 2
            big = pl.max(prev, pl.min(r, 1))
            self.fill_o(prev + half * 10, y[r], big + 1, device=r)
        for k in pl.range(2, 0, -1):
            for r in pl.range(pld.world_size()):
                if k == 1:
                    self.add_o(y[r], acc[r], device=r)
                else:
                    if r > 0:
                        self.add_o(y[r - 1], acc[r], device=r)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("-p", "--platform", default="a2a3sim")
    ap.add_argument("-d", "--device", default="0,1,2")
    a = ap.parse_args()
    ids = [int(i) for i in a.device.split(",")]
    y = torch.zeros(3, 1, N, dtype=torch.int32)
    acc = torch.arange(3 * N, dtype=torch.int32).view(3, 1, N)
    before = acc.clone()
    ir.compile(HostMath, platform=a.platform, distributed_config=DistributedConfig(device_ids=ids))(y, acc)
    n = 3
    vals = []
    for r in range(n):
        prev, half = (r - 1) % n, (r - 3) // 2
        vals.append((prev + half * 10) * (max(prev, min(r, 1)) + 1))
    for r in range(n):
        assert torch.equal(y[r], torch.full((1, N), vals[r], dtype=torch.int32)), (r, y[r][0, 0], vals[r])
        want = before[r] + vals[r] + (vals[r - 1] if r > 0 else 0)
        assert torch.equal(acc[r], want.to(torch.int32)), r
    print("OK")


main()
