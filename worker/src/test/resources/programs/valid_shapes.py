"""Partial loads, padded remote loads, clamped loads, fill of the rest, narrow stores."""

# devices: 0 | 0,1 | 4,9,2 | 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

NR = pl.dynamic("NR")


@pl.program
class ValidShapes:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        x: pl.Tensor[[5, 20], pl.FP32],
        y: pl.Out[pl.Tensor[[8, 32], pl.FP32]],
        z: pl.Out[pl.Tensor[[8, 32], pl.FP32]],
        peer_part: pl.Out[pl.Tensor[[5, 20], pl.FP32]],
        w: pl.InOut[pld.DistributedTensor[[5, 20], pl.FP32]],
        s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
        rows: pl.Scalar[pl.INT32],
    ):
        me = pld.rank(pld.get_comm_ctx(w))
        n = pld.nranks(pld.get_comm_ctx(w))
        t = pl.load(x, [0, 0], [8, 32], valid_shape=[5, 20])
        y = pl.store(pl.add(t, 1.0), [0, 0], y)
        z = pl.store(pl.fillpad(t, pl.PadValue.zero), [0, 0], z)
        w = pl.store(pl.load(x, [0, 0], [8, 32], valid_shape=[rows, 20]), [0, 0], w)
        pld.tensor.barrier(s)
        r = pld.tile.remote_load(w, peer=(me + 1) % n, offsets=[1, 0], shape=[8, 32], valid_shape=[4, 20])
        peer_part = pl.store(r, [1, 0], peer_part)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(
        self,
        x: pl.Tensor[[5, 20], pl.FP32],
        y: pl.Out[pl.Tensor[[8, 32], pl.FP32]],
        z: pl.Out[pl.Tensor[[8, 32], pl.FP32]],
        peer_part: pl.Out[pl.Tensor[[5, 20], pl.FP32]],
        w: pl.InOut[pld.DistributedTensor[[5, 20], pl.FP32]],
        s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
        rows: pl.Scalar[pl.INT32],
    ):
        self.kernel(x, y, z, peer_part, w, s, rows)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(
        self,
        x: pl.Tensor[[NR, 5, 20], pl.FP32],
        y: pl.Out[pl.Tensor[[NR, 8, 32], pl.FP32]],
        z: pl.Out[pl.Tensor[[NR, 8, 32], pl.FP32]],
        peer_part: pl.Out[pl.Tensor[[NR, 5, 20], pl.FP32]],
    ):
        buf = pld.alloc_window_buffer(5 * 20 * pl.FP32.get_byte())
        cells = pld.alloc_window_buffer(NR * pl.INT32.get_byte())
        for r in pl.range(pld.world_size()):
            w = pld.window(buf, [5, 20], dtype=pl.FP32)
            s = pld.window(cells, [NR, 1], dtype=pl.INT32)
            self.chip(x[r], y[r], z[r], peer_part[r], w, s, 5 - r % 4, device=r)


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
    f = compiled(ValidShapes)
    nr = len(devices()[1])
    x = torch.randn(nr, 5, 20)
    y = torch.full((nr, 8, 32), -9.0)
    z = torch.full((nr, 8, 32), -9.0)
    part = torch.full((nr, 5, 20), -9.0)
    f(x, y, z, part)
    want = torch.full((nr, 8, 32), -9.0)
    want[:, :5, :20] = x + 1.0
    assert torch.equal(y, want)
    filled = torch.zeros(nr, 8, 32)
    filled[:, :5, :20] = x
    assert torch.equal(z, filled)
    for r in range(nr):
        q = (r + 1) % nr
        rows = 5 - q % 4
        expected = torch.zeros(4, 20)
        expected[: rows - 1] = x[q, 1:rows]
        assert torch.equal(part[r, 1:], expected), (part[r], expected)
        assert torch.equal(part[r, :1], torch.full((1, 20), -9.0))
    print("OK")
