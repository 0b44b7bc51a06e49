"""Step 02 - Windows: memory with one name and a copy of its own on every rank.

    ./ringmaster run examples/ladder/02_windows.py -p a2a3sim -d 0,1

The host allocates a *window buffer* once and looks at it through ``pld.window``. Every rank that
gets the view has its own bytes behind it, all zero at the start. A kernel finds out through its
window who it is: the window's communication context knows the rank number and the number of
ranks.

Here each rank only uses its own copy. Reaching into a peer's copy starts with step 05.
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import RunConfig

SIZE = 64


@pl.jit.incore
def write_and_read_back(
    x: pl.Tensor[[1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
    data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
):
    """Puts x + rank into the own window, then copies the window to y."""
    ctx = pld.get_comm_ctx(data)
    my_rank = pld.rank(ctx)

    # The rank is an INT32 scalar; a tile of floats wants a float.
    rank_value = pl.cast(my_rank, pl.FP32)
    tile = pl.load(x, [0, 0], [1, SIZE])
    marked = pl.add(tile, rank_value)
    data = pl.store(marked, [0, 0], data)

    # If the two ranks shared their bytes, one of them would now read the other's mark.
    back = pl.load(data, [0, 0], [1, SIZE])
    y = pl.store(back, [0, 0], y)
    return y


@pl.jit
def on_chip(
    x: pl.Tensor[[1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
    data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
):
    y = write_and_read_back(x, y, data)
    return y


@pl.jit.host
def on_host(
    x: pl.Tensor[[2, 1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[2, 1, SIZE], pl.FP32]],
):
    # Bytes, not elements, and outside the rank loop: the buffer exists once in the program.
    data_buffer = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
    for r in pl.range(pld.world_size()):
        data = pld.window(data_buffer, [1, SIZE], dtype=pl.FP32)
        on_chip(x[r], y[r], data, device=r)


def parse_arguments():
    parser = argparse.ArgumentParser(description="a window on two devices")
    parser.add_argument(
        "-p", "--platform", default="a2a3sim", choices=["a2a3sim", "a2a3", "a5sim", "a5"]
    )
    parser.add_argument("-d", "--device", default="0,1", help="comma-separated device ids")
    parser.add_argument("--compile-only", action="store_true")
    return parser.parse_args()


def main():
    args = parse_arguments()
    device_ids = [int(d) for d in args.device.split(",")]
    if len(device_ids) != 2:
        raise SystemExit(f"need exactly 2 devices, got {device_ids}")

    x = torch.stack([torch.randn((1, SIZE), dtype=torch.float32) for _ in range(2)])
    y = torch.zeros((2, 1, SIZE), dtype=torch.float32)
    compiled = on_host.compile(
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
        golden = x[r] + float(r)
        diff = (y[r] - golden).abs().max().item()
        assert torch.allclose(y[r], golden, rtol=1e-5, atol=1e-5), (
            f"rank {r} mismatch: max diff = {diff}"
        )
    print("OK")


if __name__ == "__main__":
    main()
