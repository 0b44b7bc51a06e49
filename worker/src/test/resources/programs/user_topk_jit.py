"""Top-k per rank, then the best of all ranks: sort in blocks of 32, merge, exchange, merge again."""

# devices: 0,1

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import RunConfig

N = 128
K = 32
P = 2


@pl.jit.incore
def local_topk(scores: pl.Tensor, cand: pl.InOut[pld.DistributedTensor], me_base: pl.Scalar[pl.INT32]):
    s = pl.load(scores, [0, 0], [1, N])
    idx = pl.tile.arange(0, [1, N], dtype=pl.UINT32)
    pairs = pl.tile.sort32(s, idx)
    merged = pl.tile.mrgsort(pairs, block_len=64)
    top = pl.slice(merged, [1, 2 * K], [0, 0])
    cand = pl.store(top, [0, 0], cand)
    return cand


@pl.jit.incore
def exchange(cand: pl.InOut[pld.DistributedTensor], sig: pl.InOut[pld.DistributedTensor],
             values: pl.Out[pl.Tensor], ids: pl.Out[pl.Tensor]):
    ctx = pld.get_comm_ctx(cand)
    me = pld.rank(ctx)
    n = pld.nranks(ctx)
    pld.tensor.barrier(sig)
    mine = pl.load(cand, [0, 0], [1, 2 * K])
    other = pld.tile.remote_load(cand, peer=(me + 1) % n, offsets=[0, 0], shape=[1, 2 * K])
    tmp = pl.tile.create([1, 4 * K], dtype=pl.FP32)
    both = pl.tile.mrgsort(mine, other, tmp=tmp)
    best = pl.slice(both, [1, 2 * K], [0, 0])
    pl.store(pl.tile.gather_mask(best, mask_pattern=pl.tile.MaskPattern.P0101), [0, 0], values)
    pl.store(pl.cast(pl.tile.gather_mask(best, mask_pattern=pl.tile.MaskPattern.P1010, output_dtype=pl.UINT32), pl.INT32), [0, 0], ids)


@pl.jit
def chip(scores: pl.Tensor, values: pl.Out[pl.Tensor], ids: pl.Out[pl.Tensor],
         cand: pl.InOut[pld.DistributedTensor], sig: pl.InOut[pld.DistributedTensor], r: pl.Scalar[pl.INT32]):
    cand = local_topk(scores, cand, r)
    exchange(cand, sig, values, ids)


@pl.jit.host
def host(scores: pl.Tensor, values: pl.Out[pl.Tensor], ids: pl.Out[pl.Tensor]):
    buf = pld.alloc_window_buffer(2 * K * pl.FP32.get_byte())
    cells = pld.alloc_window_buffer(P * pl.INT32.get_byte())
    for r in pl.range(pld.world_size()):
        cand = pld.window(buf, [1, 2 * K], dtype=pl.FP32)
        sig = pld.window(cells, [P, 1], dtype=pl.INT32)
        chip(scores[r], values[r], ids[r], cand, sig, r, device=r)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("-p", "--platform", default="a2a3sim")
    ap.add_argument("-d", "--device", default="0,1")
    args = ap.parse_args()
    ids_ = [int(d) for d in args.device.split(",")]
    torch.manual_seed(0)
    scores = torch.randn(P, 1, N)
    values = torch.zeros(P, 1, K)
    ids = torch.zeros(P, 1, K, dtype=torch.int32)
    cfg = RunConfig(platform=args.platform, distributed_config=DistributedConfig(device_ids=ids_, num_sub_workers=0))
    host.compile(scores, values, ids, config=cfg)(scores, values, ids, config=RunConfig(platform=args.platform))
    want, _ = torch.topk(scores.reshape(-1), K)
    for r in range(P):
        assert torch.allclose(values[r, 0], want), (values[r, 0] - want).abs().max().item()
    print("OK")
