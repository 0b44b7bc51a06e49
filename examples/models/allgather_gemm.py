"""AllGather-GEMM: multiply by the gathered matrix while it is still being gathered.

    ./ringmaster run examples/models/allgather_gemm.py -p a2a3sim -d 0,1
    ./ringmaster run examples/models/allgather_gemm.py -p a2a3sim -d 0,1,2,3

A column-parallel layer: every rank holds ROWS rows of the activations and its own columns of the
weights, and needs all activations times its columns. The plain way is an allgather followed by a
matrix product. Here the product doesn't wait for the gather:

* ``share`` pushes the own rows to every rank and notifies each one, so that every receiver has one
  cell a sender;
* ``multiply`` goes through the senders, starting with itself and going backwards around the circle,
  and waits only for the one whose rows it needs now. While it multiplies, the others' rows arrive.

There is no barrier anywhere: the order it would give between all ranks isn't needed.

The two are separate kernels because one moves data with the vector core and the other computes on
the matrix core. A notify in a kernel that used both would be sent by both.
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

ROWS = 64  # activation rows of each rank
INNER = 256  # features
STEP = 128  # features multiplied at once: what the matrix core's operand memories hold
COLS = 128  # weight columns of each rank


def build_allgather_gemm(nr):
    """The program for ``nr`` ranks."""

    @pl.program
    class AllGatherGemm:
        @pl.function(type=pl.FunctionType.InCore)
        def share(
            self,
            x: pl.Tensor[[ROWS, INNER], pl.FP16],
            gathered: pl.InOut[pld.DistributedTensor[[nr * ROWS, INNER], pl.FP16]],
            arrived: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> tuple[
            pld.DistributedTensor[[nr * ROWS, INNER], pl.FP16],
            pld.DistributedTensor[[nr, 1], pl.INT32],
        ]:
            ctx = pld.get_comm_ctx(gathered)
            my_rank = pld.rank(ctx)
            nranks = pld.nranks(ctx)

            # The own block first, because it is the first one multiplied. Then each rank begins
            # with another peer, so that they don't all push to the same one at a time.
            for turn in pl.range(nranks):
                peer = (my_rank + turn) % nranks
                pld.tensor.put(
                    gathered,
                    peer=peer,
                    src=x,
                    dst_offsets=[my_rank * ROWS, 0],
                    src_offsets=[0, 0],
                    shape=[ROWS, INNER],
                )
                if peer != my_rank:
                    pld.system.notify(
                        arrived, peer=peer, offsets=[my_rank, 0], value=1, op=pld.NotifyOp.AtomicAdd
                    )
            return gathered, arrived

        @pl.function(type=pl.FunctionType.InCore)
        def multiply(
            self,
            w: pl.Tensor[[INNER, COLS], pl.FP16],
            y: pl.Out[pl.Tensor[[nr * ROWS, COLS], pl.FP32]],
            gathered: pld.DistributedTensor[[nr * ROWS, INNER], pl.FP16],
            arrived: pld.DistributedTensor[[nr, 1], pl.INT32],
        ) -> pl.Tensor[[nr * ROWS, COLS], pl.FP32]:
            ctx = pld.get_comm_ctx(gathered)
            my_rank = pld.rank(ctx)
            nranks = pld.nranks(ctx)

            for turn in pl.range(nranks):
                # Senders in the order in which they get round to this rank: the rank before this
                # one pushes here second, the one before that third.
                src = (my_rank + nranks - turn) % nranks
                if src != my_rank:
                    pld.system.wait(arrived, offsets=[src, 0], expected=1, cmp=pld.WaitCmp.Ge)

                first = src * ROWS
                a = pl.load(gathered, [first, 0], [ROWS, STEP], target_memory=pl.MemorySpace.Mat)
                b = pl.load(w, [0, 0], [STEP, COLS], target_memory=pl.MemorySpace.Mat)
                left = pl.move(a, target_memory=pl.MemorySpace.Left)
                right = pl.move(b, target_memory=pl.MemorySpace.Right)
                product = pl.matmul(left, right)
                for k in pl.range(1, INNER // STEP):
                    a_next = pl.load(
                        gathered, [first, k * STEP], [ROWS, STEP], target_memory=pl.MemorySpace.Mat
                    )
                    b_next = pl.load(
                        w, [k * STEP, 0], [STEP, COLS], target_memory=pl.MemorySpace.Mat
                    )
                    left_next = pl.move(a_next, target_memory=pl.MemorySpace.Left)
                    right_next = pl.move(b_next, target_memory=pl.MemorySpace.Right)
                    product = pl.matmul_acc(product, left_next, right_next)
                y = pl.store(product, [first, 0], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(
            self,
            x: pl.Tensor[[ROWS, INNER], pl.FP16],
            w: pl.Tensor[[INNER, COLS], pl.FP16],
            y: pl.Out[pl.Tensor[[nr * ROWS, COLS], pl.FP32]],
            gathered: pl.InOut[pld.DistributedTensor[[nr * ROWS, INNER], pl.FP16]],
            arrived: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[nr * ROWS, COLS], pl.FP32]:
            gathered, arrived = self.share(x, gathered, arrived)
            return self.multiply(w, y, gathered, arrived)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def on_host(
            self,
            x: pl.Tensor[[nr, ROWS, INNER], pl.FP16],
            w: pl.Tensor[[nr, INNER, COLS], pl.FP16],
            y: pl.Out[pl.Tensor[[nr, nr * ROWS, COLS], pl.FP32]],
        ):
            gathered_buffer = pld.alloc_window_buffer(nr * ROWS * INNER * pl.FP16.get_byte())
            arrived_buffer = pld.alloc_window_buffer(nr * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                gathered = pld.window(gathered_buffer, [nr * ROWS, INNER], dtype=pl.FP16)
                arrived = pld.window(arrived_buffer, [nr, 1], dtype=pl.INT32)
                self.on_chip(x[r], w[r], y[r], gathered, arrived, device=r)

    return AllGatherGemm


def parse_arguments():
    parser = argparse.ArgumentParser(description="allgather overlapped with a matrix product")
    parser.add_argument(
        "-p", "--platform", default="a2a3sim", choices=["a2a3sim", "a2a3", "a5sim", "a5"]
    )
    parser.add_argument("-d", "--device", default="0,1", help="comma-separated device ids")
    parser.add_argument("--compile-only", action="store_true")
    return parser.parse_args()


def main():
    args = parse_arguments()
    device_ids = [int(d) for d in args.device.split(",")]
    nr = len(device_ids)
    if nr < 2:
        raise SystemExit(f"need at least 2 devices, got {device_ids}")

    compiled = ir.compile(
        build_allgather_gemm(nr),
        platform=args.platform,
        distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
    )
    if args.compile_only:
        print(f"compile_only done: {compiled.output_dir}")
        return

    x = torch.randn((nr, ROWS, INNER), dtype=torch.float32).to(torch.float16)
    w = torch.randn((nr, INNER, COLS), dtype=torch.float32).to(torch.float16)
    y = torch.zeros((nr, nr * ROWS, COLS), dtype=torch.float32)
    compiled(x, w, y)

    # Half-precision factors, single-precision sums, as on the matrix core.
    rows = torch.cat([x[r] for r in range(nr)], dim=0).to(torch.float32)
    for r in range(nr):
        golden = torch.matmul(rows, w[r].to(torch.float32))
        diff = (y[r] - golden).abs().max().item()
        assert torch.allclose(y[r], golden, rtol=1e-3, atol=1e-3), (
            f"rank {r} mismatch: max diff = {diff}"
        )
    print("OK")


if __name__ == "__main__":
    main()
