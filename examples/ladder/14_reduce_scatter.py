"""Step 14 - ReduceScatter: a row from everybody for everybody, and each ends with its own sum.

    ./ringmaster run examples/ladder/14_reduce_scatter.py -p a2a3sim -d 0,1
    ./ringmaster run examples/ladder/14_reduce_scatter.py -p a2a3sim -d 0,1,2,3 -- --mode builtin

The first half of step 09 as a collective: rank r gets the sum of everybody's row r. (P-1) rows
come in on every rank, an allreduce of the same tensor would bring P times as many.

* ``--mode hand`` stages all rows, passes one barrier, adds up row ``my_rank`` and stores it
  outside.
* ``--mode builtin`` leaves the sum in row ``my_rank`` of the window and has a second barrier
  behind its reads, so that the window can be staged again at once. The other rows keep what was
  staged: they aren't results.
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 64


def build_reduce_scatter(nr, mode):
    """The program for ``nr`` ranks."""
    builtin = mode == "builtin"

    @pl.program
    class ReduceScatter:
        @pl.function(type=pl.FunctionType.InCore)
        def hand_step(
            self,
            x: pl.Tensor[[nr, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[nr, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], pl.FP32]:
            ctx = pld.get_comm_ctx(data)
            my_rank = pld.rank(ctx)
            nranks = pld.nranks(ctx)

            for row in pl.range(nr):
                part = pl.load(x, [row, 0], [1, SIZE])
                data = pl.store(part, [row, 0], data)

            for peer in pl.range(nranks):
                if peer != my_rank:
                    pld.system.notify(
                        signal, peer=peer, offsets=[my_rank, 0], value=1, op=pld.NotifyOp.AtomicAdd
                    )
            for src in pl.range(nranks):
                if src != my_rank:
                    pld.system.wait(signal, offsets=[src, 0], expected=1, cmp=pld.WaitCmp.Ge)

            total = pl.load(data, [my_rank, 0], [1, SIZE])
            for peer in pl.range(nranks):
                if peer != my_rank:
                    theirs = pld.tile.remote_load(
                        data, peer=peer, offsets=[my_rank, 0], shape=[1, SIZE]
                    )
                    total = pl.add(total, theirs)
            y = pl.store(total, [0, 0], y)
            return y

        @pl.function(type=pl.FunctionType.InCore)
        def builtin_step(
            self,
            x: pl.Tensor[[nr, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[nr, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], pl.FP32]:
            ctx = pld.get_comm_ctx(data)
            my_rank = pld.rank(ctx)
            for row in pl.range(nr):
                part = pl.load(x, [row, 0], [1, SIZE])
                data = pl.store(part, [row, 0], data)
            data = pld.tensor.reduce_scatter(data, signal, op=pld.ReduceOp.Sum)
            total = pl.load(data, [my_rank, 0], [1, SIZE])
            y = pl.store(total, [0, 0], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(
            self,
            x: pl.Tensor[[nr, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[nr, SIZE], pl.FP32]],
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
            x: pl.Tensor[[nr, nr, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[nr, 1, SIZE], pl.FP32]],
        ):
            data_buffer = pld.alloc_window_buffer(nr * SIZE * pl.FP32.get_byte())
            signal_buffer = pld.alloc_window_buffer(nr * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buffer, [nr, SIZE], dtype=pl.FP32)
                signal = pld.window(signal_buffer, [nr, 1], dtype=pl.INT32)
                self.on_chip(x[r], y[r], data, signal, device=r)

    return ReduceScatter


def parse_arguments():
    parser = argparse.ArgumentParser(description="reduce-scatter, by hand and built in")
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
        build_reduce_scatter(nr, args.mode),
        platform=args.platform,
        distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
    )
    if args.compile_only:
        print(f"compile_only done: {compiled.output_dir}")
        return

    x = torch.stack([torch.randn((nr, SIZE), dtype=torch.float32) for _ in range(nr)])
    y = torch.zeros((nr, 1, SIZE), dtype=torch.float32)
    compiled(x, y)

    summed = x.sum(dim=0)
    for r in range(nr):
        golden = summed[r].reshape(1, SIZE)
        diff = (y[r] - golden).abs().max().item()
        assert torch.allclose(y[r], golden, rtol=1e-5, atol=1e-5), (
            f"rank {r} mismatch: max diff = {diff}"
        )
    print("OK")


if __name__ == "__main__":
    main()
