# devices: 0,1 | 0,1,2
import sys
import torch
import pypto.language as pl
import pypto.language.distributed as pld
from pypto import ir
from pypto.ir import DistributedConfig
import itertools

ROWS, COLS = 8, 64
NR = pl.dynamic("NR")

def build(kind, atomic, chunk, pipeline, dtype):
    at = pld.AtomicType.Add if atomic else pld.AtomicType.None_
    rows, cols = chunk
    @pl.program
    class Regions:
        @pl.function(type=pl.FunctionType.InCore)
        def k(self, x: pl.Tensor[[ROWS, COLS], dtype], y: pl.Out[pl.Tensor[[ROWS, COLS], dtype]], src: pl.InOut[pld.DistributedTensor[[ROWS, COLS], dtype]], dst: pl.InOut[pld.DistributedTensor[[ROWS, COLS], dtype]], sig: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]]):
            ctx = pld.get_comm_ctx(dst)
            me = pld.rank(ctx)
            n = pld.nranks(ctx)
            src = pl.store(pl.load(x, [0, 0], [ROWS, COLS]), [0, 0], src)
            dst = pl.store(pl.load(x, [0, 0], [ROWS, COLS]), [0, 0], dst)
            pld.tensor.barrier(sig)
            nxt = (me + 1) % n
            if kind == "put":
                pld.tensor.put(dst=dst, peer=nxt, src=src, dst_offsets=[4, 0], src_offsets=[0, 0], shape=[4, COLS], atomic=at, chunk_rows=rows, chunk_cols=cols, pipeline=pipeline)
            else:
                pld.tensor.get(dst, nxt, src, [4, 0], [0, 0], [4, COLS], chunk_rows=rows, chunk_cols=cols, pipeline=pipeline)
            pld.tensor.barrier(sig)
            y = pl.store(pl.load(dst, [0, 0], [ROWS, COLS]), [0, 0], y)
        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(self, x: pl.Tensor[[ROWS, COLS], dtype], y: pl.Out[pl.Tensor[[ROWS, COLS], dtype]], src: pl.InOut[pld.DistributedTensor[[ROWS, COLS], dtype]], dst: pl.InOut[pld.DistributedTensor[[ROWS, COLS], dtype]], sig: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]]):
            self.k(x, y, src, dst, sig)
        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(self, x: pl.Tensor[[NR, ROWS, COLS], dtype], y: pl.Out[pl.Tensor[[NR, ROWS, COLS], dtype]]):
            a = pld.alloc_window_buffer(ROWS * COLS * dtype.get_byte())
            b = pld.alloc_window_buffer(ROWS * COLS * dtype.get_byte())
            s = pld.alloc_window_buffer(NR * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                src = pld.window(a, [ROWS, COLS], dtype=dtype)
                dst = pld.window(b, [ROWS, COLS], dtype=dtype)
                sig = pld.window(s, [NR, 1], dtype=pl.INT32)
                self.chip(x[r], y[r], src, dst, sig, device=r)
    return Regions

ids = [int(i) for i in sys.argv[sys.argv.index("-d") + 1].split(",")]
n = len(ids)
cfg = DistributedConfig(device_ids=ids)
for kind, atomic, (chunk, pipe), (dt, tdt) in itertools.product(["put", "get"], [False, True], [((0, 0), False), ((2, 32), True), ((3, 64), False)], [(pl.FP32, torch.float32), (pl.INT32, torch.int32), (pl.BF16, torch.bfloat16)]):
    if kind == "get" and atomic:
        continue
    f = ir.compile(build(kind, atomic, chunk, pipe, dt), platform="a2a3sim", distributed_config=cfg)
    x = torch.randint(-8, 8, (n, ROWS, COLS)).to(tdt)
    y = torch.zeros(n, ROWS, COLS, dtype=tdt)
    f(x, y)
    golden = x.clone()
    for r in range(n):
        other = (r - 1) % n if kind == "put" else (r + 1) % n
        golden[r, 4:] = (x[r, 4:] + x[other, :4]) if atomic else x[other, :4]
    assert torch.equal(y, golden), f"{kind} {atomic} {chunk} {dt}"
print("OK")
