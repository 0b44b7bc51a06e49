# Free functions with windows: shapes named by a dynamic dim, one window under two shapes, a factory
# around the functions, a built-in collective in the host function and in a kernel.
# devices: 0,1 | 0,1,2 | 0,1,2,3,4
import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import RunConfig

NR = pl.dynamic("NR")


def build(size, by_kernel):
    half = size // 2

    @pl.jit.incore
    def stage(x: pl.Tensor[[1, size], pl.FP32], data: pl.InOut[pld.DistributedTensor]):
        # The window is the kernel's in the shape the host gave it.
        tile = pl.load(x, [0, 0], [1, size])
        if half > 8:
            data = pl.store(pl.mul(tile, 1.0), [0, 0], data)
        else:
            data = pl.store(tile, [0, 0], data)
        return data

    @pl.jit.incore
    def reduce(
        data: pl.InOut[pld.DistributedTensor[[1, size], pl.FP32]],
        signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    ):
        data = pld.tensor.allreduce(data, signal, op=pld.ReduceOp.Sum)
        return data

    @pl.jit.incore
    def fetch(
        data: pl.InOut[pld.DistributedTensor],
        y: pl.Out[pl.Tensor],
    ):
        cols = y.shape[1]
        for c in pl.range(0, cols, half):
            tile = pl.load(data, [0, c], [1, half])
            y = pl.store(tile, [0, c], y)
        return y

    @pl.jit
    def first(
        x: pl.Tensor,
        data: pl.InOut[pld.DistributedTensor],
        signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    ):
        data = stage(x, data)
        if by_kernel:
            data = reduce(data, signal)
        return data

    @pl.jit
    def second(data: pl.InOut[pld.DistributedTensor], y: pl.Out[pl.Tensor]):
        y = fetch(data, y)
        return y

    @pl.jit.host
    def host(
        x: pl.Tensor[[NR, 1, size], pl.FP32],
        y: pl.Out[pl.Tensor[[NR, 1, size], pl.FP32]],
    ):
        data_buffer = pld.alloc_window_buffer(size * pl.FP32.get_byte())
        signal_buffer = pld.alloc_window_buffer(NR * pl.INT32.get_byte())
        host_buffer = pld.alloc_window_buffer(pld.world_size() * pl.INT32.get_byte())
        for r in pl.range(pld.world_size()):
            data = pld.window(data_buffer, [1, size], dtype=pl.FP32)
            signal = pld.window(signal_buffer, [NR, 1], dtype=pl.INT32)
            first(x[r], data, signal, device=r)
        whole = pld.window(data_buffer, [1, size], dtype=pl.FP32)
        cells = pld.window(host_buffer, [pld.world_size()], dtype=pl.INT32)
        if by_kernel:
            pass
        else:
            pld.tensor.allreduce(whole, cells, op=pld.ReduceOp.Sum)
        for r in pl.range(pld.world_size()):
            data = pld.window(data_buffer, [1, size], dtype=pl.FP32)
            second(data, y[r], device=r)
        return y

    return host


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1")
    args = parser.parse_args()
    ids = [int(d) for d in args.device.split(",")]
    config = RunConfig(
        platform=args.platform, distributed_config=DistributedConfig(device_ids=ids)
    )
    for size, by_kernel in [(64, True), (16, True), (64, False)]:
        x = torch.randn((len(ids), 1, size))
        y = torch.zeros((len(ids), 1, size))
        compiled = build(size, by_kernel).compile(x, y, config=config)
        compiled(x, y)
        golden = x.sum(dim=0)
        for r in range(len(ids)):
            assert torch.allclose(y[r], golden, rtol=1e-4, atol=1e-4), f"rank {r}, {size}"
    print("OK")


if __name__ == "__main__":
    main()
