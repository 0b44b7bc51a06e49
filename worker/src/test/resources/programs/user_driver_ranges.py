"""Driver accepts 0-3 style device ranges, env overrides and subcommand-less flags."""

# devices: 0,1 | 0,1,2,3
import argparse
import os
import sys

import torch

import pypto.language as pl
import pypto.language.distributed as pld
from pypto import ir
from pypto.ir import DistributedConfig

N = int(os.environ.get("ROW", "64"))
DEBUG = os.getenv("DEBUG", "0") == "1"
__all__ = ["main", "make_program"]


def parse_devices(text: str) -> list:
    """Parse ``0,1``, ``0-3`` and ``0,2-4``."""
    out = []
    for part in text.split(","):
        part = part.strip()
        if not part:
            continue
        if "-" in part:
            lo, hi = part.split("-", 1)
            out.extend(range(int(lo), int(hi) + 1))
        else:
            out.append(int(part))
    if len(set(out)) != len(out):
        raise argparse.ArgumentTypeError(f"duplicate ids in {text!r}")
    return out


def make_program(world: int, op_name: str = "sum"):
    op = {"sum": pld.ReduceOp.Sum, "max": pld.ReduceOp.Max}[op_name]
    signal_shape = [world, 1]
    data_shape = (1, N)

    @pl.program
    class P:
        """class docstring"""

        helper_value = 3

        def not_decorated(self):
            return 1 + 1

        @pl.function(type=pl.FunctionType.InCore)
        def kern(
            self,
            x: pl.Tensor[data_shape, pl.FP32],
            y: pl.Out[pl.Tensor[data_shape, pl.FP32]],
            d: pl.InOut[pld.DistributedTensor[data_shape, pl.FP32]],
            s: pl.InOut[pld.DistributedTensor[signal_shape, pl.INT32]],
        ) -> pl.Tensor[data_shape, pl.FP32]:
            d = pl.store(pl.load(x, [0, 0], [1, N]), [0, 0], d)
            d = pld.tensor.allreduce(d, s, op=op)
            y = pl.store(pl.load(d, [0, 0], [1, N]), [0, 0], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def orch(
            self,
            x: pl.Tensor[data_shape, pl.FP32],
            y: pl.Out[pl.Tensor[data_shape, pl.FP32]],
            d: pl.InOut[pld.DistributedTensor[data_shape, pl.FP32]],
            s: pl.InOut[pld.DistributedTensor[signal_shape, pl.INT32]],
        ) -> pl.Tensor[data_shape, pl.FP32]:
            return self.kern(x, y, d, s)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            x: pl.Tensor[[world, 1, N], pl.FP32],
            y: pl.Out[pl.Tensor[[world, 1, N], pl.FP32]],
        ):
            d_buf = pld.alloc_window_buffer(N * pl.FP32.get_byte())
            s_buf = pld.alloc_window_buffer(world * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                d = pld.window(d_buf, data_shape, dtype=pl.FP32)
                s = pld.window(s_buf, signal_shape, dtype=pl.INT32)
                self.orch(x[r], y[r], d, s, device=r)

    return P


def check(name, got, want, *, rtol=1e-5, atol=1e-5):
    ok = torch.allclose(got, want, rtol=rtol, atol=atol)
    if DEBUG or not ok:
        print(f"{name}: {'ok' if ok else 'FAIL'}", file=sys.stderr)
    return ok


def main(argv=None):
    parser = argparse.ArgumentParser(
        description="allreduce",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("-p", "--platform", default=os.environ.get("PLATFORM", "a2a3sim"), choices=["a2a3sim", "a2a3", "a5sim", "a5"])
    parser.add_argument("-d", "--device", "--devices", dest="devices", type=parse_devices, default="0,1")
    parser.add_argument("--op", choices=("sum", "max"), default="sum")
    args = parser.parse_args(argv)
    world = len(args.devices)
    prog = make_program(world, op_name=args.op)
    exe = ir.compile(
        prog,
        platform=args.platform,
        dump_passes=False,
        distributed_config=DistributedConfig(
            device_ids=args.devices,
            num_sub_workers=0,
        ),
    )
    failures = 0
    for seed in (0, 1):
        torch.manual_seed(seed)
        x = torch.stack([torch.randn(1, N) for _ in range(world)], dim=0)
        y = torch.full_like(x, float("nan"))
        exe(x, y)
        want = x.sum(0) if args.op == "sum" else x.max(dim=0)[0]
        failures += sum(not check(f"rank {r}", y[r], want) for r in range(world))
    if failures:
        print("FAILED")
        return 1
    print("OK")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
