"""Valid parts of tensors: slices that reach past the end, narrowed tensors, fills, reductions, partly valid allreduce."""

# devices: 0,1 | 4,9,2 | 0,1,2,3

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig
from pypto.ir.distributed_compiled_program import DistributedConfig as JitConfig
from pypto.runtime import RunConfig

NR = pl.dynamic("NR")
ROWS, TILE, COLS = 20, 8, 32


@pl.program
class Parts:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        x: pl.Tensor[[ROWS, COLS], pl.FP32],
        y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
        z: pl.Out[pl.Tensor[[TILE, COLS], pl.FP32]],
        s: pl.Out[pl.Tensor[[TILE, 1], pl.FP32]],
        n: pl.Scalar[pl.INT32],
    ):
        for i in pl.range(0, ROWS, TILE):
            rows = pl.min(TILE, ROWS - i)
            part = pl.slice(x, [TILE, COLS], [i, 0], valid_shape=[rows, COLS])
            twice = pl.add(part, part)
            y = pl.assemble(y, pl.exp(twice), [i, 0])
        tail = pl.slice(x, [TILE, COLS], [16, 0], valid_shape=[4, COLS])
        z = pl.assemble(z, pl.fillpad(tail, pl.PadValue.max), [0, 0])
        few = pl.set_validshape(pl.slice(x, [TILE, COLS], [0, 0]), n, 8)
        s = pl.assemble(s, pl.row_sum(few), [0, 0])

    @pl.function(type=pl.FunctionType.InCore)
    def loads(
        self,
        x: pl.Tensor[[TILE, COLS], pl.FP32],
        y: pl.Out[pl.Tensor[[TILE, COLS], pl.FP32]],
        rows: pl.Scalar[pl.INT32],
    ):
        t = pl.load(x, [0, 0], [TILE, COLS], valid_shape=[rows, COLS])
        y = pl.store(pl.mul(t, 3.0), [0, 0], y)

    @pl.function(type=pl.FunctionType.InCore)
    def reduces(
        self,
        x: pl.Tensor[[4, COLS], pl.FP32],
        out: pl.Out[pl.Tensor[[4, COLS], pl.FP32]],
        w: pl.InOut[pld.DistributedTensor[[4, COLS], pl.FP32]],
        sig: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    ):
        w = pl.store(pl.load(x, [0, 0], [4, COLS]), [0, 0], w)
        corner = pl.slice(w, [4, COLS], [0, 0], valid_shape=[3, 20])
        corner = pld.tensor.allreduce(corner, sig, op=pld.ReduceOp.Sum)
        top = pl.set_validshape(w, 2, COLS)
        pld.tensor.allreduce(top, sig, op=pld.ReduceOp.Max)
        pld.tensor.barrier(sig)
        out = pl.store(pl.load(w, [0, 0], [4, COLS]), [0, 0], out)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(
        self,
        x: pl.Tensor[[ROWS, COLS], pl.FP32],
        y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
        z: pl.Out[pl.Tensor[[TILE, COLS], pl.FP32]],
        s: pl.Out[pl.Tensor[[TILE, 1], pl.FP32]],
        t: pl.Out[pl.Tensor[[TILE, COLS], pl.FP32]],
        out: pl.Out[pl.Tensor[[4, COLS], pl.FP32]],
        w: pl.InOut[pld.DistributedTensor[[4, COLS], pl.FP32]],
        sig: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    ):
        self.kernel(x, y, z, s, 5)
        tail = pl.slice(x, [TILE, COLS], [16, 0], valid_shape=[4, COLS])
        self.loads(tail, t, 4)
        first = pl.slice(x, [4, COLS], [0, 0])
        self.reduces(first, out, w, sig)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(
        self,
        x: pl.Tensor[[NR, ROWS, COLS], pl.FP32],
        y: pl.Out[pl.Tensor[[NR, ROWS, COLS], pl.FP32]],
        z: pl.Out[pl.Tensor[[NR, TILE, COLS], pl.FP32]],
        s: pl.Out[pl.Tensor[[NR, TILE, 1], pl.FP32]],
        t: pl.Out[pl.Tensor[[NR, TILE, COLS], pl.FP32]],
        out: pl.Out[pl.Tensor[[NR, 4, COLS], pl.FP32]],
    ):
        buf = pld.alloc_window_buffer([4, COLS], dtype=pl.FP32)
        cells = pld.alloc_window_buffer(NR * pl.INT32.get_byte())
        for r in pl.range(pld.world_size()):
            w = pld.window(buf, [4, COLS], dtype=pl.FP32)
            sig = pld.window(cells, [NR, 1], dtype=pl.INT32)
            self.chip(x[r], y[r], z[r], s[r], t[r], out[r], w, sig, device=r)


@pl.jit.inline
def halved(part):
    return pl.mul(part, 0.5)


@pl.jit
def tail_chip(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="tail"):
        for i in pl.range(0, ROWS, TILE):
            rows = pl.min(TILE, ROWS - i)
            part = pl.slice(x, [TILE, COLS], [i, 0], valid_shape=[rows, COLS])
            scaled = pl.mul(part, 0.25)
            wide = pl.fillpad(scaled, pad_value=pl.PadValue.zero)
            top = pl.slice(wide, [TILE, COLS], [0, 0], valid_shape=[rows, COLS])
            y = pl.assemble(y, pl.add(top, top), [i, 0])
        last = pl.slice(x, [TILE, COLS], [16, 0], valid_shape=[4, COLS])
        y = pl.assemble(y, halved(last), [16, 0])
    return y


@pl.jit.host
def tail_host(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    for r in pl.range(pld.world_size()):
        tail_chip(x[r], y[r], device=r)


def devices():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1")
    args = parser.parse_args()
    return args.platform, [int(d) for d in args.device.split(",")]


if __name__ == "__main__":
    platform, ids = devices()
    nr = len(ids)
    x = torch.randn(nr, ROWS, COLS)
    y = torch.zeros(nr, ROWS, COLS)
    z = torch.zeros(nr, TILE, COLS)
    s = torch.full((nr, TILE, 1), -9.0)
    t = torch.full((nr, TILE, COLS), -9.0)
    out = torch.zeros(nr, 4, COLS)
    ir.compile(Parts, platform=platform, distributed_config=DistributedConfig(device_ids=ids))(x, y, z, s, t, out)
    assert torch.allclose(y, torch.exp(2 * x), rtol=1e-5, atol=1e-5)
    assert torch.equal(z[:, :4], x[:, 16:])
    assert (z[:, 4:] > 1e38).all()
    assert torch.allclose(s[:, :5], x[:, :5, :8].sum(dim=2, keepdim=True), rtol=1e-5, atol=1e-5)
    assert torch.equal(s[:, 5:], torch.full((nr, 3, 1), -9.0))
    assert torch.equal(t[:, :4], 3 * x[:, 16:])
    assert torch.equal(t[:, 4:], torch.full((nr, 4, COLS), -9.0))
    summed = x[:, :4].clone()
    summed[:, :3, :20] = x[:, :3, :20].sum(dim=0, keepdim=True).expand(nr, 3, 20)
    summed[:, :2] = summed[:, :2].max(dim=0, keepdim=True).values.expand(nr, 2, COLS)
    assert torch.allclose(out, summed, rtol=1e-5, atol=1e-5)

    y = torch.zeros(nr, ROWS, COLS)
    config = RunConfig(platform=platform, distributed_config=JitConfig(device_ids=ids, num_sub_workers=0))
    tail_host.compile(x, y, config=config)(x, y, config=RunConfig(platform=platform))
    assert torch.equal(y, 0.5 * x)
    print("OK")
