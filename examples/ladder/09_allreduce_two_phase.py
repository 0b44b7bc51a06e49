"""Step 09 - AllReduce by hand, two phases: each rank sums one chunk, then all chunks are shared.

    ./ringmaster run examples/ladder/09_allreduce_two_phase.py -p a2a3sim -d 0,1,2,3

In step 08 every rank does the whole addition. Here rank r adds up chunk r only (*reduce-scatter*)
and then everybody pulls the finished chunks from their owners (*allgather*). Each phase moves
(P-1)/P * N bytes a rank: 2 * (P-1)/P * N together instead of (P-1) * N, for one barrier more.

The two barriers use two rows of one signal. A second barrier on the same cells with the same
expected value would be passed at once, because hand-written credits are never taken back.

A chunk is a tile and the shape of a tile is a constant, so the rank count is fixed when the
program is built: a function makes the program for ``nr`` ranks. A tile's row spans at least 32
bytes, which with SIZE = 64 allows up to 8 ranks.
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 64


def build_two_phase(nr):
    """The program for ``nr`` ranks."""
    chunk = SIZE // nr

    @pl.program
    class AllReduceTwoPhase:
        @pl.function(type=pl.FunctionType.InCore)
        def reduce_step(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[2, nr], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], pl.FP32]:
            ctx = pld.get_comm_ctx(data)
            my_rank = pld.rank(ctx)
            nranks = pld.nranks(ctx)

            mine = pl.load(x, [0, 0], [1, SIZE])
            data = pl.store(mine, [0, 0], data)

            # Barrier in row 0: everybody has staged.
            for peer in pl.range(nranks):
                if peer != my_rank:
                    pld.system.notify(
                        signal, peer=peer, offsets=[0, my_rank], value=1, op=pld.NotifyOp.AtomicAdd
                    )
            for src in pl.range(nranks):
                if src != my_rank:
                    pld.system.wait(signal, offsets=[0, src], expected=1, cmp=pld.WaitCmp.Ge)

            # Reduce-scatter: chunk my_rank of every rank. Nobody else reads this rank's own chunk
            # before the second barrier, so the sum may replace it in place.
            total = pl.load(data, [0, my_rank * chunk], [1, chunk])
            for peer in pl.range(nranks):
                if peer != my_rank:
                    theirs = pld.tile.remote_load(
                        data, peer=peer, offsets=[0, my_rank * chunk], shape=[1, chunk]
                    )
                    total = pl.add(total, theirs)
            data = pl.store(total, [0, my_rank * chunk], data)

            # Barrier in row 1: everybody's chunk is finished.
            for peer in pl.range(nranks):
                if peer != my_rank:
                    pld.system.notify(
                        signal, peer=peer, offsets=[1, my_rank], value=1, op=pld.NotifyOp.AtomicAdd
                    )
            for src in pl.range(nranks):
                if src != my_rank:
                    pld.system.wait(signal, offsets=[1, src], expected=1, cmp=pld.WaitCmp.Ge)

            # Allgather: chunk p from its owner, rank p.
            for peer in pl.range(nranks):
                part = pld.tile.remote_load(
                    data, peer=peer, offsets=[0, peer * chunk], shape=[1, chunk]
                )
                y = pl.store(part, [0, peer * chunk], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[2, nr], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], pl.FP32]:
            return self.reduce_step(x, y, data, signal)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def on_host(
            self,
            x: pl.Tensor[[nr, 1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[nr, 1, SIZE], pl.FP32]],
        ):
            data_buffer = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
            signal_buffer = pld.alloc_window_buffer(2 * nr * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buffer, [1, SIZE], dtype=pl.FP32)
                signal = pld.window(signal_buffer, [2, nr], dtype=pl.INT32)
                self.on_chip(x[r], y[r], data, signal, device=r)

    return AllReduceTwoPhase


def parse_arguments():
    parser = argparse.ArgumentParser(description="allreduce by hand, two phases")
    parser.add_argument(
        "-p", "--platform", default="a2a3sim", choices=["a2a3sim", "a2a3", "a5sim", "a5"]
    )
    parser.add_argument("-d", "--device", default="0,1,2,3", help="comma-separated device ids")
    parser.add_argument("--compile-only", action="store_true")
    return parser.parse_args()


def main():
    args = parse_arguments()
    device_ids = [int(d) for d in args.device.split(",")]
    nr = len(device_ids)
    if nr < 2:
        raise SystemExit(f"need at least 2 devices, got {device_ids}")
    if SIZE % nr != 0:
        raise ValueError(f"SIZE={SIZE} must be divisible by the rank count, got {nr}")
    chunk = SIZE // nr
    if chunk * 4 < 32:
        raise ValueError(
            f"a chunk of {chunk} floats is less than the 32 bytes of a tile row: at most"
            f" {SIZE // 8} ranks, got {nr}"
        )

    compiled = ir.compile(
        build_two_phase(nr),
        platform=args.platform,
        distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
    )
    if args.compile_only:
        print(f"compile_only done: {compiled.output_dir}")
        return

    x = torch.stack([torch.randn((1, SIZE), dtype=torch.float32) for _ in range(nr)])
    y = torch.zeros((nr, 1, SIZE), dtype=torch.float32)
    compiled(x, y)

    golden = x.sum(dim=0)
    for r in range(nr):
        diff = (y[r] - golden).abs().max().item()
        assert torch.allclose(y[r], golden, rtol=1e-5, atol=1e-5), (
            f"rank {r} mismatch: max diff = {diff}"
        )
    print("OK")


if __name__ == "__main__":
    main()
