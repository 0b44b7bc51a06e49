"""Step 11 - AllReduce, built in: steps 08 and 10 are one call with a mode.

    ./ringmaster run examples/ladder/11_allreduce_builtin.py -p a2a3sim -d 0,1,2,3
    ./ringmaster run examples/ladder/11_allreduce_builtin.py -p a2a3sim -d 0,1,2,3 -- --mode ring

``pld.tensor.allreduce`` works in place on a staged window and leaves the sum there on every rank.
The mode chooses the schedule, and with it the layout of the signal: a column with one cell a rank
for ``mesh``, a row of cells for each round for ``ring``. One layout doesn't serve the other.

Two things the call does and the hand-written steps don't: it takes its credits back, so the
signal can be used again at once, and it has a barrier behind its reads, so the window can be
staged again at once. The built-in ring also copes with segments of different length, so any rank
count will do.
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 64


def build_allreduce(nr, mode):
    """The program for ``nr`` ranks."""
    if mode == "mesh":
        rows = nr
        columns = 1
    elif mode == "ring":
        rows = 2 * (nr - 1)
        columns = nr
    else:
        raise ValueError(f"unsupported mode {mode}")

    @pl.program
    class AllReduce:
        @pl.function(type=pl.FunctionType.InCore)
        def reduce_step(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[rows, columns], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], pl.FP32]:
            mine = pl.load(x, [0, 0], [1, SIZE])
            data = pl.store(mine, [0, 0], data)
            data = pld.tensor.allreduce(data, signal, op=pld.ReduceOp.Sum, mode=mode)
            total = pl.load(data, [0, 0], [1, SIZE])
            y = pl.store(total, [0, 0], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[rows, columns], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], pl.FP32]:
            return self.reduce_step(x, y, data, signal)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def on_host(
            self,
            x: pl.Tensor[[nr, 1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[nr, 1, SIZE], pl.FP32]],
        ):
            data_buffer = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
            signal_buffer = pld.alloc_window_buffer(rows * columns * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buffer, [1, SIZE], dtype=pl.FP32)
                signal = pld.window(signal_buffer, [rows, columns], dtype=pl.INT32)
                self.on_chip(x[r], y[r], data, signal, device=r)

    return AllReduce


def parse_arguments():
    parser = argparse.ArgumentParser(description="allreduce, built in")
    parser.add_argument(
        "-p", "--platform", default="a2a3sim", choices=["a2a3sim", "a2a3", "a5sim", "a5"]
    )
    parser.add_argument("-d", "--device", default="0,1,2,3", help="comma-separated device ids")
    parser.add_argument("--mode", default="mesh", choices=["mesh", "ring"])
    parser.add_argument("--compile-only", action="store_true")
    return parser.parse_args()


def main():
    args = parse_arguments()
    device_ids = [int(d) for d in args.device.split(",")]
    nr = len(device_ids)
    if nr < 2:
        raise SystemExit(f"need at least 2 devices, got {device_ids}")

    compiled = ir.compile(
        build_allreduce(nr, args.mode),
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
