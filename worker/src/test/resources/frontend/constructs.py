import pypto.language as pl
import pypto.language.distributed as pld
from pypto.language import FP32
SIZE = 64
N = 4
NR = pl.dynamic("NR")
DT = pl.FP32
REDUCE = pld.ReduceOp.Max
MODE = "ring"
DIMS = [1, 64]
FLAG = True

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def two(self, x: pl.Tensor[DIMS, DT], a: pl.Out[pl.Tensor[[1, SIZE], FP32]], b: pl.Out[pl.Tensor[[1, SIZE], FP32]]) -> tuple[pl.Tensor[[1, SIZE], FP32], pl.Tensor[[1, SIZE], FP32]]:
        t = pl.load(x, [0, 0], DIMS)
        a = pl.store(t, offsets=[0, 0], output_tensor=a)
        b = pl.store(pl.mul(pl.exp(t), 2), [0, 0], b)
        return a, b

    @pl.function(type=pl.FunctionType.InCore)
    def misc(self, x: pl.Tensor[[NR, SIZE], FP32], y: pl.Out[pl.Tensor[[NR, SIZE], FP32]], ints: pl.InOut[pl.Tensor[[8], pl.INT32]],
             w: pld.DistributedTensor[[NR, SIZE], FP32], s: pld.DistributedTensor[[2 * (NR - 1), NR], pl.INT32], k: pl.Scalar[pl.INT32]):
        """Docstring."""
        ctx = pld.get_comm_ctx(w)
        me = pld.rank(ctx)
        n = pld.nranks(ctx)
        left = (me - 1 + n) % n
        bad = (me - 1) % n
        acc: pl.Tile[[1, SIZE], FP32] = pl.tile.full([1, SIZE], dtype=FP32, value=0)
        for i in pl.range(NR):
            acc = pl.add(acc, pl.load(x, [i, 0], [1, SIZE]))
        for i, (c, d) in pl.range(1, n, init_values=(k, 0)):
            c1 = c + 1
            r1, r2 = pl.yield_(pl.cast(c1, pl.INT32), d + i)
        cnt: pl.Scalar[pl.INT32] = 0
        arr = pl.array.create(4, pl.INT32)
        arr[0] = 5
        v = arr[0] + r2
        for u in pl.unroll(2):
            row = x[u:u + 1, :]
            y[u:u + 1, 0:SIZE] = row
        if k == 1 and me != 0 or not FLAG:
            z = pl.load(w, [me, 0], [1, SIZE], valid_shape=[1, k])
        elif k == 2:
            z = pl.load(w, [left, 0], [1, SIZE])
        else:
            z = acc
        y = pl.store(z, [me, 0], y)
        m = pl.min(pl.max(k, 1), 7)
        e = pl.read(ints, m)
        pl.write(ints, [m], e)
        pld.system.notify(s, left, [0, me], 1, op=pld.NotifyOp.AtomicAdd)
        pld.tensor.put(w, left, x, dst_offsets=[me, 0], src_offsets=[0, 0], shape=[1, SIZE], atomic=pld.AtomicType.Add)
        pld.tensor.get(y, peer=left, src=w, chunk_rows=1)
        w = pld.tensor.allreduce(w, s, op=REDUCE, mode=MODE)
        while pl.read(ints, 0) < 3:
            pl.write(ints, 0, pl.const(3, pl.INT32))
            if k == 3:
                break
        if me == 0:
            return
        q = x[0, 3]
        pl.write(ints, [0], pl.cast(q, pl.INT32))

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, x: pl.Tensor[[NR, SIZE], FP32], y: pl.Out[pl.Tensor[[NR, SIZE], FP32]], a: pl.Out[pl.Tensor[[1, SIZE], FP32]],
             w: pl.InOut[pld.DistributedTensor[[NR, SIZE], FP32]], s: pl.InOut[pld.DistributedTensor[[2 * (NR - 1), NR], pl.INT32]], k: pl.Scalar[pl.INT32]):
        tmp = pl.create_tensor([1, SIZE], dtype=FP32)
        ints = pl.create_tensor([8], dtype=pl.INT32)
        a, tmp = self.two(x[0:1, :], a, tmp)
        self.misc(x, y, ints, w, s, k)
        return

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[NR, NR, SIZE], FP32], y: pl.Out[pl.Tensor[[NR, NR, SIZE], FP32]]):
        buf = pld.alloc_window_buffer([NR, SIZE], dtype=FP32)
        sbuf = pld.alloc_window_buffer(2 * NR * NR * pl.INT32.get_byte())
        scratch = pl.create_tensor([NR, 1, SIZE], dtype=FP32)
        for r in pl.range(pld.world_size()):
            w = pld.window(buf, [NR, SIZE], dtype=FP32)
            s = pld.window(sbuf, [2 * (NR - 1), NR], dtype=pl.INT32)
            self.chip(x[r], y[r], scratch[r], w, s, (r + 1) % pld.world_size(), device=r)
        w2 = pld.window(buf, [NR, SIZE], dtype=FP32)
        w2 = pld.tensor.allreduce(w2, op=pld.ReduceOp.Sum)
        return y
