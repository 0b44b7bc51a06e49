"""Expert-parallel dispatch/combine with all_to_all and a tiny expert FFN."""

# devices: 0,1 | 0,1,2,3
import argparse
from dataclasses import dataclass, field
from typing import List, Optional, Tuple

import torch

import pypto.language as pl
import pypto.language.distributed as pld
from pypto import ir
from pypto.ir import DistributedConfig


@dataclass(frozen=True)
class MoEConfig:
    tokens: int = 16
    hidden: int = 64
    capacity: int = 8
    seed: Optional[int] = 0
    names: List[str] = field(default_factory=lambda: ["dispatch", "expert", "combine"])

    @property
    def row_bytes(self) -> int:
        return self.hidden * 4


CFG = MoEConfig()
H = CFG.hidden
CAP = CFG.capacity


def build_program(ep: int):
    ROWS = ep * CAP

    @pl.program
    class MoE:
        @pl.function(type=pl.FunctionType.InCore)
        def dispatch(
            self,
            x: pl.Tensor[[ROWS, H], pl.FP32],
            recv: pl.InOut[pld.DistributedTensor[[ROWS, H], pl.FP32]],
            sig: pl.InOut[pld.DistributedTensor[[ep, 1], pl.INT32]],
        ) -> pld.DistributedTensor[[ROWS, H], pl.FP32]:
            ctx = pld.get_comm_ctx(recv)
            me = pld.rank(ctx)
            n = pld.nranks(ctx)
            for d in pl.range(n):
                pld.tensor.put(
                    recv,
                    peer=d,
                    src=x,
                    dst_offsets=[me * CAP, 0],
                    src_offsets=[d * CAP, 0],
                    shape=[CAP, H],
                )
            for d in pl.range(n):
                pld.system.notify(sig, peer=d, offsets=[me, 0], value=1, op=pld.NotifyOp.Set)
            for s in pl.range(n):
                pld.system.wait(sig, offsets=[s, 0], expected=1, cmp=pld.WaitCmp.Ge)
            return recv

        @pl.function(type=pl.FunctionType.InCore)
        def expert(
            self,
            recv: pl.InOut[pld.DistributedTensor[[ROWS, H], pl.FP32]],
            scale: pl.Tensor[[1, H], pl.FP32],
            outw: pl.InOut[pld.DistributedTensor[[ROWS, H], pl.FP32]],
        ) -> pld.DistributedTensor[[ROWS, H], pl.FP32]:
            w = pl.load(scale, [0, 0], [1, H])
            for r in pl.range(0, ROWS, CAP):
                t = pl.load(recv, [r, 0], [CAP, H])
                a = pl.col_expand_mul(t, w)
                b = pl.maximum(a, 0.0)
                outw = pl.store(b, [r, 0], outw)
            return outw

        @pl.function(type=pl.FunctionType.InCore)
        def combine(
            self,
            outw: pl.InOut[pld.DistributedTensor[[ROWS, H], pl.FP32]],
            sig: pl.InOut[pld.DistributedTensor[[ep, 1], pl.INT32]],
            y: pl.Out[pl.Tensor[[ROWS, H], pl.FP32]],
        ) -> pl.Tensor[[ROWS, H], pl.FP32]:
            ctx = pld.get_comm_ctx(outw)
            me = pld.rank(ctx)
            n = pld.nranks(ctx)
            for d in pl.range(n):
                pld.system.notify(sig, peer=d, offsets=[me, 0], value=1, op=pld.NotifyOp.Set)
            for s in pl.range(n):
                pld.system.wait(sig, offsets=[s, 0], expected=1, cmp=pld.WaitCmp.Ge)
            for s in pl.range(n):
                pld.tensor.get(
                    y, peer=s, src=outw, dst_offsets=[s * CAP, 0], src_offsets=[me * CAP, 0], shape=[CAP, H]
                )
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def moe(
            self,
            x: pl.Tensor[[ROWS, H], pl.FP32],
            scale: pl.Tensor[[1, H], pl.FP32],
            y: pl.Out[pl.Tensor[[ROWS, H], pl.FP32]],
            recv: pl.InOut[pld.DistributedTensor[[ROWS, H], pl.FP32]],
            outw: pl.InOut[pld.DistributedTensor[[ROWS, H], pl.FP32]],
            sig_d: pl.InOut[pld.DistributedTensor[[ep, 1], pl.INT32]],
            sig_c: pl.InOut[pld.DistributedTensor[[ep, 1], pl.INT32]],
        ) -> pl.Tensor[[ROWS, H], pl.FP32]:
            recv = self.dispatch(x, recv, sig_d)
            outw = self.expert(recv, scale, outw)
            y = self.combine(outw, sig_c, y)
            return y

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            x: pl.Tensor[[ep, ROWS, H], pl.FP32],
            scale: pl.Tensor[[ep, 1, H], pl.FP32],
            y: pl.Out[pl.Tensor[[ep, ROWS, H], pl.FP32]],
        ):
            recv_buf = pld.alloc_window_buffer(ROWS * H * pl.FP32.get_byte())
            out_buf = pld.alloc_window_buffer([ROWS, H], dtype=pl.FP32)
            sd_buf = pld.alloc_window_buffer(ep * pl.INT32.get_byte())
            sc_buf = pld.alloc_window_buffer(ep * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                recv = pld.window(recv_buf, [ROWS, H], dtype=pl.FP32)
                outw = pld.window(out_buf, [ROWS, H], dtype=pl.FP32)
                sd = pld.window(sd_buf, [ep, 1], dtype=pl.INT32)
                sc = pld.window(sc_buf, [ep, 1], dtype=pl.INT32)
                self.moe(x[r], scale[r], y[r], recv, outw, sd, sc, device=r)

    return MoE


def route(cfg: MoEConfig, ep: int) -> Tuple[torch.Tensor, torch.Tensor]:
    gen = torch.Generator()
    gen.manual_seed(cfg.seed or 0)
    tokens = torch.randn(ep, cfg.tokens, cfg.hidden, generator=gen)
    scores = torch.rand(ep, cfg.tokens, ep, generator=gen)
    choice = scores.argmax(dim=-1)
    packed = torch.zeros(ep, ep * cfg.capacity, cfg.hidden)
    for r in range(ep):
        fill = [0] * ep
        for t in range(cfg.tokens):
            e = int(choice[r, t])
            if fill[e] < cfg.capacity:
                packed[r, e * cfg.capacity + fill[e]] = tokens[r, t]
                fill[e] += 1
    return tokens, packed


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform", default="a2a3sim", choices=["a2a3sim", "a2a3", "a5sim", "a5"])
    parser.add_argument("-d", "--device", default="0,1", help="device ids")
    opts = parser.parse_args()
    ids = list(map(int, opts.device.split(",")))
    ep = len(ids)
    _, packed = route(CFG, ep)
    scale = torch.stack([torch.linspace(-1, 1, H).unsqueeze(0) * (e + 1) for e in range(ep)])
    y = torch.zeros_like(packed)
    prog = ir.compile(build_program(ep), platform=opts.platform, distributed_config=DistributedConfig(device_ids=ids, num_sub_workers=0))
    prog(packed, scale, y)
    blocks = packed.view(ep, ep, CAP, H)
    golden = torch.clamp(blocks * scale.view(1, ep, 1, H), min=0).reshape_as(packed)
    torch.testing.assert_close(y, golden, rtol=1e-6, atol=1e-6)
    for name in CFG.names:
        print(f"{name:>10s}: {CFG.row_bytes:6d} B/row")
    print("OK")


if __name__ == "__main__":
    main()
