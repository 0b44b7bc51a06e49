"""Prefill/decode KV exchange: rank 0 (prefill) writes pages into rank 1's cache; rank 1 acknowledges."""

# devices: 0,1
import argparse
import itertools
import time

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

DTYPES = {"fp32": (pl.FP32, torch.float32), "fp16": (pl.FP16, torch.float16), "bf16": (pl.BF16, torch.bfloat16)}
PAGE, HD = 16, 128


def build(pages: int, dt):
    @pl.program
    class KVExchange:
        @pl.function(type=pl.FunctionType.InCore)
        def prefill(
            self,
            kv: pl.Tensor[[pages, PAGE, HD], dt],
            cache: pl.InOut[pld.DistributedTensor[[pages, PAGE, HD], dt]],
            ready: pl.InOut[pld.DistributedTensor[[pages, 1], pl.INT32]],
            ack: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
        ):
            for p in pl.range(pages):
                pld.tensor.put(
                    cache,
                    peer=1,
                    src=kv,
                    dst_offsets=[p, 0, 0],
                    src_offsets=[p, 0, 0],
                    shape=[1, PAGE, HD],
                )
                pld.system.notify(ready, peer=1, offsets=[p, 0], value=1, op=pld.NotifyOp.Set)
            pld.system.wait(ack, offsets=[0, 0], expected=pages, cmp=pld.WaitCmp.Ge)

        @pl.function(type=pl.FunctionType.InCore)
        def decode(
            self,
            out: pl.Out[pl.Tensor[[pages, PAGE, HD], dt]],
            cache: pl.InOut[pld.DistributedTensor[[pages, PAGE, HD], dt]],
            ready: pl.InOut[pld.DistributedTensor[[pages, 1], pl.INT32]],
            ack: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
        ):
            for p in pl.range(pages):
                pld.system.wait(ready, offsets=[p, 0], expected=1, cmp=pld.WaitCmp.Ge)
                t = pl.load(cache, [p, 0, 0], [1, PAGE, HD])
                out = pl.store(t, [p, 0, 0], out)
                pld.system.notify(ack, peer=0, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)

        @pl.function(type=pl.FunctionType.Orchestration)
        def prefill_orch(
            self,
            kv: pl.Tensor[[pages, PAGE, HD], dt],
            cache: pl.InOut[pld.DistributedTensor[[pages, PAGE, HD], dt]],
            ready: pl.InOut[pld.DistributedTensor[[pages, 1], pl.INT32]],
            ack: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
        ):
            self.prefill(kv, cache, ready, ack)

        @pl.function(type=pl.FunctionType.Orchestration)
        def decode_orch(
            self,
            out: pl.Out[pl.Tensor[[pages, PAGE, HD], dt]],
            cache: pl.InOut[pld.DistributedTensor[[pages, PAGE, HD], dt]],
            ready: pl.InOut[pld.DistributedTensor[[pages, 1], pl.INT32]],
            ack: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
        ):
            self.decode(out, cache, ready, ack)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            kv: pl.Tensor[[pages, PAGE, HD], dt],
            out: pl.Out[pl.Tensor[[pages, PAGE, HD], dt]],
        ):
            cb = pld.alloc_window_buffer(pages * PAGE * HD * dt.get_byte())
            rb = pld.alloc_window_buffer(pages * pl.INT32.get_byte())
            ab = pld.alloc_window_buffer(pl.INT32.get_byte())
            c0 = pld.window(cb, [pages, PAGE, HD], dtype=dt)
            r0 = pld.window(rb, [pages, 1], dtype=pl.INT32)
            a0 = pld.window(ab, [1, 1], dtype=pl.INT32)
            self.prefill_orch(kv, c0, r0, a0, device=0)
            c1 = pld.window(cb, [pages, PAGE, HD], dtype=dt)
            r1 = pld.window(rb, [pages, 1], dtype=pl.INT32)
            a1 = pld.window(ab, [1, 1], dtype=pl.INT32)
            self.decode_orch(out, c1, r1, a1, device=1)

    return KVExchange


def main():
    ap = argparse.ArgumentParser(prog="kv_exchange", epilog="two devices only")
    ap.add_argument("-p", "--platform", default="a2a3sim", metavar="PLATFORM")
    ap.add_argument("-d", "--device", default="0,1", required=False)
    ap.add_argument("-n", "--pages", type=int, nargs="?", const=8, default=4)
    ap.add_argument("--dtype", choices=sorted(DTYPES), default="fp32")
    ap.add_argument("--layers", type=int, nargs="+", default=[1])
    args, unknown = ap.parse_known_args()
    assert not unknown
    ids = [int(d) for d in args.device.split(",")]
    if len(ids) != 2:
        ap.error(f"need exactly 2 devices, got {ids}")
    dt, tdt = DTYPES[args.dtype]
    t0 = time.perf_counter()
    f = ir.compile(build(args.pages, dt), platform=args.platform, distributed_config=DistributedConfig(device_ids=ids))
    for layer, rep in itertools.product(args.layers, range(2)):
        kv = (torch.randn(args.pages, PAGE, HD) * layer).to(tdt)
        out = torch.zeros_like(kv)
        f(kv, out)
        assert torch.equal(out, kv), f"layer {layer} rep {rep}"
    print(f"took {time.perf_counter() - t0 >= 0}")
    print("OK")


if __name__ == "__main__":
    main()
