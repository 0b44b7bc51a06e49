"""Step 16 - Three collectives in one kernel: broadcast the weights, reduce, gather, scale.

    ./ringmaster run examples/ladder/16_putting_it_together.py -p a2a3sim -d 0,1,2,3

What a model does with its collectives, in small: the root's weights reach every rank (broadcast),
every rank gets the sum of the activations (allreduce) and all of them in rank order (allgather),
and the gathered rows are scaled by the shared weights.

``--signals shared`` hands one signal window to all three collectives. Each one takes its own credits
back before it returns, so the next finds the cells as it expects them; three windows are used by
default only to keep the three barriers apart in the report.
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 64
ROOT = 0


def build_composition(nr, shared_signal):
    """The program for ``nr`` ranks, with one signal window or three."""

    @pl.program
    class Composition:
        @pl.function(type=pl.FunctionType.InCore)
        def compose(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            weights: pl.Tensor[[1, SIZE], pl.FP32],
            reduced: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            gathered: pl.Out[pl.Tensor[[1, nr * SIZE], pl.FP32]],
            w_data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            sum_data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            all_data: pl.InOut[pld.DistributedTensor[[nr, SIZE], pl.FP32]],
            w_signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
            sum_signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
            all_signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, nr * SIZE], pl.FP32]:
            ctx = pld.get_comm_ctx(w_data)
            my_rank = pld.rank(ctx)
            nranks = pld.nranks(ctx)

            # The root's weights, on every rank. Only the root stages.
            if my_rank == ROOT:
                root_w = pl.load(weights, [0, 0], [1, SIZE])
                w_data = pl.store(root_w, [0, 0], w_data)
            w_data = pld.tensor.broadcast(w_data, w_signal, root=ROOT)
            w = pl.load(w_data, [0, 0], [1, SIZE])

            # The sum over ranks, on every rank.
            mine = pl.load(x, [0, 0], [1, SIZE])
            sum_data = pl.store(mine, [0, 0], sum_data)
            sum_data = pld.tensor.allreduce(
                sum_data, sum_signal, op=pld.ReduceOp.Sum, mode="mesh"
            )
            total = pl.load(sum_data, [0, 0], [1, SIZE])
            reduced = pl.store(total, [0, 0], reduced)

            # All slices in rank order, scaled by the shared weights.
            all_data = pld.tensor.allgather(x, all_data, all_signal)
            for src in pl.range(nranks):
                row = pl.load(all_data, [src, 0], [1, SIZE])
                scaled = pl.mul(row, w)
                gathered = pl.store(scaled, [0, src * SIZE], gathered)
            return gathered

        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            weights: pl.Tensor[[1, SIZE], pl.FP32],
            reduced: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            gathered: pl.Out[pl.Tensor[[1, nr * SIZE], pl.FP32]],
            w_data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            sum_data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            all_data: pl.InOut[pld.DistributedTensor[[nr, SIZE], pl.FP32]],
            w_signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
            sum_signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
            all_signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, nr * SIZE], pl.FP32]:
            return self.compose(
                x,
                weights,
                reduced,
                gathered,
                w_data,
                sum_data,
                all_data,
                w_signal,
                sum_signal,
                all_signal,
            )

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def on_host(
            self,
            x: pl.Tensor[[nr, 1, SIZE], pl.FP32],
            weights: pl.Tensor[[1, SIZE], pl.FP32],
            reduced: pl.Out[pl.Tensor[[nr, 1, SIZE], pl.FP32]],
            gathered: pl.Out[pl.Tensor[[nr, 1, nr * SIZE], pl.FP32]],
        ):
            w_buffer = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
            sum_buffer = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
            all_buffer = pld.alloc_window_buffer(nr * SIZE * pl.FP32.get_byte())
            w_cells = pld.alloc_window_buffer(nr * pl.INT32.get_byte())
            sum_cells = pld.alloc_window_buffer(nr * pl.INT32.get_byte())
            all_cells = pld.alloc_window_buffer(nr * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                w_data = pld.window(w_buffer, [1, SIZE], dtype=pl.FP32)
                sum_data = pld.window(sum_buffer, [1, SIZE], dtype=pl.FP32)
                all_data = pld.window(all_buffer, [nr, SIZE], dtype=pl.FP32)
                w_signal = pld.window(w_cells, [nr, 1], dtype=pl.INT32)
                sum_signal = pld.window(sum_cells, [nr, 1], dtype=pl.INT32)
                all_signal = pld.window(all_cells, [nr, 1], dtype=pl.INT32)
                if shared_signal:
                    self.on_chip(
                        x[r],
                        weights,
                        reduced[r],
                        gathered[r],
                        w_data,
                        sum_data,
                        all_data,
                        w_signal,
                        w_signal,
                        w_signal,
                        device=r,
                    )
                else:
                    self.on_chip(
                        x[r],
                        weights,
                        reduced[r],
                        gathered[r],
                        w_data,
                        sum_data,
                        all_data,
                        w_signal,
                        sum_signal,
                        all_signal,
                        device=r,
                    )

    return Composition


def parse_arguments():
    parser = argparse.ArgumentParser(description="broadcast, allreduce and allgather in one kernel")
    parser.add_argument(
        "-p", "--platform", default="a2a3sim", choices=["a2a3sim", "a2a3", "a5sim", "a5"]
    )
    parser.add_argument("-d", "--device", default="0,1", help="comma-separated device ids")
    parser.add_argument("--signals", default="apart", choices=["apart", "shared"])
    parser.add_argument("--compile-only", action="store_true")
    return parser.parse_args()


def main():
    args = parse_arguments()
    device_ids = [int(d) for d in args.device.split(",")]
    nr = len(device_ids)
    if nr < 2:
        raise SystemExit(f"need at least 2 devices, got {device_ids}")

    compiled = ir.compile(
        build_composition(nr, args.signals == "shared"),
        platform=args.platform,
        distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
    )
    if args.compile_only:
        print(f"compile_only done: {compiled.output_dir}")
        return

    x = torch.stack([torch.randn((1, SIZE), dtype=torch.float32) for _ in range(nr)])
    weights = torch.randn((1, SIZE), dtype=torch.float32)
    reduced = torch.zeros((nr, 1, SIZE), dtype=torch.float32)
    gathered = torch.zeros((nr, 1, nr * SIZE), dtype=torch.float32)
    compiled(x, weights, reduced, gathered)

    golden_sum = x.sum(dim=0)
    golden_rows = torch.cat([x[r] * weights for r in range(nr)], dim=1)
    for r in range(nr):
        assert torch.allclose(reduced[r], golden_sum, rtol=1e-5, atol=1e-5), (
            f"rank {r}: allreduce mismatch: max diff = {(reduced[r] - golden_sum).abs().max().item()}"
        )
        assert torch.allclose(gathered[r], golden_rows, rtol=1e-5, atol=1e-5), (
            f"rank {r}: gather mismatch: max diff = {(gathered[r] - golden_rows).abs().max().item()}"
        )
    print("OK")


if __name__ == "__main__":
    main()
