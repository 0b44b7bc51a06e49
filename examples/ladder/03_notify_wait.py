"""Step 03 - Notify and wait: one rank writes a cell of the other, the other waits for it.

    ./ringmaster run examples/ladder/03_notify_wait.py -p a2a3sim -d 0,1

A *signal* is a window of INT32 cells. ``notify`` writes one cell of a peer and goes on; ``wait``
holds the rank until a cell of its *own* fulfils the condition, and leaves the cell as it is.
Together they are the only order between two ranks: what a rank wrote before its notify is there
for whoever waited.

The message is the cell's value itself. Each rank sends the other ``1 + rank``; nobody sends 0,
because 0 is what the cell holds before anything arrives.
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import RunConfig


@pl.jit.incore
def exchange_values(
    y: pl.Out[pl.Tensor[[1, 1], pl.INT32]],
    signal: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
):
    """Sends 1 + rank to the other rank and writes down what came from there."""
    ctx = pld.get_comm_ctx(signal)
    my_rank = pld.rank(ctx)
    other = 1 - my_rank

    # Notify first, then wait. The other way round both ranks would wait for ever.
    pld.system.notify(signal, peer=other, offsets=[0, 0], value=1 + my_rank, op=pld.NotifyOp.Set)
    pld.system.wait(signal, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)

    received = pl.read(signal, [0, 0])
    pl.write(y, [0, 0], received)
    return y


@pl.jit
def on_chip(
    y: pl.Out[pl.Tensor[[1, 1], pl.INT32]],
    signal: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
):
    y = exchange_values(y, signal)
    return y


@pl.jit.host
def on_host(y: pl.Out[pl.Tensor[[2, 1, 1], pl.INT32]]):
    signal_buffer = pld.alloc_window_buffer(pl.INT32.get_byte())
    for r in pl.range(pld.world_size()):
        signal = pld.window(signal_buffer, [1, 1], dtype=pl.INT32)
        on_chip(y[r], signal, device=r)


def parse_arguments():
    parser = argparse.ArgumentParser(description="two ranks exchange one number each")
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

    y = torch.zeros((2, 1, 1), dtype=torch.int32)
    compiled = on_host.compile(
        y,
        config=RunConfig(
            platform=args.platform,
            distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
        ),
    )
    if args.compile_only:
        print(f"compile_only done: {compiled.output_dir}")
        return
    compiled(y, config=RunConfig(platform=args.platform))

    for r in range(2):
        golden = torch.full((1, 1), 2 - r, dtype=torch.int32)
        assert torch.equal(y[r], golden), (
            f"rank {r} mismatch: max diff = {(y[r] - golden).abs().max().item()}"
        )
    print("OK")


if __name__ == "__main__":
    main()
