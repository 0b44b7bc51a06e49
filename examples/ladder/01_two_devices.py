"""Step 01 - Two devices: one kernel, dispatched once per rank, each time on other data.

    ./ringmaster run examples/ladder/01_two_devices.py -p a2a3sim -d 0,1

Nothing is exchanged yet. The step shows the three floors every later step stands on:

* an *InCore kernel* that loads a tile, computes on it and stores it,
* a *chip function* that calls kernels on one device,
* a *host function* that runs once and dispatches the chip function to every rank.
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import RunConfig

SIZE = 64


@pl.jit.incore
def double_and_shift(
    x: pl.Tensor[[1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
):
    """y = 2 * x + 1 on one tile."""
    tile = pl.load(x, [0, 0], [1, SIZE])
    doubled = pl.mul(tile, 2.0)
    shifted = pl.add(doubled, 1.0)
    y = pl.store(shifted, [0, 0], y)
    return y


@pl.jit
def on_chip(
    x: pl.Tensor[[1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
):
    y = double_and_shift(x, y)
    return y


@pl.jit.host
def on_host(
    x: pl.Tensor[[2, 1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[2, 1, SIZE], pl.FP32]],
):
    # Rank r works on row r. Dispatches don't block, so both devices compute at the same time.
    for r in pl.range(pld.world_size()):
        on_chip(x[r], y[r], device=r)


def parse_arguments():
    parser = argparse.ArgumentParser(description="one kernel on two devices")
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

    golden = x * 2.0 + 1.0
    for r in range(2):
        diff = (y[r] - golden[r]).abs().max().item()
        assert torch.allclose(y[r], golden[r], rtol=1e-5, atol=1e-5), (
            f"rank {r} mismatch: max diff = {diff}"
        )
    print("OK")


if __name__ == "__main__":
    main()
