"""Step 15 - AllToAll: every rank has a row for every rank, and all of them change places.

    ./ringmaster run examples/ladder/15_all_to_all.py -p a2a3sim -d 0,1
    ./ringmaster run examples/ladder/15_all_to_all.py -p a2a3sim -d 0,1,2,3 -- --mode builtin

Rank r's row d goes to row r of rank d: a transposition across ranks. Where an allgather sends the
same row to everybody, here each peer gets another one. Both forms push, and the barrier stands
behind the transfers. Row ``my_rank`` of a peer is written by this rank alone, so the pushes never
collide.

The hand-written form calls ``put`` with all arguments by position: destination window, peer,
source, where to in the destination, where from in the source, and how much.
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 64


def build_all_to_all(nr, mode):
    """The program for ``nr`` ranks."""
    builtin = mode == "builtin"

    @pl.program
    class AllToAll:
        @pl.function(type=pl.FunctionType.InCore)
        def hand_step(
            self,
            x: pl.Tensor[[nr, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[nr, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[nr, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[nr, SIZE], pl.FP32]:
            ctx = pld.get_comm_ctx(data)
            my_rank = pld.rank(ctx)
            nranks = pld.nranks(ctx)

            # The own row takes the same way: a put to oneself is a copy.
            for dest in pl.range(nranks):
                pld.tensor.put(data, dest, x, [my_rank, 0], [dest, 0], [1, SIZE])

            for peer in pl.range(nranks):
                if peer != my_rank:
                    pld.system.notify(
                        signal, peer=peer, offsets=[my_rank, 0], value=1, op=pld.NotifyOp.AtomicAdd
                    )
            for src in pl.range(nranks):
                if src != my_rank:
                    pld.system.wait(signal, offsets=[src, 0], expected=1, cmp=pld.WaitCmp.Ge)

            for src in pl.range(nranks):
                row = pl.load(data, [src, 0], [1, SIZE])
                y = pl.store(row, [src, 0], y)
            return y

        @pl.function(type=pl.FunctionType.InCore)
        def builtin_step(
            self,
            x: pl.Tensor[[nr, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[nr, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[nr, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[nr, SIZE], pl.FP32]:
            ctx = pld.get_comm_ctx(data)
            nranks = pld.nranks(ctx)
            data = pld.tensor.all_to_all(x, data, signal)
            for src in pl.range(nranks):
                row = pl.load(data, [src, 0], [1, SIZE])
                y = pl.store(row, [src, 0], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(
            self,
            x: pl.Tensor[[nr, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[nr, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[nr, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[nr, SIZE], pl.FP32]:
            if builtin:
                y = self.builtin_step(x, y, data, signal)
            else:
                y = self.hand_step(x, y, data, signal)
            return y

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def on_host(
            self,
            x: pl.Tensor[[nr, nr, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[nr, nr, SIZE], pl.FP32]],
        ):
            data_buffer = pld.alloc_window_buffer(nr * SIZE * pl.FP32.get_byte())
            signal_buffer = pld.alloc_window_buffer(nr * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buffer, [nr, SIZE], dtype=pl.FP32)
                signal = pld.window(signal_buffer, [nr, 1], dtype=pl.INT32)
                self.on_chip(x[r], y[r], data, signal, device=r)

    return AllToAll


def parse_arguments():
    parser = argparse.ArgumentParser(description="all-to-all, by hand and built in")
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
        build_all_to_all(nr, args.mode),
        platform=args.platform,
        distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
    )
    if args.compile_only:
        print(f"compile_only done: {compiled.output_dir}")
        return

    x = torch.stack([torch.randn((nr, SIZE), dtype=torch.float32) for _ in range(nr)])
    y = torch.zeros((nr, nr, SIZE), dtype=torch.float32)
    compiled(x, y)

    for r in range(nr):
        golden = torch.stack([x[s, r] for s in range(nr)])
        diff = (y[r] - golden).abs().max().item()
        assert torch.allclose(y[r], golden), f"rank {r} mismatch: max diff = {diff}"
    print("OK")


if __name__ == "__main__":
    main()
