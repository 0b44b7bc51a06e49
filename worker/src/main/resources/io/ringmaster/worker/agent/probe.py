"""What a worker runs on devices on which something died: every rank adds up the rows of all.

It uses what kernels use - windows, notify and wait, loads from peers - and every value is known.
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 16
NR = pl.dynamic("NR")


@pl.program
class Probe:
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform")
    parser.add_argument("-d", "--device")
    args = parser.parse_args()
    device_ids = [int(d) for d in args.device.split(",")]
    nr = len(device_ids)
    compiled = ir.compile(
        Probe,
        platform=args.platform,
        distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
    )
    x = torch.stack([torch.full((1, SIZE), float(r + 1)) for r in range(nr)])
    y = torch.zeros((nr, 1, SIZE), dtype=torch.float32)
    compiled(x, y)
    golden = x.sum(dim=0)
    for r in range(nr):
        assert torch.allclose(y[r], golden)


if __name__ == "__main__":
    main()
