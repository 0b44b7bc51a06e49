"""Attention of one head over keys spread over ranks, with a tail that is valid in part."""

# devices: 0,1

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import RunConfig

P = 2
M, D, S = 16, 32, 48
TILE = 32


@pl.jit
def attend(q: pl.Tensor, k: pl.Tensor, v: pl.Tensor, o: pl.Out[pl.Tensor]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="attend"):
        m_run = pl.full([M, 1], dtype=pl.FP32, value=-1.0e30)
        l_run = pl.full([M, 1], dtype=pl.FP32, value=0.0)
        acc = pl.full([M, D], dtype=pl.FP32, value=0.0)
        for s0 in pl.range(0, S, TILE):
            rows = pl.min(TILE, S - s0)
            kt = pl.slice(k, [TILE, D], [s0, 0], valid_shape=[rows, D])
            vt = pl.slice(v, [TILE, D], [s0, 0], valid_shape=[rows, D])
            kf = pl.fillpad(kt, pad_value=pl.PadValue.zero)
            vf = pl.fillpad(vt, pad_value=pl.PadValue.zero)
            scores = pl.matmul(q, kf, out_dtype=pl.FP32, b_trans=True)
            part = pl.set_validshape(scores, M, rows)
            scores = pl.fillpad(part, pad_value=pl.PadValue.min)
            m_new = pl.maximum(m_run, pl.row_max(scores))
            p = pl.exp(pl.row_expand_sub(scores, m_new))
            scale = pl.exp(pl.sub(m_run, m_new))
            l_run = pl.add(pl.mul(l_run, scale), pl.row_sum(p))
            acc = pl.add(pl.row_expand_mul(acc, scale), pl.matmul(p, vf, out_dtype=pl.FP32))
            m_run = m_new
        o = pl.assemble(o, pl.row_expand_div(acc, l_run), [0, 0])
    return o


@pl.jit.host
def host(q: pl.Tensor, k: pl.Tensor, v: pl.Tensor, o: pl.Out[pl.Tensor]):
    for r in pl.range(pld.world_size()):
        attend(q[r], k[r], v[r], o[r], device=r)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("-p", "--platform", default="a2a3sim")
    ap.add_argument("-d", "--device", default="0,1")
    args = ap.parse_args()
    ids_ = [int(d) for d in args.device.split(",")]
    q, k, v = torch.randn(P, M, D), torch.randn(P, S, D), torch.randn(P, S, D)
    o = torch.zeros(P, M, D)
    cfg = RunConfig(platform=args.platform, distributed_config=DistributedConfig(device_ids=ids_, num_sub_workers=0))
    host.compile(q, k, v, o, config=cfg)(q, k, v, o, config=RunConfig(platform=args.platform))
    want = torch.softmax(q @ k.transpose(1, 2), dim=-1) @ v
    assert torch.allclose(o, want, rtol=1e-4, atol=1e-4), (o - want).abs().max().item()
    print("OK")
