"""Several dispatches a rank in program order, host loops over rounds, intermediates, views of one buffer."""

# devices: 0 | 0,1 | 4,9,2 | 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 32
ROUNDS = 3
NR = pl.dynamic("NR")


@pl.program
class Rounds:
    @pl.function(type=pl.FunctionType.InCore)
    def stage(self, x: pl.Tensor[[1, SIZE], pl.FP32], w: pl.Out[pld.DistributedTensor[[1, SIZE], pl.FP32]]):
        w = pl.store(pl.load(x, [0, 0], [1, SIZE]), [0, 0], w)

    @pl.function(type=pl.FunctionType.InCore)
    def fetch(self, w: pld.DistributedTensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]], shift: pl.Scalar[pl.INT32]) -> pl.Tensor[[1, SIZE], pl.FP32]:
        ctx = pld.get_comm_ctx(w)
        peer = (pld.rank(ctx) + shift) % pld.nranks(ctx)
        t = pld.tile.remote_load(w, peer=peer, offsets=[0, 0], shape=[1, SIZE])
        return pl.store(t, [0, 0], y)

    @pl.function(type=pl.FunctionType.InCore)
    def add_to(self, a: pl.Tensor[[1, SIZE], pl.FP32], y: pl.InOut[pl.Tensor[[1, SIZE], pl.FP32]]) -> pl.Tensor[[1, SIZE], pl.FP32]:
        return pl.store(pl.add(pl.load(a, [0, 0], [1, SIZE]), pl.load(y, [0, 0], [1, SIZE])), [0, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip_stage(
        self,
        x: pl.Tensor[[1, SIZE], pl.FP32],
        w: pl.Out[pld.DistributedTensor[[1, SIZE], pl.FP32]],
        s: pld.DistributedTensor[[NR], pl.INT32],
    ):
        self.stage(x, w)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip_fetch(self, w: pld.DistributedTensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]], shift: pl.Scalar[pl.INT32]) -> pl.Tensor[[1, SIZE], pl.FP32]:
        return self.fetch(w, y, shift)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip_add(self, a: pl.Tensor[[1, SIZE], pl.FP32], y: pl.InOut[pl.Tensor[[1, SIZE], pl.FP32]]) -> pl.Tensor[[1, SIZE], pl.FP32]:
        return self.add_to(a, y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[ROUNDS, NR, 1, SIZE], pl.FP32], y: pl.InOut[pl.Tensor[[NR, 1, SIZE], pl.FP32]]):
        buf = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
        cells = pld.alloc_window_buffer(pld.world_size() * pl.INT32.get_byte())
        mid = pl.create_tensor([NR, 1, SIZE], dtype=pl.FP32)
        s = pld.window(cells, [pld.world_size()], dtype=pl.INT32)
        for rd in pl.range(ROUNDS):
            for r in pl.range(pld.world_size()):
                w = pld.window(buf, [1, SIZE], dtype=pl.FP32)
                self.chip_stage(x[rd, r], w, s, device=r)
            pld.tensor.barrier(s)
            for r in pl.range(pld.world_size()):
                v = pld.window(buf, [1, SIZE], dtype=pl.FP32)
                self.chip_fetch(v, mid[r], rd + 1, device=r)
            pld.tensor.barrier(s)
            for r in pl.range(pld.world_size()):
                self.chip_add(mid[r], y[r], device=r)


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
    f = compiled(Rounds)
    nr = len(devices()[1])
    x = torch.randn(ROUNDS, nr, 1, SIZE)
    y = torch.ones(nr, 1, SIZE)
    f(x, y)
    want = torch.ones(nr, 1, SIZE)
    for rd in range(ROUNDS):
        want = want + torch.stack([x[rd][(r + rd + 1) % nr] for r in range(nr)])
    assert torch.allclose(y, want, rtol=1e-5, atol=1e-5)
    print("OK")
