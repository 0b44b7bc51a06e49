"""Step 05 - Remote load and store: a tile out of a peer's window, or into it.

    ./ringmaster run examples/ladder/05_remote_load_store.py -p a2a3sim -d 0,1
    ./ringmaster run examples/ladder/05_remote_load_store.py -p a2a3sim -d 0,1 -- --mode store

Two ranks swap a row, in two ways:

* ``--mode load`` *pulls*: put the own row into the own window, signal, wait, load from the peer.
  The signal stands before the transfer and says: my row is there, you may read it.
* ``--mode store`` *pushes*: store the own row into the peer's window, signal, wait, load locally.
  The signal stands behind the transfer and says: your row has arrived.

Swapping transfer and signal in either mode gives a program that often works and is wrong.
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
    pull = mode == "load"

    @pl.jit.incore
    def swap(
        x: pl.Tensor[[1, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
        data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
        signal: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
    ):
        ctx = pld.get_comm_ctx(data)
        other = 1 - pld.rank(ctx)
        mine = pl.load(x, [0, 0], [1, SIZE])
        if pull:
            data = pl.store(mine, [0, 0], data)
        else:
            pld.tile.remote_store(mine, data, peer=other, offsets=[0, 0])

        pld.system.notify(
            signal, peer=other, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd
        )
        pld.system.wait(signal, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)

        if pull:
            pulled = pld.tile.remote_load(data, peer=other, offsets=[0, 0], shape=[1, SIZE])
            y = pl.store(pulled, [0, 0], y)
        else:
            pushed = pl.load(data, [0, 0], [1, SIZE])
            y = pl.store(pushed, [0, 0], y)
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
    parser = argparse.ArgumentParser(description="two ranks swap a row")
    parser.add_argument(
        "-p", "--platform", default="a2a3sim", choices=["a2a3sim", "a2a3", "a5sim", "a5"]
    )
    parser.add_argument("-d", "--device", default="0,1", help="comma-separated device ids")
    parser.add_argument("--mode", default="load", choices=["load", "store"])
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
