"""Step 07 - Any rank count: the neighbours on a circle, with one source for every number of ranks.

    ./ringmaster run examples/ladder/07_any_rank_count.py -p a2a3sim -d 0,1,2
    ./ringmaster run examples/ladder/07_any_rank_count.py -p a2a3sim -d 0,1,2,3,4 -- --mode get

Every rank passes its row to the right neighbour and ends with the left one's. Nothing in the
source says how many ranks there are: the leading dimension of the tensors is *dynamic* and gets
its value from the tensors of the call, and the kernel asks its window.

* ``--mode put``: push to the right, tell the right, wait for the left.
* ``--mode get``: tell the right that the own row is there, wait for the left, pull from the left.

The left neighbour is ``(my_rank + nranks - 1) % nranks``. Without ``+ nranks`` the remainder of
rank 0 is -1, because integer division truncates on the device. With two ranks left and right are
the same, which hides a wrong direction: run three or more.
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import RunConfig

SIZE = 64
NR = pl.dynamic("NR")


def build_shift(mode):
    """The host function that shifts all rows by one rank."""
    push = mode == "put"

    @pl.jit.incore
    def shift(
        x: pl.Tensor[[1, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
        data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
        signal: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
    ):
        ctx = pld.get_comm_ctx(data)
        my_rank = pld.rank(ctx)
        nranks = pld.nranks(ctx)
        right = (my_rank + 1) % nranks
        left = (my_rank + nranks - 1) % nranks

        if push:
            pld.tensor.put(data, peer=right, src=x)
        else:
            mine = pl.load(x, [0, 0], [1, SIZE])
            data = pl.store(mine, [0, 0], data)

        # Only the left neighbour writes this rank's cell, whichever the mode.
        pld.system.notify(
            signal, peer=right, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd
        )
        pld.system.wait(signal, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)

        if push:
            arrived = pl.load(data, [0, 0], [1, SIZE])
            y = pl.store(arrived, [0, 0], y)
        else:
            pld.tensor.get(y, peer=left, src=data)
        return y

    @pl.jit
    def on_chip(
        x: pl.Tensor[[1, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
        data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
        signal: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
    ):
        y = shift(x, y, data, signal)
        return y

    @pl.jit.host
    def on_host(
        x: pl.Tensor[[NR, 1, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]],
    ):
        data_buffer = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
        signal_buffer = pld.alloc_window_buffer(pl.INT32.get_byte())
        for r in pl.range(pld.world_size()):
            data = pld.window(data_buffer, [1, SIZE], dtype=pl.FP32)
            signal = pld.window(signal_buffer, [1, 1], dtype=pl.INT32)
            on_chip(x[r], y[r], data, signal, device=r)

    return on_host


def parse_arguments():
    parser = argparse.ArgumentParser(description="every rank passes its row to the right")
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
    nr = len(device_ids)
    if nr < 2:
        raise SystemExit(f"need at least 2 devices, got {device_ids}")

    x = torch.stack([torch.randn((1, SIZE), dtype=torch.float32) for _ in range(nr)])
    y = torch.zeros((nr, 1, SIZE), dtype=torch.float32)
    compiled = build_shift(args.mode).compile(
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

    for r in range(nr):
        # The driver is ordinary Python: here -1 % nr is nr - 1.
        golden = x[(r - 1) % nr]
        diff = (y[r] - golden).abs().max().item()
        assert torch.allclose(y[r], golden), f"rank {r} mismatch: max diff = {diff}"
    print("OK")


if __name__ == "__main__":
    main()
