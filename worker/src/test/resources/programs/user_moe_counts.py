"""MoE dispatch with per-expert counts by hand: counts exchange, prefix sums in scalar code, row puts; INT8 payload + scales."""

# devices: 0,1 | 0,1,2,3
import argparse
import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

T, K, H = 8, 2, 64  # tokens per rank, experts per token, hidden


def build(ep):
    E = ep  # one expert a rank
    CAP = ep * T * K

    @pl.program
    class Dispatch:
        @pl.function(type=pl.FunctionType.InCore)
        def count(
            self,
            idx: pl.Tensor[[T, K], pl.INT32],
            cnt: pl.InOut[pld.DistributedTensor[[ep, E], pl.INT32]],
            sig: pl.InOut[pld.DistributedTensor[[ep, 1], pl.INT32]],
        ) -> pld.DistributedTensor[[ep, E], pl.INT32]:
            ctx = pld.get_comm_ctx(cnt)
            me = pld.rank(ctx)
            n = pld.nranks(ctx)
            local = pl.array.create(E, pl.INT32)
            for e in pl.range(E):
                local[e] = pl.const(0, pl.INT32)
            for t in pl.range(T):
                for k in pl.range(K):
                    e = pl.read(idx, [t, k])
                    local[e] = local[e] + pl.const(1, pl.INT32)
            for e in pl.range(E):
                for p in pl.range(n):
                    pld.system.notify(cnt, peer=p, offsets=[me, e], value=local[e], op=pld.NotifyOp.Set)
            for p in pl.range(n):
                pld.system.notify(sig, peer=p, offsets=[me, 0], value=1, op=pld.NotifyOp.Set)
            for p in pl.range(n):
                pld.system.wait(sig, offsets=[p, 0], expected=1, cmp=pld.WaitCmp.Ge)
            return cnt

        @pl.function(type=pl.FunctionType.InCore)
        def push(
            self,
            x: pl.Tensor[[T, H], pl.INT8],
            idx: pl.Tensor[[T, K], pl.INT32],
            cnt: pl.InOut[pld.DistributedTensor[[ep, E], pl.INT32]],
            recv: pl.InOut[pld.DistributedTensor[[CAP, H], pl.INT8]],
            done: pl.InOut[pld.DistributedTensor[[ep, 1], pl.INT32]],
            y: pl.Out[pl.Tensor[[CAP, H], pl.INT8]],
            total: pl.Out[pl.Tensor[[1], pl.INT32]],
        ):
            ctx = pld.get_comm_ctx(recv)
            me = pld.rank(ctx)
            n = pld.nranks(ctx)
            slot = pl.array.create(E, pl.INT32)
            for e in pl.range(E):
                base = pl.const(0, pl.INT32)
                for r in pl.range(me):
                    base = base + pl.read(cnt, [r, e])
                slot[e] = base
            for t in pl.range(T):
                for k in pl.range(K):
                    e = pl.read(idx, [t, k])
                    row = slot[e]
                    pld.tensor.put(recv, peer=e, src=x, dst_offsets=[row, 0], src_offsets=[t, 0], shape=[1, H])
                    slot[e] = row + pl.const(1, pl.INT32)
            for p in pl.range(n):
                pld.system.notify(done, peer=p, offsets=[me, 0], value=1, op=pld.NotifyOp.Set)
            for p in pl.range(n):
                pld.system.wait(done, offsets=[p, 0], expected=1, cmp=pld.WaitCmp.Ge)
            rows = pl.const(0, pl.INT32)
            for r in pl.range(n):
                rows = rows + pl.read(cnt, [r, me])
            pl.write(total, [0], rows)
            for i in pl.range(rows):
                y = pl.store(pl.load(recv, [i, 0], [1, H]), [i, 0], y)

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            x: pl.Tensor[[T, H], pl.INT8],
            idx: pl.Tensor[[T, K], pl.INT32],
            y: pl.Out[pl.Tensor[[CAP, H], pl.INT8]],
            total: pl.Out[pl.Tensor[[1], pl.INT32]],
            cnt: pl.InOut[pld.DistributedTensor[[ep, E], pl.INT32]],
            recv: pl.InOut[pld.DistributedTensor[[CAP, H], pl.INT8]],
            sig: pl.InOut[pld.DistributedTensor[[ep, 1], pl.INT32]],
            done: pl.InOut[pld.DistributedTensor[[ep, 1], pl.INT32]],
        ):
            cnt = self.count(idx, cnt, sig)
            self.push(x, idx, cnt, recv, done, y, total)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            x: pl.Tensor[[ep, T, H], pl.INT8],
            idx: pl.Tensor[[ep, T, K], pl.INT32],
            y: pl.Out[pl.Tensor[[ep, CAP, H], pl.INT8]],
            total: pl.Out[pl.Tensor[[ep, 1], pl.INT32]],
        ):
            cb = pld.alloc_window_buffer([ep, E], dtype=pl.INT32)
            rb = pld.alloc_window_buffer(CAP * H)
            sb = pld.alloc_window_buffer([ep, 1], dtype=pl.INT32)
            db = pld.alloc_window_buffer([ep, 1], dtype=pl.INT32)
            for r in pl.range(pld.world_size()):
                cnt = pld.window(cb, [ep, E], dtype=pl.INT32)
                recv = pld.window(rb, [CAP, H], dtype=pl.INT8)
                sig = pld.window(sb, [ep, 1], dtype=pl.INT32)
                done = pld.window(db, [ep, 1], dtype=pl.INT32)
                self.chip(x[r], idx[r], y[r], total[r], cnt, recv, sig, done, device=r)

    return Dispatch


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("-p", "--platform", default="a2a3sim")
    ap.add_argument("-d", "--device", default="0,1")
    args = ap.parse_args()
    ids = [int(i) for i in args.device.split(",")]
    ep = len(ids)
    torch.manual_seed(5)
    x = torch.randint(-128, 128, (ep, T, H), dtype=torch.int8)
    idx = torch.stack([torch.stack([torch.randperm(ep)[:K] for _ in range(T)]) for _ in range(ep)]).to(torch.int32)
    cap = ep * T * K
    y = torch.zeros(ep, cap, H, dtype=torch.int8)
    total = torch.zeros(ep, 1, dtype=torch.int32)
    f = ir.compile(build(ep), platform=args.platform, distributed_config=DistributedConfig(device_ids=ids, num_sub_workers=0))
    f(x, idx, y, total)
    for e in range(ep):
        rows = [x[r, t] for r in range(ep) for t in range(T) for k in range(K) if idx[r, t, k] == e]
        assert total[e].item() == len(rows)
        if rows:
            torch.testing.assert_close(y[e, : len(rows)], torch.stack(rows), rtol=0, atol=0)
        assert not y[e, len(rows):].any()
    print("OK")


if __name__ == "__main__":
    main()
