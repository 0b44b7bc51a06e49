"""Step 12 - Broadcast: one rank has the data, every rank ends with it.

    ./ringmaster run examples/ladder/12_broadcast.py -p a2a3sim -d 0,1
    ./ringmaster run examples/ladder/12_broadcast.py -p a2a3sim -d 0,1,2,3 -- --mode builtin

The root stages, everybody passes a barrier, everybody pulls from the root. The barrier has to be
passed by all ranks, also by those that stage nothing: a rank that skips it leaves the others
waiting.

* ``--mode hand`` pulls the root's row as a tile and stores it into the output.
* ``--mode builtin`` pulls it into the own window, on the root as well.

In both forms nothing follows the last read. A root that overwrites its window right after the
call may change what a slow rank still reads; put a barrier in between.
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 64
ROOT = 0


def build_broadcast(nr, mode):
    """The program for ``nr`` ranks."""
    builtin = mode == "builtin"

    @pl.program
    class Broadcast:
        @pl.function(type=pl.FunctionType.InCore)
        def hand_step(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], pl.FP32]:
            ctx = pld.get_comm_ctx(data)
            my_rank = pld.rank(ctx)
            nranks = pld.nranks(ctx)

            # Only the root stages. A row staged elsewhere would hide a wrong root.
            if my_rank == ROOT:
                mine = pl.load(x, [0, 0], [1, SIZE])
                data = pl.store(mine, [0, 0], data)

            for peer in pl.range(nranks):
                if peer != my_rank:
                    pld.system.notify(
                        signal, peer=peer, offsets=[my_rank, 0], value=1, op=pld.NotifyOp.AtomicAdd
                    )
            for src in pl.range(nranks):
                if src != my_rank:
                    pld.system.wait(signal, offsets=[src, 0], expected=1, cmp=pld.WaitCmp.Ge)

            row = pld.tile.remote_load(data, peer=ROOT, offsets=[0, 0], shape=[1, SIZE])
            y = pl.store(row, [0, 0], y)
            return y

        @pl.function(type=pl.FunctionType.InCore)
        def builtin_step(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], pl.FP32]:
            ctx = pld.get_comm_ctx(data)
            my_rank = pld.rank(ctx)
            if my_rank == ROOT:
                mine = pl.load(x, [0, 0], [1, SIZE])
                data = pl.store(mine, [0, 0], data)
            data = pld.tensor.broadcast(data, signal, root=ROOT)
            row = pl.load(data, [0, 0], [1, SIZE])
            y = pl.store(row, [0, 0], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], pl.FP32]:
            if builtin:
                y = self.builtin_step(x, y, data, signal)
            else:
                y = self.hand_step(x, y, data, signal)
            return y

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def on_host(
            self,
            x: pl.Tensor[[nr, 1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[nr, 1, SIZE], pl.FP32]],
        ):
            data_buffer = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
            signal_buffer = pld.alloc_window_buffer(nr * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buffer, [1, SIZE], dtype=pl.FP32)
                signal = pld.window(signal_buffer, [nr, 1], dtype=pl.INT32)
                self.on_chip(x[r], y[r], data, signal, device=r)

    return Broadcast


def parse_arguments():
    parser = argparse.ArgumentParser(description="broadcast, by hand and built in")
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
        build_broadcast(nr, args.mode),
        platform=args.platform,
        distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
    )
    if args.compile_only:
        print(f"compile_only done: {compiled.output_dir}")
        return

    x = torch.stack([torch.randn((1, SIZE), dtype=torch.float32) for _ in range(nr)])
    y = torch.zeros((nr, 1, SIZE), dtype=torch.float32)
    compiled(x, y)

    for r in range(nr):
        diff = (y[r] - x[ROOT]).abs().max().item()
        assert torch.allclose(y[r], x[ROOT]), f"rank {r} mismatch: max diff = {diff}"
        if r != ROOT:
            assert not torch.allclose(y[r], x[r]), f"non-root rank {r} input leaked into output"
    print("OK")


if __name__ == "__main__":
    main()
