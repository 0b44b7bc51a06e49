"""A free function that passes on a window whose shape is known at run time only."""
# expect: REJECTED
# says: missing inferred tensor metadata for parameter 'signal'
# hint: pl.dynamic shape
# devices: 0,1

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import RunConfig

SIZE = 16
NR = pl.dynamic("NR")


@pl.jit.incore
def meet(
    x: pl.Tensor[[1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
    signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
):
    pld.tensor.barrier(signal)
    y = pl.store(pl.load(x, [0, 0], [1, SIZE]), [0, 0], y)
    return y


@pl.jit
def on_chip(
    x: pl.Tensor[[1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
    signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
):
    y = meet(x, y, signal)
    return y


@pl.jit.host
def on_host(
    x: pl.Tensor[[NR, 1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]],
):
    signal_buffer = pld.alloc_window_buffer(pld.world_size() * pl.INT32.get_byte())
    for r in pl.range(pld.world_size()):
        # [NR, 1] would do: the tensors of the call say what NR is. The annotation of on_chip
        # doesn't help, since shapes come from the arguments.
        signal = pld.window(signal_buffer, [pld.world_size(), 1], dtype=pl.INT32)
        on_chip(x[r], y[r], signal, device=r)  # <- here: signal


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1")
    args = parser.parse_args()
    ids = [int(d) for d in args.device.split(",")]

    x = torch.randn((len(ids), 1, SIZE))
    y = torch.zeros((len(ids), 1, SIZE))
    compiled = on_host.compile(
        x,
        y,
        config=RunConfig(
            platform=args.platform, distributed_config=DistributedConfig(device_ids=ids)
        ),
    )
    compiled(x, y)
    assert torch.allclose(y, x)
    print("OK")


if __name__ == "__main__":
    main()
