"""Tensor-parallel MLP: column-parallel W1, relu, row-parallel W2, allreduce."""

# devices: 0,1 | 0,1,2,3
import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

B, D, FF = 16, 64, 128


def build(tp: int):
    F_LOCAL = FF // tp

    @pl.program
    class TPMlp:
        @pl.function(type=pl.FunctionType.InCore)
        def up(
            self,
            x: pl.Tensor[[B, D], pl.FP32],
            w1: pl.Tensor[[D, F_LOCAL], pl.FP32],
            h: pl.Out[pl.Tensor[[B, F_LOCAL], pl.FP32]],
        ) -> pl.Tensor[[B, F_LOCAL], pl.FP32]:
            xa = pl.load(x, [0, 0], [B, D], target_memory=pl.MemorySpace.Mat)
            wb = pl.load(w1, [0, 0], [D, F_LOCAL], target_memory=pl.MemorySpace.Mat)
            acc = pl.matmul(pl.move(xa, target_memory=pl.MemorySpace.Left), pl.move(wb, target_memory=pl.MemorySpace.Right))
            return pl.store(acc, [0, 0], h)

        @pl.function(type=pl.FunctionType.InCore)
        def act(self, h: pl.Tensor[[B, F_LOCAL], pl.FP32], g: pl.Out[pl.Tensor[[B, F_LOCAL], pl.FP32]]) -> pl.Tensor[[B, F_LOCAL], pl.FP32]:
            t = pl.load(h, [0, 0], [B, F_LOCAL])
            return pl.store(pl.maximum(t, 0.0), [0, 0], g)

        @pl.function(type=pl.FunctionType.InCore)
        def down(
            self,
            g: pl.Tensor[[B, F_LOCAL], pl.FP32],
            w2: pl.Tensor[[F_LOCAL, D], pl.FP32],
            part: pl.InOut[pld.DistributedTensor[[B, D], pl.FP32]],
        ) -> pld.DistributedTensor[[B, D], pl.FP32]:
            ga = pl.load(g, [0, 0], [B, F_LOCAL], target_memory=pl.MemorySpace.Mat)
            wb = pl.load(w2, [0, 0], [F_LOCAL, D], target_memory=pl.MemorySpace.Mat)
            acc = pl.matmul(pl.move(ga, target_memory=pl.MemorySpace.Left), pl.move(wb, target_memory=pl.MemorySpace.Right))
            return pl.store(acc, [0, 0], part)

        @pl.function(type=pl.FunctionType.InCore)
        def reduce(
            self,
            part: pl.InOut[pld.DistributedTensor[[B, D], pl.FP32]],
            sig: pl.InOut[pld.DistributedTensor[[tp, 1], pl.INT32]],
            y: pl.Out[pl.Tensor[[B, D], pl.FP32]],
        ) -> pl.Tensor[[B, D], pl.FP32]:
            part = pld.tensor.allreduce(part, sig, op=pld.ReduceOp.Sum, mode="mesh")
            return pl.store(pl.load(part, [0, 0], [B, D]), [0, 0], y)

        @pl.function(type=pl.FunctionType.Orchestration)
        def mlp(
            self,
            x: pl.Tensor[[B, D], pl.FP32],
            w1: pl.Tensor[[D, F_LOCAL], pl.FP32],
            w2: pl.Tensor[[F_LOCAL, D], pl.FP32],
            y: pl.Out[pl.Tensor[[B, D], pl.FP32]],
            part: pl.InOut[pld.DistributedTensor[[B, D], pl.FP32]],
            sig: pl.InOut[pld.DistributedTensor[[tp, 1], pl.INT32]],
        ) -> pl.Tensor[[B, D], pl.FP32]:
            h = pl.create_tensor([B, F_LOCAL], dtype=pl.FP32)
            g = pl.create_tensor([B, F_LOCAL], dtype=pl.FP32)
            h = self.up(x, w1, h)
            g = self.act(h, g)
            part = self.down(g, w2, part)
            y = self.reduce(part, sig, y)
            return y

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            x: pl.Tensor[[B, D], pl.FP32],
            w1: pl.Tensor[[tp, D, F_LOCAL], pl.FP32],
            w2: pl.Tensor[[tp, F_LOCAL, D], pl.FP32],
            y: pl.Out[pl.Tensor[[tp, B, D], pl.FP32]],
        ):
            part_buf = pld.alloc_window_buffer(B * D * pl.FP32.get_byte())
            sig_buf = pld.alloc_window_buffer(tp * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                part = pld.window(part_buf, [B, D], dtype=pl.FP32)
                sig = pld.window(sig_buf, [tp, 1], dtype=pl.INT32)
                self.mlp(x, w1[r], w2[r], y[r], part, sig, device=r)

    return TPMlp


def reference(x, w1, w2):
    return torch.relu(x @ w1) @ w2


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("-p", "--platform", default="a2a3sim")
    ap.add_argument("-d", "--device", default="0,1")
    args = ap.parse_args()
    device_ids = [int(t) for t in args.device.split(",") if t.strip()]
    tp = len(device_ids)
    assert FF % tp == 0, f"FF={FF} must be divisible by {tp}"
    torch.manual_seed(42)
    x = torch.randn(B, D)
    w1_full, w2_full = torch.randn(D, FF) / D**0.5, torch.randn(FF, D) / FF**0.5
    w1 = torch.stack(w1_full.chunk(tp, dim=1)).contiguous()
    w2 = torch.stack(torch.split(w2_full, FF // tp, dim=0))
    y = torch.zeros(tp, B, D)
    compiled = ir.compile(build(tp), platform=args.platform, distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0))
    compiled(x, w1, w2, y)
    ref = reference(x, w1_full, w2_full)
    for r in range(tp):
        err = (y[r] - ref).abs().max().item()
        if not torch.allclose(y[r], ref, rtol=1e-3, atol=1e-3):
            raise AssertionError(f"rank {r} mismatch: max diff = {err:.6f}")
    print("OK")
