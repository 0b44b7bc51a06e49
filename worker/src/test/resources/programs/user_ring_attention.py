"""Ring attention (online softmax): K/V blocks travel around the ring, each rank keeps its queries."""

# devices: 0,1 | 0,1,2,3
import argparse
import math

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

S = 16   # rows per rank
D = 64
SCALE = 1.0 / math.sqrt(D)


def build(n):
    @pl.program
    class RingAttn:
        @pl.function(type=pl.FunctionType.InCore)
        def attn(
            self,
            q: pl.Tensor[[S, D], pl.FP32],
            k: pl.Tensor[[S, D], pl.FP32],
            v: pl.Tensor[[S, D], pl.FP32],
            o: pl.Out[pl.Tensor[[S, D], pl.FP32]],
            kt: pl.InOut[pld.DistributedTensor[[n * S, D], pl.FP32]],
            vt: pl.InOut[pld.DistributedTensor[[n * S, D], pl.FP32]],
            sig: pl.InOut[pld.DistributedTensor[[n, 1], pl.INT32]],
        ) -> pl.Tensor[[S, D], pl.FP32]:
            ctx = pld.get_comm_ctx(kt)
            me = pld.rank(ctx)
            nr = pld.nranks(ctx)
            right = (me + 1) % nr
            pl.store(pl.load(k, [0, 0], [S, D]), [0, 0], kt)
            pl.store(pl.load(v, [0, 0], [S, D]), [0, 0], vt)
            qt = pl.load(q, [0, 0], [S, D])
            tmp = pl.tile.create([S, D], dtype=pl.FP32)
            m = pl.tile.full([S, 1], dtype=pl.FP32, value=-1e30)
            l = pl.tile.full([S, 1], dtype=pl.FP32, value=0.0)
            acc = pl.tile.full([S, D], dtype=pl.FP32, value=0.0)
            for step in pl.range(nr):
                if step < nr - 1:
                    pld.tensor.put(kt, peer=right, src=kt, dst_offsets=[(step + 1) * S, 0], src_offsets=[step * S, 0], shape=[S, D])
                    pld.tensor.put(vt, peer=right, src=vt, dst_offsets=[(step + 1) * S, 0], src_offsets=[step * S, 0], shape=[S, D])
                    pld.system.notify(sig, peer=right, offsets=[step + 1, 0], value=1, op=pld.NotifyOp.Set)
                for j in pl.range(S):
                    kr = pl.load(kt, [step * S + j, 0], [1, D])
                    vr = pl.load(vt, [step * S + j, 0], [1, D])
                    prod = pl.col_expand_mul(qt, kr)
                    s = pl.mul(pl.row_sum(prod, tmp), SCALE)
                    m_new = pl.maximum(m, s)
                    alpha = pl.exp(pl.sub(m, m_new))
                    p = pl.exp(pl.sub(s, m_new))
                    l = pl.add(pl.mul(l, alpha), p)
                    pv = pl.col_expand_mul(pl.row_expand(acc, p), vr)
                    acc = pl.add(pl.row_expand_mul(acc, alpha), pv)
                    m = m_new
                if step < nr - 1:
                    pld.system.wait(sig, offsets=[step + 1, 0], expected=1, cmp=pld.WaitCmp.Ge)
            out = pl.row_expand_div(acc, l)
            return pl.store(out, [0, 0], o)

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            q: pl.Tensor[[S, D], pl.FP32],
            k: pl.Tensor[[S, D], pl.FP32],
            v: pl.Tensor[[S, D], pl.FP32],
            o: pl.Out[pl.Tensor[[S, D], pl.FP32]],
            kt: pl.InOut[pld.DistributedTensor[[n * S, D], pl.FP32]],
            vt: pl.InOut[pld.DistributedTensor[[n * S, D], pl.FP32]],
            sig: pl.InOut[pld.DistributedTensor[[n, 1], pl.INT32]],
        ) -> pl.Tensor[[S, D], pl.FP32]:
            return self.attn(q, k, v, o, kt, vt, sig)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            q: pl.Tensor[[n, S, D], pl.FP32],
            k: pl.Tensor[[n, S, D], pl.FP32],
            v: pl.Tensor[[n, S, D], pl.FP32],
            o: pl.Out[pl.Tensor[[n, S, D], pl.FP32]],
        ):
            kb = pld.alloc_window_buffer([n * S, D], dtype=pl.FP32)
            vb = pld.alloc_window_buffer([n * S, D], dtype=pl.FP32)
            sb = pld.alloc_window_buffer([n, 1], dtype=pl.INT32)
            for r in pl.range(pld.world_size()):
                kt = pld.window(kb, [n * S, D], dtype=pl.FP32)
                vt = pld.window(vb, [n * S, D], dtype=pl.FP32)
                sig = pld.window(sb, [n, 1], dtype=pl.INT32)
                self.chip(q[r], k[r], v[r], o[r], kt, vt, sig, device=r)

    return RingAttn


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1,2,3")
    args = parser.parse_args()
    ids = [int(x) for x in args.device.split(",")]
    n = len(ids)
    torch.manual_seed(0)
    q, k, v = (torch.randn(n, S, D) for _ in range(3))
    o = torch.zeros(n, S, D)
    f = ir.compile(build(n), platform=args.platform, distributed_config=DistributedConfig(device_ids=ids, num_sub_workers=0))
    f(q, k, v, o)
    kk, vv = k.reshape(-1, D), v.reshape(-1, D)
    ref = torch.softmax(torch.einsum("nsd,td->nst", q, kk) * SCALE, dim=-1) @ vv
    ref2 = torch.nn.functional.scaled_dot_product_attention(q, kk.expand(n, -1, -1), vv.expand(n, -1, -1))
    assert torch.allclose(ref, ref2, atol=1e-5)
    assert torch.allclose(o, ref, rtol=1e-4, atol=1e-4), f"max diff = {(o - ref).abs().max().item()}"
    print("OK")


if __name__ == "__main__":
    main()
