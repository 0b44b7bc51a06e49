"""MoE router: softmax over experts, top-k by repeated max, one-hot masks, counts per expert, sums over ranks."""

# devices: 0,1 | 0,1,2,3

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

T, E = 16, 32
NR = pl.dynamic("NR")


@pl.program
class Router:
    @pl.function(type=pl.FunctionType.InCore)
    def route(
        self,
        logits: pl.Tensor[[T, E], pl.FP32],
        probs: pl.Out[pl.Tensor[[T, E], pl.FP32]],
        hot: pl.Out[pl.Tensor[[T, E], pl.FP32]],
        counts: pl.InOut[pld.DistributedTensor[[1, E], pl.FP32]],
    ) -> tuple[pl.Tensor[[T, E], pl.FP32], pl.Tensor[[T, E], pl.FP32], pld.DistributedTensor[[1, E], pl.FP32]]:
        t: pl.Tile[[T, E], pl.FP32] = pl.load(logits, [0, 0], [T, E])
        tmp = pl.tile.create([T, E], dtype=pl.FP32)
        peak = pl.row_max(t, tmp)
        e = pl.exp(pl.row_expand_sub(t, peak))
        p = pl.row_expand_div(e, pl.row_sum(e, tmp))
        one = pl.tile.full([T, E], dtype=pl.FP32, value=1.0)
        zero = pl.tile.full([T, E], dtype=pl.FP32, value=0.0)
        best = pl.row_expand(p, pl.row_max(p, tmp))
        scratch = pl.tile.create([1, 32], dtype=pl.UINT8)
        mask = pl.cmp(p, best, cmp_type=5)
        chosen = pl.sel(mask, one, zero, scratch)
        probs = pl.store(pl.mul(p, chosen), [0, 0], probs)
        hot = pl.store(chosen, [0, 0], hot)
        counts = pl.store(pl.col_sum(chosen, tmp), [0, 0], counts)
        return probs, hot, counts

    @pl.function(type=pl.FunctionType.InCore)
    def total(
        self,
        counts: pl.InOut[pld.DistributedTensor[[1, E], pl.FP32]],
        sig: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
        out: pl.Out[pl.Tensor[[1, E], pl.INT32]],
    ):
        counts = pld.tensor.allreduce(counts, sig, op=pld.ReduceOp.Sum)
        c = pl.load(counts, [0, 0], [1, E])
        out = pl.store(pl.cast(c, pl.INT32), [0, 0], out)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(
        self,
        logits: pl.Tensor[[T, E], pl.FP32],
        probs: pl.Out[pl.Tensor[[T, E], pl.FP32]],
        hot: pl.Out[pl.Tensor[[T, E], pl.FP32]],
        out: pl.Out[pl.Tensor[[1, E], pl.INT32]],
        counts: pl.InOut[pld.DistributedTensor[[1, E], pl.FP32]],
        sig: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    ):
        routed = self.route(logits, probs, hot, counts)
        self.total(routed[2], sig, out)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(
        self,
        logits: pl.Tensor[[NR, T, E], pl.FP32],
        probs: pl.Out[pl.Tensor[[NR, T, E], pl.FP32]],
        hot: pl.Out[pl.Tensor[[NR, T, E], pl.FP32]],
        out: pl.Out[pl.Tensor[[NR, 1, E], pl.INT32]],
    ):
        buf = pld.alloc_window_buffer([1, E], dtype=pl.FP32)
        cells = pld.alloc_window_buffer(pld.world_size() * pl.INT32.get_byte())
        for r in pl.range(pld.world_size()):
            counts = pld.window(buf, [1, E], dtype=pl.FP32)
            sig = pld.window(cells, [pld.world_size(), 1], dtype=pl.INT32)
            self.chip(logits[r], probs[r], hot[r], out[r], counts, sig, device=r)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("-p", "--platform", default="a2a3sim")
    ap.add_argument("-d", "--device", default="0,1")
    args = ap.parse_args()
    ids = [int(d) for d in args.device.split(",")]
    n = len(ids)
    compiled = ir.compile(Router, platform=args.platform, distributed_config=DistributedConfig(device_ids=ids, num_sub_workers=0))
    logits = torch.randn(n, T, E)
    probs, hot = torch.zeros(n, T, E), torch.zeros(n, T, E)
    out = torch.zeros(n, 1, E, dtype=torch.int32)
    compiled(logits, probs, hot, out)
    p = torch.softmax(logits, dim=-1)
    arg = p.argmax(dim=-1)
    onehot = torch.nn.functional.one_hot(arg, E).float()
    assert torch.equal(hot, onehot)
    assert torch.allclose(probs, p * onehot, rtol=1e-5, atol=1e-6)
    want = onehot.sum(dim=(0, 1)).to(torch.int32)
    for r in range(n):
        assert torch.equal(out[r, 0], want)
    print("OK")
