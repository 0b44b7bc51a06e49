"""One collective written by hand, as a call in the kernel and as a call on the host: the same bits come out.

Arguments: --collective, --size (elements a rank), --dtype, --op, --seed.
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

DTYPES = {"fp32": (pl.FP32, torch.float32), "fp16": (pl.FP16, torch.float16)}
OPS = {
    "sum": pld.ReduceOp.Sum,
    "max": pld.ReduceOp.Max,
    "min": pld.ReduceOp.Min,
    "prod": pld.ReduceOp.Prod,
}


def build(collective, rail, nr, size, dtype, op, root):
    """A program in which every rank puts in ``[nr, size]`` and gets ``[nr, size]`` back."""
    host_rail = rail == "host"
    builtin = rail == "kernel"
    reduce_op = OPS[op]

    @pl.program
    class Collective:
        @pl.function(type=pl.FunctionType.InCore)
        def stage(
            self,
            x: pl.Tensor[[nr, size], dtype],
            rows: pl.InOut[pld.DistributedTensor[[nr, size], dtype]],
            row: pl.InOut[pld.DistributedTensor[[1, size], dtype]],
        ):
            for i in pl.range(nr):
                t = pl.load(x, [i, 0], [1, size])
                rows = pl.store(t, [i, 0], rows)
            first = pl.load(x, [0, 0], [1, size])
            row = pl.store(first, [0, 0], row)

        @pl.function(type=pl.FunctionType.InCore)
        def take(
            self,
            rows: pld.DistributedTensor[[nr, size], dtype],
            y: pl.Out[pl.Tensor[[nr, size], dtype]],
        ) -> pl.Tensor[[nr, size], dtype]:
            for i in pl.range(nr):
                y = pl.store(pl.load(rows, [i, 0], [1, size]), [i, 0], y)
            return y

        @pl.function(type=pl.FunctionType.InCore)
        def take_own(
            self,
            rows: pld.DistributedTensor[[nr, size], dtype],
            y: pl.Out[pl.Tensor[[nr, size], dtype]],
        ) -> pl.Tensor[[nr, size], dtype]:
            me = pld.rank(pld.get_comm_ctx(rows))
            y = pl.store(pl.load(rows, [me, 0], [1, size]), [0, 0], y)
            return y

        @pl.function(type=pl.FunctionType.InCore)
        def meet(
            self,
            s: pld.DistributedTensor[[nr, 1], pl.INT32],
            turn: pl.Scalar[pl.INT32],
        ):
            me = pld.rank(pld.get_comm_ctx(s))
            for p in pl.range(nr):
                if p != me:
                    pld.system.notify(s, p, [me, 0], 1, op=pld.NotifyOp.AtomicAdd)
            for p in pl.range(nr):
                if p != me:
                    pld.system.wait(s, [p, 0], turn, cmp=pld.WaitCmp.Ge)

        @pl.function(type=pl.FunctionType.InCore)
        def by_hand(
            self,
            x: pl.Tensor[[nr, size], dtype],
            y: pl.Out[pl.Tensor[[nr, size], dtype]],
            rows: pl.InOut[pld.DistributedTensor[[nr, size], dtype]],
        ) -> pl.Tensor[[nr, size], dtype]:
            me = pld.rank(pld.get_comm_ctx(rows))
            if collective == "allgather":
                for p in pl.range(nr):
                    t = pld.tile.remote_load(rows, p, [0, 0], [1, size])
                    y = pl.store(t, [p, 0], y)
            elif collective == "all_to_all":
                for p in pl.range(nr):
                    t = pld.tile.remote_load(rows, p, [me, 0], [1, size])
                    y = pl.store(t, [p, 0], y)
            elif collective == "broadcast":
                for i in pl.range(nr):
                    t = pld.tile.remote_load(rows, root, [i, 0], [1, size])
                    y = pl.store(t, [i, 0], y)
            elif collective == "reduce_scatter":
                acc = pl.load(rows, [me, 0], [1, size])
                for p in pl.range(nr):
                    if p != me:
                        acc = pl.add(acc, pld.tile.remote_load(rows, p, [me, 0], [1, size]))
                y = pl.store(acc, [0, 0], y)
            else:
                for i in pl.range(nr):
                    part = pl.load(rows, [i, 0], [1, size])
                    for p in pl.range(nr):
                        if p != me:
                            other = pld.tile.remote_load(rows, p, [i, 0], [1, size])
                            if op == "sum":
                                part = pl.add(part, other)
                            elif op == "max":
                                part = pl.maximum(part, other)
                            elif op == "min":
                                part = pl.minimum(part, other)
                            else:
                                part = pl.mul(part, other)
                    y = pl.store(part, [i, 0], y)
            return y

        @pl.function(type=pl.FunctionType.InCore)
        def by_call(
            self,
            x: pl.Tensor[[nr, size], dtype],
            rows: pl.InOut[pld.DistributedTensor[[nr, size], dtype]],
            full: pl.InOut[pld.DistributedTensor[[nr, size], dtype]],
            s: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ):
            if collective == "allgather":
                mine = pl.slice(x, [1, size], [0, 0])
                full = pld.tensor.allgather(mine, full, s)
            elif collective == "all_to_all":
                full = pld.tensor.all_to_all(x, full, s)
            elif collective == "broadcast":
                rows = pld.tensor.broadcast(rows, s, root=root)
            elif collective == "reduce_scatter":
                rows = pld.tensor.reduce_scatter(rows, s, op=pld.ReduceOp.Sum)
            else:
                rows = pld.tensor.allreduce(rows, s, op=reduce_op)

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip_stage(
            self,
            x: pl.Tensor[[nr, size], dtype],
            rows: pl.InOut[pld.DistributedTensor[[nr, size], dtype]],
            row: pl.InOut[pld.DistributedTensor[[1, size], dtype]],
        ):
            self.stage(x, rows, row)

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip_hand(
            self,
            x: pl.Tensor[[nr, size], dtype],
            y: pl.Out[pl.Tensor[[nr, size], dtype]],
            rows: pl.InOut[pld.DistributedTensor[[nr, size], dtype]],
            s: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ):
            self.meet(s, 1)
            self.by_hand(x, y, rows)
            self.meet(s, 2)

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip_call(
            self,
            x: pl.Tensor[[nr, size], dtype],
            rows: pl.InOut[pld.DistributedTensor[[nr, size], dtype]],
            full: pl.InOut[pld.DistributedTensor[[nr, size], dtype]],
            s: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ):
            self.by_call(x, rows, full, s)

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip_take(
            self,
            rows: pld.DistributedTensor[[nr, size], dtype],
            full: pld.DistributedTensor[[nr, size], dtype],
            y: pl.Out[pl.Tensor[[nr, size], dtype]],
        ):
            if collective == "reduce_scatter":
                self.take_own(rows, y)
            elif collective == "allgather" or collective == "all_to_all":
                self.take(full, y)
            else:
                self.take(rows, y)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            x: pl.Tensor[[nr, nr, size], dtype],
            y: pl.Out[pl.Tensor[[nr, nr, size], dtype]],
        ):
            rows_buf = pld.alloc_window_buffer([nr, size], dtype=dtype)
            full_buf = pld.alloc_window_buffer([nr, size], dtype=dtype)
            row_buf = pld.alloc_window_buffer([1, size], dtype=dtype)
            cells = pld.alloc_window_buffer([nr, 1], dtype=pl.INT32)
            for r in pl.range(pld.world_size()):
                rows = pld.window(rows_buf, [nr, size], dtype=dtype)
                row = pld.window(row_buf, [1, size], dtype=dtype)
                self.chip_stage(x[r], rows, row, device=r)
            if host_rail:
                rows = pld.window(rows_buf, [nr, size], dtype=dtype)
                full = pld.window(full_buf, [nr, size], dtype=dtype)
                row = pld.window(row_buf, [1, size], dtype=dtype)
                line = pld.window(cells, [nr], dtype=pl.INT32)
                if collective == "allgather":
                    full = pld.tensor.allgather(row, full, line)
                elif collective == "all_to_all":
                    full = pld.tensor.all_to_all(rows, full, line)
                elif collective == "broadcast":
                    pld.tensor.broadcast(rows, line, root=root)
                elif collective == "reduce_scatter":
                    pld.tensor.reduce_scatter(rows, line, op=pld.ReduceOp.Sum)
                else:
                    rows = pld.tensor.allreduce(rows, line, op=reduce_op)
            for r in pl.range(pld.world_size()):
                rows = pld.window(rows_buf, [nr, size], dtype=dtype)
                full = pld.window(full_buf, [nr, size], dtype=dtype)
                s = pld.window(cells, [nr, 1], dtype=pl.INT32)
                if host_rail:
                    self.chip_take(rows, full, y[r], device=r)
                elif builtin:
                    self.chip_call(x[r], rows, full, s, device=r)
                else:
                    self.chip_hand(x[r], y[r], rows, s, device=r)
            if builtin:
                for r in pl.range(pld.world_size()):
                    rows = pld.window(rows_buf, [nr, size], dtype=dtype)
                    full = pld.window(full_buf, [nr, size], dtype=dtype)
                    self.chip_take(rows, full, y[r], device=r)

    return Collective


def golden(collective, op, x, root):
    """What ``[nr, nr, size]`` turns into."""
    nr = x.shape[0]
    if collective == "allgather":
        return x[:, 0].expand(nr, nr, x.shape[2])
    if collective == "all_to_all":
        return x.transpose(0, 1)
    if collective == "broadcast":
        return x[root : root + 1].expand(nr, nr, x.shape[2])
    if collective == "reduce_scatter":
        out = torch.zeros_like(x)
        out[:, 0] = x.sum(dim=0)
        return out
    return {"sum": x.sum(dim=0), "max": x.amax(dim=0), "min": x.amin(dim=0), "prod": x.prod(dim=0)}[op].expand(
        nr, nr, x.shape[2]
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1")
    parser.add_argument("--collective", default="allreduce")
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--dtype", default="fp32", choices=sorted(DTYPES))
    parser.add_argument("--op", default="sum", choices=sorted(OPS))
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    ids = [int(d) for d in args.device.split(",")]
    nr = len(ids)
    dtype, host_dtype = DTYPES[args.dtype]
    root = args.seed % nr
    torch.manual_seed(args.seed)
    x = (torch.rand(nr, nr, args.size) * 0.5 + 0.75).to(host_dtype)
    rails = ["hand", "kernel"]
    if args.dtype == "fp32" or args.collective == "allreduce":
        rails.append("host")
    results = {}
    for rail in rails:
        program = build(args.collective, rail, nr, args.size, dtype, args.op, root)
        compiled = ir.compile(
            program, platform=args.platform, distributed_config=DistributedConfig(device_ids=ids)
        )
        y = torch.zeros(nr, nr, args.size, dtype=host_dtype)
        compiled(x, y)
        tolerance = 1e-4 if args.dtype == "fp32" else 3e-2
        want = golden(args.collective, args.op, x.float(), root)
        torch.testing.assert_close(y.float(), want, rtol=tolerance, atol=tolerance)
        results[rail] = y
    for rail in rails[1:]:
        assert torch.equal(results[rail], results["hand"]), rail
    print("OK")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
