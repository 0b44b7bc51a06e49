"""AllGather by hand (pull), free functions; any rank count with dynamic dims."""
# devices: 0,1 | 0,1,2 | 4,9,2,7,5
import argparse
import sys

import torch
import pypto.language as pl
import pypto.language.distributed as pld
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import RunConfig

SIZE = 64
NR = pl.dynamic("NR")


@pl.jit.incore
def gather_kernel(
    x: pl.Tensor[[1, SIZE], pl.FP32],
    out: pl.Out[pl.Tensor[[NR, SIZE], pl.FP32]],
    data: pld.DistributedTensor[[1, SIZE], pl.FP32],
    signal: pld.DistributedTensor[[NR, 1], pl.INT32],
):
    ctx = pld.get_comm_ctx(data)
    my_rank = pld.rank(ctx)
    nranks = pld.nranks(ctx)
    tile = pl.load(x, [0, 0], [1, SIZE])
    pl.store(tile, [0, 0], data)
    for peer in pl.range(nranks):
        if peer != my_rank:
            pld.system.notify(target=signal, peer=peer, offsets=[my_rank, 0], value=1, op=pld.NotifyOp.AtomicAdd)
    for src in pl.range(nranks):
        if src != my_rank:
            pld.system.wait(signal=signal, offsets=[src, 0], expected=1, cmp=pld.WaitCmp.Ge)
    for peer in pl.range(nranks):
        chunk = pld.tile.remote_load(data, peer=peer, offsets=[0, 0], shape=[1, SIZE])
        pl.store(chunk, [peer, 0], out)


@pl.jit
def chip(
    x: pl.Tensor[[1, SIZE], pl.FP32],
    out: pl.Out[pl.Tensor[[NR, SIZE], pl.FP32]],
    data: pld.DistributedTensor[[1, SIZE], pl.FP32],
    signal: pld.DistributedTensor[[NR, 1], pl.INT32],
):
    out = gather_kernel(x, out, data, signal)
    return out


@pl.jit.host
def allgather(
    xs: pl.Tensor[[NR, 1, SIZE], pl.FP32],
    outs: pl.Out[pl.Tensor[[NR, NR, SIZE], pl.FP32]],
):
    data_buf = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
    sig_buf = pld.alloc_window_buffer(NR * pl.INT32.get_byte())
    for r in pl.range(pld.world_size()):
        data = pld.window(data_buf, [1, SIZE], dtype=pl.FP32)
        signal = pld.window(sig_buf, [NR, 1], dtype=pl.INT32)
        chip(xs[r], outs[r], data, signal, device=r)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--platform", default="a2a3sim", choices=["a2a3", "a2a3sim", "a5", "a5sim"])
    parser.add_argument("-d", "--device", default="0,1", help="comma separated device ids")
    parser.add_argument("--compile-only", action="store_true")
    args = parser.parse_args()
    ids = [int(v) for v in args.device.split(",")]
    if len(ids) < 2:
        raise SystemExit(f"need at least 2 devices, got {ids}")
    n = len(ids)
    torch.manual_seed(7)
    xs = torch.randn((n, 1, SIZE), dtype=torch.float32)
    outs = torch.zeros((n, n, SIZE), dtype=torch.float32)
    config = RunConfig(platform=args.platform, distributed_config=DistributedConfig(device_ids=ids, num_sub_workers=0))
    compiled = allgather.compile(xs, outs, config=config)
    if args.compile_only:
        print(f"compile_only done: {compiled.output_dir}")
        return 0
    compiled(xs, outs, config=RunConfig(platform=args.platform))
    golden = torch.stack([xs.reshape(n, SIZE)] * n)
    max_diff = (outs - golden).abs().max().item()
    assert torch.allclose(outs, golden, rtol=1e-5, atol=1e-5), f"allgather mismatch: max diff = {max_diff}"
    print("OK")
    return 0


if __name__ == "__main__":
    sys.exit(main())
