"""Step 08 - AllReduce by hand, mesh: everybody reads everybody and adds up.

    ./ringmaster run examples/ladder/08_allreduce_mesh.py -p a2a3sim -d 0,1,2,3

The shortest way to give every rank the sum over all ranks: stage the own row, pass a barrier,
pull the row of every peer and add it. One barrier; (P-1) * N bytes come in on every rank.

From here on programs are classes, and their windows may be shaped by the rank count. This one is
still written once for all counts: ``NR`` is bound when the tensors are passed.
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 64
NR = pl.dynamic("NR")


@pl.program
class AllReduceMesh:
    @pl.function(type=pl.FunctionType.InCore)
    def reduce_step(
        self,
        x: pl.Tensor[[1, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
        data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
        signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    ) -> pl.Tensor[[1, SIZE], pl.FP32]:
        ctx = pld.get_comm_ctx(data)
        my_rank = pld.rank(ctx)
        nranks = pld.nranks(ctx)

        # Stage.
        mine = pl.load(x, [0, 0], [1, SIZE])
        data = pl.store(mine, [0, 0], data)

        # Barrier: cell q of this rank belongs to rank q, so no two ranks write the same cell.
        for peer in pl.range(nranks):
            if peer != my_rank:
                pld.system.notify(
                    signal, peer=peer, offsets=[my_rank, 0], value=1, op=pld.NotifyOp.AtomicAdd
                )
        for src in pl.range(nranks):
            if src != my_rank:
                pld.system.wait(signal, offsets=[src, 0], expected=1, cmp=pld.WaitCmp.Ge)

        # Reduce: the own row first, then the peers in ascending order. The order differs from rank
        # to rank, so the last bit of a float sum may differ too.
        total = pl.load(data, [0, 0], [1, SIZE])
        for peer in pl.range(nranks):
            if peer != my_rank:
                theirs = pld.tile.remote_load(data, peer=peer, offsets=[0, 0], shape=[1, SIZE])
                total = pl.add(total, theirs)
        y = pl.store(total, [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def on_chip(
        self,
        x: pl.Tensor[[1, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
        data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
        signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    ) -> pl.Tensor[[1, SIZE], pl.FP32]:
        return self.reduce_step(x, y, data, signal)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def on_host(
        self,
        x: pl.Tensor[[NR, 1, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]],
    ):
        data_buffer = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
        signal_buffer = pld.alloc_window_buffer(NR * pl.INT32.get_byte())
        for r in pl.range(pld.world_size()):
            data = pld.window(data_buffer, [1, SIZE], dtype=pl.FP32)
            signal = pld.window(signal_buffer, [NR, 1], dtype=pl.INT32)
            self.on_chip(x[r], y[r], data, signal, device=r)


def parse_arguments():
    parser = argparse.ArgumentParser(description="allreduce by hand, mesh")
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

    compiled = ir.compile(
        AllReduceMesh,
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
