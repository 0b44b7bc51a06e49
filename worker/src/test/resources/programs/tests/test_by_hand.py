"""Hand-written two-phase, tree reduce, gather-to-root, scatter, halo exchange, pipelined rings with counters."""

# devices: 0,1,2,3 | 0,1,2,3,4,5,6,7
import pypto.language as pl
import pypto.language.distributed as pld
import pytest
import torch
from pypto import ir
from pypto.ir import DistributedConfig

N = 128


def wrap(kernel_builder, nr, in_cols, out_cols, data_shape, sig_shape, dt=pl.FP32):
    """Builds orchestration and host around a kernel given as a closure."""
    return kernel_builder(nr, in_cols, out_cols, data_shape, sig_shape, dt)


def tree_reduce(nr):
    import math
    rounds = int(math.log2(nr))

    @pl.program
    class Tree:
        @pl.function(type=pl.FunctionType.InCore)
        def k(
            self,
            x: pl.Tensor[[1, N], pl.FP32],
            y: pl.Out[pl.Tensor[[1, N], pl.FP32]],
            d: pl.InOut[pld.DistributedTensor[[rounds + 1, N], pl.FP32]],
            s: pl.InOut[pld.DistributedTensor[[rounds + 1, 1], pl.INT32]],
        ) -> pl.Tensor[[1, N], pl.FP32]:
            ctx = pld.get_comm_ctx(d)
            me = pld.rank(ctx)
            n = pld.nranks(ctx)
            acc = pl.load(x, [0, 0], [1, N])
            active = pl.const(1, pl.INT32)
            for rd in pl.range(rounds):
                half = n >> (rd + 1)
                if active == 1:
                    if me >= half:
                        if me < 2 * half:
                            pld.tile.remote_store(acc, d, peer=me - half, offsets=[rd, 0])
                            pld.system.notify(s, peer=me - half, offsets=[rd, 0], value=1, op=pld.NotifyOp.Set)
                            active = pl.const(0, pl.INT32)
                    else:
                        pld.system.wait(s, offsets=[rd, 0], expected=1, cmp=pld.WaitCmp.Ge)
                        acc = pl.add(acc, pl.load(d, [rd, 0], [1, N]))
            if me == 0:
                d = pl.store(acc, [rounds, 0], d)
                for p in pl.range(n):
                    pld.system.notify(s, peer=p, offsets=[rounds, 0], value=1, op=pld.NotifyOp.Set)
            pld.system.wait(s, offsets=[rounds, 0], expected=1, cmp=pld.WaitCmp.Ge)
            res = pld.tile.remote_load(d, peer=0, offsets=[rounds, 0], shape=[1, N])
            return pl.store(res, [0, 0], y)

        @pl.function(type=pl.FunctionType.Orchestration)
        def o(
            self,
            x: pl.Tensor[[1, N], pl.FP32],
            y: pl.Out[pl.Tensor[[1, N], pl.FP32]],
            d: pl.InOut[pld.DistributedTensor[[rounds + 1, N], pl.FP32]],
            s: pl.InOut[pld.DistributedTensor[[rounds + 1, 1], pl.INT32]],
        ) -> pl.Tensor[[1, N], pl.FP32]:
            return self.k(x, y, d, s)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def h(self, x: pl.Tensor[[nr, 1, N], pl.FP32], y: pl.Out[pl.Tensor[[nr, 1, N], pl.FP32]]):
            db = pld.alloc_window_buffer((rounds + 1) * N * pl.FP32.get_byte())
            sb = pld.alloc_window_buffer((rounds + 1) * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                d = pld.window(db, [rounds + 1, N], dtype=pl.FP32)
                s = pld.window(sb, [rounds + 1, 1], dtype=pl.INT32)
                self.o(x[r], y[r], d, s, device=r)

    return Tree


def run(prog, test_config, ids, x, y):
    ir.compile(prog, platform=test_config.platform, distributed_config=DistributedConfig(device_ids=ids))(x, y)
    return y


def test_tree(test_config, device_ids):
    nr = len(device_ids)
    if nr & (nr - 1):
        pytest.skip("power of two only")
    x = torch.randn(nr, 1, N)
    y = run(tree_reduce(nr), test_config, device_ids, x, torch.zeros(nr, 1, N))
    for r in range(nr):
        torch.testing.assert_close(y[r], x.sum(0), rtol=1e-5, atol=1e-5)


def halo(nr, rows):
    @pl.program
    class Halo:
        @pl.function(type=pl.FunctionType.InCore)
        def k(
            self,
            x: pl.Tensor[[rows, N], pl.FP32],
            y: pl.Out[pl.Tensor[[rows, N], pl.FP32]],
            d: pl.InOut[pld.DistributedTensor[[rows + 2, N], pl.FP32]],
            s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
        ) -> pl.Tensor[[rows, N], pl.FP32]:
            ctx = pld.get_comm_ctx(d)
            me = pld.rank(ctx)
            n = pld.nranks(ctx)
            for i in pl.range(rows):
                d = pl.store(pl.load(x, [i, 0], [1, N]), [i + 1, 0], d)
            z = pl.tile.full([1, N], dtype=pl.FP32, value=0.0)
            if me == 0:
                d = pl.store(z, [0, 0], d)
            if me == n - 1:
                d = pl.store(z, [rows + 1, 0], d)
            if me > 0:
                top = pl.load(x, [0, 0], [1, N])
                pld.tile.remote_store(top, target=d, peer=me - 1, offsets=[rows + 1, 0])
                pld.system.notify(s, peer=me - 1, offsets=[1, 0], value=1, op=pld.NotifyOp.Set)
            if me < n - 1:
                bottom = pl.load(x, [rows - 1, 0], [1, N])
                pld.tile.remote_store(bottom, target=d, peer=me + 1, offsets=[0, 0])
                pld.system.notify(s, peer=me + 1, offsets=[0, 0], value=1, op=pld.NotifyOp.Set)
            if me > 0:
                pld.system.wait(s, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)
            if me < n - 1:
                pld.system.wait(s, offsets=[1, 0], expected=1, cmp=pld.WaitCmp.Ge)
            for i in pl.range(rows):
                a = pl.load(d, [i, 0], [1, N])
                b = pl.load(d, [i + 1, 0], [1, N])
                c = pl.load(d, [i + 2, 0], [1, N])
                y = pl.store(pl.add(pl.add(a, b), c), [i, 0], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def o(
            self,
            x: pl.Tensor[[rows, N], pl.FP32],
            y: pl.Out[pl.Tensor[[rows, N], pl.FP32]],
            d: pl.InOut[pld.DistributedTensor[[rows + 2, N], pl.FP32]],
            s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
        ) -> pl.Tensor[[rows, N], pl.FP32]:
            return self.k(x, y, d, s)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def h(self, x: pl.Tensor[[nr, rows, N], pl.FP32], y: pl.Out[pl.Tensor[[nr, rows, N], pl.FP32]]):
            db = pld.alloc_window_buffer([rows + 2, N], dtype=pl.FP32)
            sb = pld.alloc_window_buffer([2, 1], dtype=pl.INT32)
            for r in pl.range(pld.world_size()):
                d = pld.window(db, [rows + 2, N], dtype=pl.FP32)
                s = pld.window(sb, [2, 1], dtype=pl.INT32)
                self.o(x[r], y[r], d, s, device=r)

    return Halo


@pytest.mark.parametrize("rows", [1, 3, 8])
def test_halo(test_config, device_ids, rows):
    nr = len(device_ids)
    x = torch.randn(nr, rows, N)
    y = run(halo(nr, rows), test_config, device_ids, x, torch.zeros_like(x))
    flat = torch.nn.functional.pad(x.reshape(nr * rows, N), (0, 0, 1, 1))
    want = flat[:-2] + flat[1:-1] + flat[2:]
    assert torch.allclose(y.reshape(nr * rows, N), want, atol=1e-5)


def pipelined_ring(nr, rounds):
    @pl.program
    class Ring:
        @pl.function(type=pl.FunctionType.InCore)
        def k(
            self,
            x: pl.Tensor[[1, N], pl.INT32],
            y: pl.Out[pl.Tensor[[1, N], pl.INT32]],
            d: pl.InOut[pld.DistributedTensor[[2, N], pl.INT32]],
            full: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
            free: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
        ) -> pl.Tensor[[1, N], pl.INT32]:
            ctx = pld.get_comm_ctx(d)
            me = pld.rank(ctx)
            n = pld.nranks(ctx)
            right = (me + 1) % n
            left = (me + n - 1) % n
            cur = pl.load(x, [0, 0], [1, N])
            total = pl.load(x, [0, 0], [1, N])
            for rd in pl.range(rounds):
                if rd >= 2:
                    pld.system.wait(free, offsets=[0, 0], expected=rd - 1, cmp=pld.WaitCmp.Ge)
                pld.tile.remote_store(cur, d, right, [rd % 2, 0])
                pld.system.notify(full, peer=right, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)
                pld.system.wait(full, offsets=[0, 0], expected=rd + 1, cmp=pld.WaitCmp.Ge)
                cur = pl.load(d, [rd % 2, 0], [1, N])
                total = pl.add(total, cur)
                pld.system.notify(free, peer=left, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)
            return pl.store(total, [0, 0], y)

        @pl.function(type=pl.FunctionType.Orchestration)
        def o(
            self,
            x: pl.Tensor[[1, N], pl.INT32],
            y: pl.Out[pl.Tensor[[1, N], pl.INT32]],
            d: pl.InOut[pld.DistributedTensor[[2, N], pl.INT32]],
            full: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
            free: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
        ) -> pl.Tensor[[1, N], pl.INT32]:
            return self.k(x, y, d, full, free)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def h(self, x: pl.Tensor[[nr, 1, N], pl.INT32], y: pl.Out[pl.Tensor[[nr, 1, N], pl.INT32]]):
            db = pld.alloc_window_buffer([2, N], dtype=pl.INT32)
            fb = pld.alloc_window_buffer([1, 1], dtype=pl.INT32)
            gb = pld.alloc_window_buffer([1, 1], dtype=pl.INT32)
            for r in pl.range(pld.world_size()):
                d = pld.window(db, [2, N], dtype=pl.INT32)
                f = pld.window(fb, [1, 1], dtype=pl.INT32)
                g = pld.window(gb, [1, 1], dtype=pl.INT32)
                self.o(x[r], y[r], d, f, g, device=r)

    return Ring


@pytest.mark.parametrize("factor", [1, 3])
def test_pipelined_ring(test_config, device_ids, factor):
    nr = len(device_ids)
    rounds = factor * nr - 1
    x = torch.randint(0, 50, (nr, 1, N), dtype=torch.int32)
    y = run(pipelined_ring(nr, rounds), test_config, device_ids, x, torch.zeros_like(x))
    want = torch.stack([sum(x[(r - k) % nr] for k in range(rounds + 1)) for r in range(nr)])
    assert torch.equal(y, want.to(torch.int32))


def gather_to_root(nr, root):
    @pl.program
    class G:
        @pl.function(type=pl.FunctionType.InCore)
        def k(
            self,
            x: pl.Tensor[[1, N], pl.FP16],
            y: pl.Out[pl.Tensor[[nr, N], pl.FP16]],
            d: pl.InOut[pld.DistributedTensor[[nr, N], pl.FP16]],
            s: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[nr, N], pl.FP16]:
            ctx = pld.get_comm_ctx(d)
            me = pld.rank(ctx)
            n = pld.nranks(ctx)
            pld.tensor.put(d, root, x, [me, 0], [0, 0], [1, N])
            pld.system.notify(s, root, [me, 0], 1, op=pld.NotifyOp.Set)
            if me == root:
                for p in pl.range(n):
                    pld.system.wait(s, [p, 0], 1, cmp=pld.WaitCmp.Ge)
                for p in pl.range(n):
                    y = pl.store(pl.load(d, [p, 0], [1, N]), [p, 0], y)
            else:
                z = pl.tile.full([1, N], dtype=pl.FP16, value=-1.0)
                for p in pl.range(n):
                    y = pl.store(z, [p, 0], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def o(
            self,
            x: pl.Tensor[[1, N], pl.FP16],
            y: pl.Out[pl.Tensor[[nr, N], pl.FP16]],
            d: pl.InOut[pld.DistributedTensor[[nr, N], pl.FP16]],
            s: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[nr, N], pl.FP16]:
            return self.k(x, y, d, s)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def h(self, x: pl.Tensor[[nr, 1, N], pl.FP16], y: pl.Out[pl.Tensor[[nr, nr, N], pl.FP16]]):
            db = pld.alloc_window_buffer([nr, N], dtype=pl.FP16)
            sb = pld.alloc_window_buffer([nr, 1], dtype=pl.INT32)
            for r in pl.range(pld.world_size()):
                d = pld.window(db, [nr, N], dtype=pl.FP16)
                s = pld.window(sb, [nr, 1], dtype=pl.INT32)
                self.o(x[r], y[r], d, s, device=r)

    return G


@pytest.mark.parametrize("root", [0, 1, 3])
def test_gather_to_root(test_config, device_ids, root):
    nr = len(device_ids)
    x = torch.randn(nr, 1, N).half()
    y = run(gather_to_root(nr, root), test_config, device_ids, x, torch.zeros(nr, nr, N, dtype=torch.half))
    assert torch.equal(y[root], x.squeeze(1))
    others = [r for r in range(nr) if r != root]
    assert (y[others] == -1).all()
