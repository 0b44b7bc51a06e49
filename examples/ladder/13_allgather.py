"""Step 13 - AllGather: every rank contributes a slice, every rank ends with all of them.

    ./ringmaster run examples/ladder/13_allgather.py -p a2a3sim -d 0,1
    ./ringmaster run examples/ladder/13_allgather.py -p a2a3sim -d 0,1,2,3 -- --mode builtin

Two ways to the same bytes in the same layout:

* ``--mode hand``: stage the own slice, barrier, then *pull* each rank's row. The barrier comes
  first, because a row must be there before it is read.
* ``--mode builtin``: one call. It *pushes* the own slice into row ``my_rank`` of every rank and has
  its barrier behind the transfer, because there it says that every push has landed.
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 64


def build_allgather(nr, mode):
    """The program for ``nr`` ranks."""
    builtin = mode == "builtin"

    @pl.program
    class AllGather:
        """Gathers [1, SIZE] slices into one [1, nr * SIZE] row on every rank."""

        @pl.function(type=pl.FunctionType.InCore)
        def hand_step(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, nr * SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[nr, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, nr * SIZE], pl.FP32]:
            ctx = pld.get_comm_ctx(data)
            my_rank = pld.rank(ctx)
            nranks = pld.nranks(ctx)

            # Stage: the own slice goes into the own row, so that no two ranks share a slot.
            mine = pl.load(x, [0, 0], [1, SIZE])
            data = pl.store(mine, [my_rank, 0], data)

            # Barrier: tell every peer, then wait until every peer has told us.
            for peer in pl.range(nranks):
                if peer != my_rank:
                    pld.system.notify(
                        signal, peer=peer, offsets=[my_rank, 0], value=1, op=pld.NotifyOp.AtomicAdd
                    )
            for src in pl.range(nranks):
                if src != my_rank:
                    pld.system.wait(signal, offsets=[src, 0], expected=1, cmp=pld.WaitCmp.Ge)

            # Gather: rank p's slice lies in row p of rank p and belongs into slot p here.
            for peer in pl.range(nranks):
                theirs = pld.tile.remote_load(data, peer=peer, offsets=[peer, 0], shape=[1, SIZE])
                y = pl.store(theirs, [0, peer * SIZE], y)
            return y

        @pl.function(type=pl.FunctionType.InCore)
        def builtin_step(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, nr * SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[nr, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, nr * SIZE], pl.FP32]:
            ctx = pld.get_comm_ctx(data)
            nranks = pld.nranks(ctx)
            data = pld.tensor.allgather(x, data, signal)
            for src in pl.range(nranks):
                row = pl.load(data, [src, 0], [1, SIZE])
                y = pl.store(row, [0, src * SIZE], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, nr * SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[nr, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, nr * SIZE], pl.FP32]:
            if builtin:
                y = self.builtin_step(x, y, data, signal)
            else:
                y = self.hand_step(x, y, data, signal)
            return y

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def on_host(
            self,
            x: pl.Tensor[[nr, 1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[nr, 1, nr * SIZE], pl.FP32]],
        ):
            data_buffer = pld.alloc_window_buffer(nr * SIZE * pl.FP32.get_byte())
            signal_buffer = pld.alloc_window_buffer(nr * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buffer, [nr, SIZE], dtype=pl.FP32)
                signal = pld.window(signal_buffer, [nr, 1], dtype=pl.INT32)
                self.on_chip(x[r], y[r], data, signal, device=r)

    return AllGather


def parse_arguments():
    parser = argparse.ArgumentParser(description="AllGather, by hand and built in")
    parser.add_argument(
        "-p", "--platform", default="a2a3sim", choices=["a2a3sim", "a2a3", "a5sim", "a5"]
    )
    parser.add_argument("-d", "--device", default="0,1", help="comma-separated device ids")
    parser.add_argument("--mode", default="hand", choices=["hand", "builtin"])
    parser.add_argument("--compile-only", action="store_true")
    return parser.parse_args()


def main():
    args = parse_arguments()
    device_ids = [int(d) for d in args.device.split(",")]
    nr = len(device_ids)
    if nr < 2:
        raise SystemExit(f"need at least 2 devices, got {device_ids}")

    compiled = ir.compile(
        build_allgather(nr, args.mode),
        platform=args.platform,
        distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
    )
    if args.compile_only:
        print(f"compile_only done: {compiled.output_dir}")
        return

    x = torch.stack([torch.randn((1, SIZE), dtype=torch.float32) for _ in range(nr)])
    y = torch.zeros((nr, 1, nr * SIZE), dtype=torch.float32)
    compiled(x, y)

    golden = torch.cat([x[r] for r in range(nr)], dim=1)
    for r in range(nr):
        diff = (y[r] - golden).abs().max().item()
        assert torch.allclose(y[r], golden), f"rank {r} mismatch: max diff = {diff}"
    print("OK")


if __name__ == "__main__":
    main()
