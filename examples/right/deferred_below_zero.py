"""A deferred wait on a cell from which no more is taken back than was waited for."""
# devices: 0,1

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 16


def build(nr):
    @pl.program
    class DeferredBelowZero:
        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
            rank: pl.Scalar[pl.INT32],
        ) -> pl.Tensor[[1, SIZE], pl.FP32]:
            with pl.manual_scope():
                with pl.at(level=pl.Level.CORE_GROUP, name_hint="push") as sent:
                    row = pl.load(x, [0, 0], [1, SIZE])
                    pld.tile.remote_store(row, data, 1 - rank, [0, 0])
                    pld.system.notify(
                        signal, peer=1 - rank, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd
                    )
                with pl.at(level=pl.Level.CORE_GROUP, name_hint="arrived") as arrived:
                    pld.system.defer_wait(signal, [0, 0], 1, cmp=pld.WaitCmp.Ge)
                with pl.at(level=pl.Level.CORE_GROUP, name_hint="take", deps=[sent, arrived]):
                    y = pl.store(pl.load(data, [0, 0], [1, SIZE]), [0, 0], y)
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
                self.on_chip(x[r], y[r], data, signal, r, device=r)

    return DeferredBelowZero


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1")
    args = parser.parse_args()
    device_ids = [int(d) for d in args.device.split(",")]
    nr = len(device_ids)
    compiled = ir.compile(
        build(nr),
        platform=args.platform,
        distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
    )
    x = torch.arange(nr * SIZE, dtype=torch.float32).reshape(nr, 1, SIZE) + 1
    y = torch.zeros((nr, 1, SIZE), dtype=torch.float32)
    compiled(x, y)
    for r in range(nr):
        assert torch.allclose(y[r], x[1 - r]), f"rank {r} mismatch"
    print("OK")


if __name__ == "__main__":
    main()
