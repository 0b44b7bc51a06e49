"""Step 06 - Put and get: from memory to memory, without a tile in the kernel's hands.

    ./ringmaster run examples/ladder/06_put_get.py -p a2a3sim -d 0,1
    ./ringmaster run examples/ladder/06_put_get.py -p a2a3sim -d 0,1 -- --mode get

The same swap as in step 05. ``put`` copies a tensor of this rank into a peer's window, ``get``
copies a peer's window into a tensor of this rank; the tile through which the bytes travel is the
compiler's business. Both have finished when the statement has. The rule of step 05 stays:

* ``--mode put`` pushes, and the signal stands behind it,
* ``--mode get`` pulls, and the signal stands before it.

A tile that is being computed with goes by remote load or store; bytes that only move go by put or
get.
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import RunConfig

SIZE = 64


def build_swap(mode):
    """The host function that swaps the rows of two ranks."""
    push = mode == "put"

    @pl.jit.incore
    def swap(
        x: pl.Tensor[[1, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
        data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
        signal: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
    ):
        ctx = pld.get_comm_ctx(data)
        other = 1 - pld.rank(ctx)
        if push:
            # The source is a plain tensor; only the destination must be a window.
            pld.tensor.put(data, peer=other, src=x)
        else:
            mine = pl.load(x, [0, 0], [1, SIZE])
            data = pl.store(mine, [0, 0], data)

        pld.system.notify(
            signal, peer=other, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd
        )
        pld.system.wait(signal, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)

        if push:
            arrived = pl.load(data, [0, 0], [1, SIZE])
            y = pl.store(arrived, [0, 0], y)
        else:
            # The other way round: only the source must be a window.
            pld.tensor.get(y, peer=other, src=data)
        return y

    @pl.jit
    def on_chip(
        x: pl.Tensor[[1, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
        data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
        signal: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
    ):
        y = swap(x, y, data, signal)
        return y

    @pl.jit.host
    def on_host(
        x: pl.Tensor[[2, 1, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[2, 1, SIZE], pl.FP32]],
    ):
        data_buffer = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
        signal_buffer = pld.alloc_window_buffer(pl.INT32.get_byte())
        for r in pl.range(pld.world_size()):
            data = pld.window(data_buffer, [1, SIZE], dtype=pl.FP32)
            signal = pld.window(signal_buffer, [1, 1], dtype=pl.INT32)
            on_chip(x[r], y[r], data, signal, device=r)

    return on_host


def parse_arguments():
    parser = argparse.ArgumentParser(description="two ranks swap a row, memory to memory")
    parser.add_argument(
        "-p", "--platform", default="a2a3sim", choices=["a2a3sim", "a2a3", "a5sim", "a5"]
    )
    parser.add_argument("-d", "--device", default="0,1", help="comma-separated device ids")
    parser.add_argument("--mode", default="put", choices=["put", "get"])
    parser.add_argument("--compile-only", action="store_true")
    return parser.parse_args()


def main():
    args = parse_arguments()
    device_ids = [int(d) for d in args.device.split(",")]
    if len(device_ids) != 2:
        raise SystemExit(f"need exactly 2 devices, got {device_ids}")

    x = torch.stack([torch.randn((1, SIZE), dtype=torch.float32) for _ in range(2)])
    y = torch.zeros((2, 1, SIZE), dtype=torch.float32)
    compiled = build_swap(args.mode).compile(
        x,
        y,
        config=RunConfig(
            platform=args.platform,
            distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
        ),
    )
    if args.compile_only:
        print(f"compile_only done: {compiled.output_dir}")
        return
    compiled(x, y, config=RunConfig(platform=args.platform))

    for r in range(2):
        golden = x[1 - r]
        diff = (y[r] - golden).abs().max().item()
        assert torch.allclose(y[r], golden), f"rank {r} mismatch: max diff = {diff}"
    print("OK")


if __name__ == "__main__":
    main()
