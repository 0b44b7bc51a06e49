"""TPUT/TGET: whole slices, sub-regions, chunking, pipelining, atomics, self target."""

# devices: 0,1 | 0,1,2,3
import pypto.language as pl
import pypto.language.distributed as pld
import pytest
import torch
from pypto import ir
from pypto.ir.distributed_compiled_program import DistributedConfig

ROWS, COLS = 8, 64
DT = pl.FP32
TDT = torch.float32


def put_region(n, pipeline):
    kw_rows = 2
    kw_cols = 16

    @pl.program
    class PutRegion:
        @pl.function(type=pl.FunctionType.InCore)
        def kern(
            self,
            src: pl.Tensor[[ROWS, COLS], DT],
            dst: pl.Out[pl.Tensor[[ROWS, COLS], DT]],
            win: pl.InOut[pld.DistributedTensor[[ROWS, COLS], DT]],
            sig: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
        ) -> pl.Tensor[[ROWS, COLS], DT]:
            ctx = pld.get_comm_ctx(win)
            me = pld.rank(ctx)
            nr = pld.nranks(ctx)
            peer = (me + 1) % nr
            # upper-left [4, 32] of src into lower-right of the peer's window
            pld.tensor.put(
                win,
                peer=peer,
                src=src,
                dst_offsets=[4, 32],
                src_offsets=[0, 0],
                shape=[4, 32],
                chunk_rows=kw_rows,
                chunk_cols=kw_cols,
                pipeline=pipeline,
            )
            pld.system.notify(target=sig, peer=peer, offsets=[0, 0], value=1, op=pld.NotifyOp.Set)
            pld.system.wait(signal=sig, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Eq)
            t = pl.load(win, [0, 0], [ROWS, COLS])
            return pl.store(t, [0, 0], dst)

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            src: pl.Tensor[[ROWS, COLS], DT],
            dst: pl.Out[pl.Tensor[[ROWS, COLS], DT]],
            win: pl.InOut[pld.DistributedTensor[[ROWS, COLS], DT]],
            sig: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
        ) -> pl.Tensor[[ROWS, COLS], DT]:
            return self.kern(src, dst, win, sig)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            src: pl.Tensor[[n, ROWS, COLS], DT],
            dst: pl.Out[pl.Tensor[[n, ROWS, COLS], DT]],
        ) -> pl.Tensor[[n, ROWS, COLS], DT]:
            wb = pld.alloc_window_buffer(ROWS * COLS * DT.get_byte())
            sb = pld.alloc_window_buffer(pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                win = pld.window(wb, [ROWS, COLS], dtype=DT)
                sig = pld.window(sb, [1, 1], dtype=pl.INT32)
                self.chip(src[r], dst[r], win, sig, device=r)
            return dst

    return PutRegion


@pytest.mark.parametrize("pipeline", [False, True])
def test_put_region(test_config, device_ids, pipeline):
    n = len(device_ids)
    f = ir.compile(
        put_region(n, pipeline),
        platform=test_config.platform,
        distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
    )
    src = torch.arange(n * ROWS * COLS, dtype=TDT).reshape(n, ROWS, COLS)
    dst = torch.zeros_like(src)
    f(src, dst)
    golden = torch.zeros_like(src)
    for r in range(n):
        golden[r, 4:8, 32:64] = src[(r + n - 1) % n, 0:4, 0:32]
    assert torch.equal(dst, golden)


def atomic_gather(n, dt, peer0_only):
    @pl.program
    class AtomicPut:
        @pl.function(type=pl.FunctionType.InCore)
        def kern(
            self,
            src: pl.Tensor[[1, COLS], dt],
            dst: pl.Out[pl.Tensor[[1, COLS], dt]],
            win: pl.InOut[pld.DistributedTensor[[1, COLS], dt]],
            sig: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
        ) -> pl.Tensor[[1, COLS], dt]:
            ctx = pld.get_comm_ctx(win)
            me = pld.rank(ctx)
            nr = pld.nranks(ctx)
            if peer0_only:
                pld.tensor.put(win, 0, src, atomic=pld.AtomicType.Add)
                pld.system.notify(sig, 0, [0, 0], 1, op=pld.NotifyOp.AtomicAdd)
            else:
                for p in pl.range(nr):
                    pld.tensor.put(win, peer=p, src=src, atomic=pld.AtomicType.Add)
                    pld.system.notify(sig, peer=p, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)
            if peer0_only:
                if me == 0:
                    pld.system.wait(sig, [0, 0], nr, cmp=pld.WaitCmp.Ge)
                    out = pl.load(win, [0, 0], [1, COLS])
                    dst = pl.store(out, [0, 0], dst)
                else:
                    z = pl.tile.full([1, COLS], dtype=dt, value=0.0)
                    dst = pl.store(z, [0, 0], dst)
            else:
                pld.system.wait(sig, [0, 0], nr, cmp=pld.WaitCmp.Ge)
                out2 = pl.load(win, [0, 0], [1, COLS])
                dst = pl.store(out2, [0, 0], dst)
            return dst

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            src: pl.Tensor[[1, COLS], dt],
            dst: pl.Out[pl.Tensor[[1, COLS], dt]],
            win: pl.InOut[pld.DistributedTensor[[1, COLS], dt]],
            sig: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
        ) -> pl.Tensor[[1, COLS], dt]:
            return self.kern(src, dst, win, sig)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            src: pl.Tensor[[n, 1, COLS], dt],
            dst: pl.Out[pl.Tensor[[n, 1, COLS], dt]],
        ) -> pl.Tensor[[n, 1, COLS], dt]:
            wb = pld.alloc_window_buffer([1, COLS], dtype=dt)
            sb = pld.alloc_window_buffer([1, 1], dtype=pl.INT32)
            for r in pl.range(pld.world_size()):
                win = pld.window(wb, [1, COLS], dtype=dt)
                sig = pld.window(sb, [1, 1], dtype=pl.INT32)
                self.chip(src[r], dst[r], win, sig, device=r)
            return dst

    return AtomicPut


@pytest.mark.parametrize("root_only", [True, False], ids=["root", "all"])
@pytest.mark.parametrize(
    "dt,tdt", [(pl.FP32, torch.float32), (pl.FP16, torch.float16), (pl.BF16, torch.bfloat16)]
)
def test_atomic_put(test_config, device_ids, dt, tdt, root_only):
    n = len(device_ids)
    f = ir.compile(
        atomic_gather(n, dt, root_only),
        platform=test_config.platform,
        distributed_config=DistributedConfig(device_ids=device_ids),
    )
    src = torch.stack([torch.full((1, COLS), float(r + 1)) for r in range(n)]).to(tdt)
    dst = torch.zeros((n, 1, COLS), dtype=tdt)
    f(src, dst)
    total = float(n * (n + 1) // 2)
    assert (dst[0].float() - total).abs().max().item() == 0.0
    if not root_only:
        for r in range(1, n):
            assert torch.equal(dst[r], dst[0])
    else:
        assert not dst[1:].any()


def get_whole(n, shape, chunk):
    @pl.program
    class GetWhole:
        @pl.function(type=pl.FunctionType.InCore)
        def kern(
            self,
            src: pl.Tensor[shape, pl.INT32],
            dst: pl.Out[pl.Tensor[shape, pl.INT32]],
            win: pl.InOut[pld.DistributedTensor[shape, pl.INT32]],
            sig: pl.InOut[pld.DistributedTensor[[n, 1], pl.INT32]],
            peer: pl.Scalar[pl.INT32],
        ) -> pl.Tensor[shape, pl.INT32]:
            pld.tensor.get(dst=win, peer=0, src=win) if False else None
            return dst

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(self, src: pl.Tensor[shape, pl.INT32], dst: pl.Out[pl.Tensor[shape, pl.INT32]]):
            pass

    return GetWhole


def test_conditional_expression_is_rejected(device_ids):
    with pytest.raises(Exception, match="Unsupported"):
        get_whole(2, [4, 32], 0)


@pytest.mark.parametrize("chunk_rows, chunk_cols, pipe", [(0, 0, False), (2, 0, False), (2, 32, True), (1, 16, False)])
def test_get_chunked(test_config, device_ids, chunk_rows, chunk_cols, pipe):
    n = len(device_ids)

    @pl.program
    class GetChunked:
        @pl.function(type=pl.FunctionType.InCore)
        def kern(
            self,
            src: pl.Tensor[[ROWS, COLS], pl.INT32],
            dst: pl.Out[pl.Tensor[[ROWS, COLS], pl.INT32]],
            win: pl.InOut[pld.DistributedTensor[[ROWS, COLS], pl.INT32]],
            sig: pl.InOut[pld.DistributedTensor[[n, 1], pl.INT32]],
            peer: pl.Scalar[pl.INT32],
        ) -> pl.Tensor[[ROWS, COLS], pl.INT32]:
            win = pl.store(pl.load(src, [0, 0], [ROWS, COLS]), [0, 0], win)
            pld.tensor.barrier(sig)
            pld.tensor.get(dst, peer=peer, src=win, chunk_rows=chunk_rows, chunk_cols=chunk_cols, pipeline=pipe)
            return dst

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            src: pl.Tensor[[ROWS, COLS], pl.INT32],
            dst: pl.Out[pl.Tensor[[ROWS, COLS], pl.INT32]],
            win: pl.InOut[pld.DistributedTensor[[ROWS, COLS], pl.INT32]],
            sig: pl.InOut[pld.DistributedTensor[[n, 1], pl.INT32]],
            peer: pl.Scalar[pl.INT32],
        ) -> pl.Tensor[[ROWS, COLS], pl.INT32]:
            return self.kern(src, dst, win, sig, peer)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            src: pl.Tensor[[n, ROWS, COLS], pl.INT32],
            dst: pl.Out[pl.Tensor[[n, ROWS, COLS], pl.INT32]],
        ):
            wb = pld.alloc_window_buffer(ROWS * COLS * pl.INT32.get_byte())
            sb = pld.alloc_window_buffer(n * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                peer = (r + 1) % pld.world_size()
                win = pld.window(wb, [ROWS, COLS], dtype=pl.INT32)
                sig = pld.window(sb, [n, 1], dtype=pl.INT32)
                self.chip(src[r], dst[r], win, sig, peer, device=r)

    f = ir.compile(
        GetChunked, platform=test_config.platform, distributed_config=DistributedConfig(device_ids=device_ids)
    )
    src = torch.randint(-1000, 1000, (n, ROWS, COLS), dtype=torch.int32)
    dst = torch.zeros_like(src)
    f(src, dst)
    assert torch.equal(dst, torch.cat([src[1:], src[:1]], dim=0))
