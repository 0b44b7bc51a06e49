"""A put whose staging tile is wider than the row: a device moves the neighbouring bytes too."""
# expect: REJECTED
# says: chunk_cols (32) is wider than the row of 16 elements
# hint: chunk_cols=16
# devices: 0,1,2,3

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 16


def build(nr):
    @pl.program
    class StageWiderThanRow:
        @pl.function(type=pl.FunctionType.InCore)
        def step(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, nr * SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[nr, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, nr * SIZE], pl.FP32]:
            ctx = pld.get_comm_ctx(data)
            my_rank = pld.rank(ctx)
            nranks = pld.nranks(ctx)

            for peer in pl.range(nranks):
                pld.tensor.put(
                    data,
                    peer=peer,
                    src=x,
                    dst_offsets=[my_rank, 0],
                    src_offsets=[0, 0],
                    shape=[1, SIZE],
                    chunk_rows=1,
                    chunk_cols=2 * SIZE,  # <- here: 2 *
                )

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
                y = pl.store(row, [0, src * SIZE], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, nr * SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[nr, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, nr * SIZE], pl.FP32]:
            return self.step(x, y, data, signal)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def on_host(
            self,
            x: pl.Tensor[[nr, 1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[nr, 1, nr * SIZE], pl.FP32]],
        ):
            data_buffer = pld.alloc_window_buffer(nr * SIZE * pl.FP32.get_byte())
            signal_buffer = pld.alloc_window_buffer(nr * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buffer, [nr, SIZE], dtype=pl.FP32)
                signal = pld.window(signal_buffer, [nr, 1], dtype=pl.INT32)
                self.on_chip(x[r], y[r], data, signal, device=r)

    return StageWiderThanRow


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1,2,3")
    args = parser.parse_args()
    device_ids = [int(d) for d in args.device.split(",")]
    nr = len(device_ids)
    compiled = ir.compile(
        build(nr),
        platform=args.platform,
        distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
    )
    x = torch.arange(nr * SIZE, dtype=torch.float32).reshape(nr, 1, SIZE) + 1
    y = torch.zeros((nr, 1, nr * SIZE), dtype=torch.float32)
    compiled(x, y)
    golden = torch.cat([x[r] for r in range(nr)], dim=1)
    for r in range(nr):
        assert torch.allclose(y[r], golden), f"rank {r} mismatch"
    print("OK")


if __name__ == "__main__":
    main()
