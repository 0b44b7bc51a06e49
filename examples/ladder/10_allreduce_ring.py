"""Step 10 - AllReduce by hand, ring: partial sums travel around the circle.

    ./ringmaster run examples/ladder/10_allreduce_ring.py -p a2a3sim -d 0,1,2,3

The bytes of step 09, but every rank only ever reads from its left neighbour. In P-1 rounds each
segment collects one contribution a round until rank r holds the full sum of segment r; in another
P-1 rounds the finished segments travel once around. 2 * (P-1)/P * N bytes a rank, over one link,
at the price of 2 * (P-1) barriers.

Each round has a barrier and each barrier a row of cells of its own: the signal is
``[2 * (nr - 1), nr]``. Within a round nobody writes the segment its right neighbour reads: rank r
writes segment q and the neighbour reads segment q + 1.

Every segment is added up along one path and then copied, so all ranks end with the same bits,
unlike in step 08. As in step 09, SIZE must be divisible by the rank count, and 8 ranks are the
limit.
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 64


def build_ring(nr):
    """The program for ``nr`` ranks."""
    segment = SIZE // nr
    rounds = nr - 1

    @pl.program
    class AllReduceRing:
        @pl.function(type=pl.FunctionType.InCore)
        def reduce_step(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[2 * (nr - 1), nr], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], pl.FP32]:
            ctx = pld.get_comm_ctx(data)
            my_rank = pld.rank(ctx)
            left = (my_rank + nr - 1) % nr

            mine = pl.load(x, [0, 0], [1, SIZE])
            data = pl.store(mine, [0, 0], data)

            # Reduce-scatter: add the left neighbour's partial sum of one segment to the own one.
            for step in pl.range(rounds):
                for peer in pl.range(nr):
                    if peer != my_rank:
                        pld.system.notify(
                            signal,
                            peer=peer,
                            offsets=[step, my_rank],
                            value=1,
                            op=pld.NotifyOp.AtomicAdd,
                        )
                for src in pl.range(nr):
                    if src != my_rank:
                        pld.system.wait(signal, offsets=[step, src], expected=1, cmp=pld.WaitCmp.Ge)

                # Adding 2 * nr keeps the dividend positive, see step 07.
                start = (my_rank + 2 * nr - step - 2) % nr * segment
                partial = pld.tile.remote_load(
                    data, peer=left, offsets=[0, start], shape=[1, segment]
                )
                own = pl.load(data, [0, start], [1, segment])
                data = pl.store(pl.add(own, partial), [0, start], data)

            # Allgather: take over the segment that the left neighbour finished last.
            for step in pl.range(rounds):
                for peer in pl.range(nr):
                    if peer != my_rank:
                        pld.system.notify(
                            signal,
                            peer=peer,
                            offsets=[rounds + step, my_rank],
                            value=1,
                            op=pld.NotifyOp.AtomicAdd,
                        )
                for src in pl.range(nr):
                    if src != my_rank:
                        pld.system.wait(
                            signal, offsets=[rounds + step, src], expected=1, cmp=pld.WaitCmp.Ge
                        )

                start = (my_rank + nr - step - 1) % nr * segment
                finished = pld.tile.remote_load(
                    data, peer=left, offsets=[0, start], shape=[1, segment]
                )
                data = pl.store(finished, [0, start], data)

            total = pl.load(data, [0, 0], [1, SIZE])
            y = pl.store(total, [0, 0], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[2 * (nr - 1), nr], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], pl.FP32]:
            return self.reduce_step(x, y, data, signal)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def on_host(
            self,
            x: pl.Tensor[[nr, 1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[nr, 1, SIZE], pl.FP32]],
        ):
            data_buffer = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
            signal_buffer = pld.alloc_window_buffer(2 * (nr - 1) * nr * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buffer, [1, SIZE], dtype=pl.FP32)
                signal = pld.window(signal_buffer, [2 * (nr - 1), nr], dtype=pl.INT32)
                self.on_chip(x[r], y[r], data, signal, device=r)

    return AllReduceRing


def parse_arguments():
    parser = argparse.ArgumentParser(description="allreduce by hand, ring")
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
        build_ring(nr),
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
