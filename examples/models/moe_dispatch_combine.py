"""Mixture of experts: dispatch tokens to their experts, run the experts, combine the results.

    ./ringmaster run examples/models/moe_dispatch_combine.py -p a2a3sim -d 0,1
    ./ringmaster run examples/models/moe_dispatch_combine.py -p a2a3sim -d 0,1,2,3
    ./ringmaster run examples/models/moe_dispatch_combine.py -p a2a3sim -d 0,1,2,3 -- --hidden 4096

Expert parallelism at the shape of a DeepSeek-V4 layer: every rank has TOKENS tokens, each token is
sent to TOPK experts, and every rank is home to LOCAL_EXPERTS of them. ``--hidden 4096`` is the full
width of a token; the default keeps the routing as it is and makes the rows narrower.

An expert has room for CAPACITY rows, filled without gaps: first those of rank 0, then those of rank
1, and so on. Nobody may decide alone where its rows go, so the ranks first tell each other how many
they have for each expert:

* ``dispatch`` counts, pushes its counts to every rank, and after a barrier knows how many rows of
  lower ranks come before its own. Then it pushes every token to its experts, row by row, and a
  second barrier says that everything has arrived.
* ``run_experts`` works on the rows in place. The expert here is a stand-in, a gain for each
  feature: what matters is that each expert has gains of its own, so a row in the wrong place shows.
* ``combine`` passes a third barrier, pulls the results of each token back from the rows it was sent
  to, and adds them up by their weights.

Each barrier has cells of its own, because hand-written credits are never taken back.
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

TOKENS = 128
TOPK = 6
LOCAL_EXPERTS = 16
CAPACITY = 192
FULL_HIDDEN = 4096


def build_moe(nr, hidden):
    """The program for ``nr`` ranks and tokens of ``hidden`` features."""
    experts = nr * LOCAL_EXPERTS
    room = LOCAL_EXPERTS * CAPACITY

    @pl.program
    class MoeDispatchCombine:
        @pl.function(type=pl.FunctionType.InCore)
        def dispatch(
            self,
            x: pl.Tensor[[TOKENS, hidden], pl.FP32],
            routes: pl.Tensor[[TOKENS, TOPK], pl.INT32],
            slots: pl.Out[pl.Tensor[[TOKENS, TOPK], pl.INT32]],
            all_counts: pl.InOut[pld.DistributedTensor[[nr, experts], pl.INT32]],
            rows: pl.InOut[pld.DistributedTensor[[room, hidden], pl.FP32]],
            counts: pl.Out[pl.Tensor[[1, experts], pl.INT32]],
            counted: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
            arrived: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> tuple[
            pl.Tensor[[TOKENS, TOPK], pl.INT32],
            pld.DistributedTensor[[nr, experts], pl.INT32],
            pld.DistributedTensor[[room, hidden], pl.FP32],
        ]:
            ctx = pld.get_comm_ctx(rows)
            my_rank = pld.rank(ctx)
            nranks = pld.nranks(ctx)

            # How many rows go to each expert.
            for e in pl.range(experts):
                pl.write(counts, [0, e], pl.const(0, pl.INT32))
            for t in pl.range(TOKENS):
                for k in pl.range(TOPK):
                    wanted = pl.read(routes, [t, k])
                    seen = pl.read(counts, [0, wanted])
                    pl.write(counts, [0, wanted], seen + pl.const(1, pl.INT32))

            # Everybody's counts to everybody: row s is what rank s has to send.
            for peer in pl.range(nranks):
                pld.tensor.put(
                    all_counts,
                    peer=peer,
                    src=counts,
                    dst_offsets=[my_rank, 0],
                    src_offsets=[0, 0],
                    shape=[1, experts],
                )
            for peer in pl.range(nranks):
                if peer != my_rank:
                    pld.system.notify(
                        counted, peer=peer, offsets=[my_rank, 0], value=1, op=pld.NotifyOp.AtomicAdd
                    )
            for src in pl.range(nranks):
                if src != my_rank:
                    pld.system.wait(counted, offsets=[src, 0], expected=1, cmp=pld.WaitCmp.Ge)

            # The first free slot for this rank's rows: behind those of all lower ranks.
            next_slot = pl.array.create(experts, pl.INT32)
            for e in pl.range(experts):
                before = pl.const(0, pl.INT32)
                for s in pl.range(my_rank):
                    before = before + pl.read(all_counts, [s, e])
                next_slot[e] = before

            # The tokens. Where each one went is written down for the way back.
            for t in pl.range(TOKENS):
                for k in pl.range(TOPK):
                    expert = pl.read(routes, [t, k])
                    slot = next_slot[expert]
                    next_slot[expert] = slot + pl.const(1, pl.INT32)
                    pl.write(slots, [t, k], slot)
                    pld.tensor.put(
                        rows,
                        peer=expert // LOCAL_EXPERTS,
                        src=x,
                        dst_offsets=[expert % LOCAL_EXPERTS * CAPACITY + slot, 0],
                        src_offsets=[t, 0],
                        shape=[1, hidden],
                    )
            for peer in pl.range(nranks):
                if peer != my_rank:
                    pld.system.notify(
                        arrived, peer=peer, offsets=[my_rank, 0], value=1, op=pld.NotifyOp.AtomicAdd
                    )
            for src in pl.range(nranks):
                if src != my_rank:
                    pld.system.wait(arrived, offsets=[src, 0], expected=1, cmp=pld.WaitCmp.Ge)
            return slots, all_counts, rows

        @pl.function(type=pl.FunctionType.InCore)
        def run_experts(
            self,
            gains: pl.Tensor[[LOCAL_EXPERTS, hidden], pl.FP32],
            rows: pl.InOut[pld.DistributedTensor[[room, hidden], pl.FP32]],
            all_counts: pld.DistributedTensor[[nr, experts], pl.INT32],
        ) -> pld.DistributedTensor[[room, hidden], pl.FP32]:
            ctx = pld.get_comm_ctx(rows)
            my_rank = pld.rank(ctx)
            nranks = pld.nranks(ctx)
            for e in pl.range(LOCAL_EXPERTS):
                filled = pl.const(0, pl.INT32)
                for s in pl.range(nranks):
                    filled = filled + pl.read(all_counts, [s, my_rank * LOCAL_EXPERTS + e])
                gain = pl.load(gains, [e, 0], [1, hidden])
                for i in pl.range(filled):
                    row = pl.load(rows, [e * CAPACITY + i, 0], [1, hidden])
                    result = pl.mul(row, gain)
                    rows = pl.store(result, [e * CAPACITY + i, 0], rows)
            return rows

        @pl.function(type=pl.FunctionType.InCore)
        def combine(
            self,
            routes: pl.Tensor[[TOKENS, TOPK], pl.INT32],
            weights: pl.Tensor[[TOKENS, TOPK], pl.FP32],
            slots: pl.Tensor[[TOKENS, TOPK], pl.INT32],
            y: pl.Out[pl.Tensor[[TOKENS, hidden], pl.FP32]],
            rows: pld.DistributedTensor[[room, hidden], pl.FP32],
            computed: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[TOKENS, hidden], pl.FP32]:
            ctx = pld.get_comm_ctx(rows)
            my_rank = pld.rank(ctx)
            nranks = pld.nranks(ctx)

            for peer in pl.range(nranks):
                if peer != my_rank:
                    pld.system.notify(
                        computed,
                        peer=peer,
                        offsets=[my_rank, 0],
                        value=1,
                        op=pld.NotifyOp.AtomicAdd,
                    )
            for src in pl.range(nranks):
                if src != my_rank:
                    pld.system.wait(computed, offsets=[src, 0], expected=1, cmp=pld.WaitCmp.Ge)

            for t in pl.range(TOKENS):
                total = pl.tile.full([1, hidden], dtype=pl.FP32, value=0.0)
                for k in pl.range(TOPK):
                    expert = pl.read(routes, [t, k])
                    slot = pl.read(slots, [t, k])
                    result = pld.tile.remote_load(
                        rows,
                        peer=expert // LOCAL_EXPERTS,
                        offsets=[expert % LOCAL_EXPERTS * CAPACITY + slot, 0],
                        shape=[1, hidden],
                    )
                    weighted = pl.mul(result, pl.read(weights, [t, k]))
                    total = pl.add(total, weighted)
                y = pl.store(total, [t, 0], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(
            self,
            x: pl.Tensor[[TOKENS, hidden], pl.FP32],
            routes: pl.Tensor[[TOKENS, TOPK], pl.INT32],
            weights: pl.Tensor[[TOKENS, TOPK], pl.FP32],
            gains: pl.Tensor[[LOCAL_EXPERTS, hidden], pl.FP32],
            y: pl.Out[pl.Tensor[[TOKENS, hidden], pl.FP32]],
            all_counts: pl.InOut[pld.DistributedTensor[[nr, experts], pl.INT32]],
            rows: pl.InOut[pld.DistributedTensor[[room, hidden], pl.FP32]],
            counted: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
            arrived: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
            computed: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[TOKENS, hidden], pl.FP32]:
            counts = pl.create_tensor([1, experts], dtype=pl.INT32)
            slots = pl.create_tensor([TOKENS, TOPK], dtype=pl.INT32)
            slots, all_counts, rows = self.dispatch(
                x, routes, slots, all_counts, rows, counts, counted, arrived
            )
            rows = self.run_experts(gains, rows, all_counts)
            y = self.combine(routes, weights, slots, y, rows, computed)
            return y

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def on_host(
            self,
            x: pl.Tensor[[nr, TOKENS, hidden], pl.FP32],
            routes: pl.Tensor[[nr, TOKENS, TOPK], pl.INT32],
            weights: pl.Tensor[[nr, TOKENS, TOPK], pl.FP32],
            gains: pl.Tensor[[nr, LOCAL_EXPERTS, hidden], pl.FP32],
            y: pl.Out[pl.Tensor[[nr, TOKENS, hidden], pl.FP32]],
        ):
            counts_buffer = pld.alloc_window_buffer(nr * experts * pl.INT32.get_byte())
            rows_buffer = pld.alloc_window_buffer(room * hidden * pl.FP32.get_byte())
            counted_buffer = pld.alloc_window_buffer(nr * pl.INT32.get_byte())
            arrived_buffer = pld.alloc_window_buffer(nr * pl.INT32.get_byte())
            computed_buffer = pld.alloc_window_buffer(nr * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                all_counts = pld.window(counts_buffer, [nr, experts], dtype=pl.INT32)
                rows = pld.window(rows_buffer, [room, hidden], dtype=pl.FP32)
                counted = pld.window(counted_buffer, [nr, 1], dtype=pl.INT32)
                arrived = pld.window(arrived_buffer, [nr, 1], dtype=pl.INT32)
                computed = pld.window(computed_buffer, [nr, 1], dtype=pl.INT32)
                self.on_chip(
                    x[r],
                    routes[r],
                    weights[r],
                    gains[r],
                    y[r],
                    all_counts,
                    rows,
                    counted,
                    arrived,
                    computed,
                    device=r,
                )

    return MoeDispatchCombine


def draw_routes(nr):
    """TOPK different experts for every token of every rank: [nr, TOKENS, TOPK]."""
    experts = nr * LOCAL_EXPERTS
    routes = torch.stack(
        [
            torch.stack([torch.randperm(experts)[:TOPK] for _ in range(TOKENS)])
            for _ in range(nr)
        ]
    ).to(torch.int32)

    load = [0] * experts
    for expert in routes.flatten().tolist():
        load[expert] = load[expert] + 1
    if max(load) > CAPACITY:
        raise ValueError(f"an expert was given {max(load)} rows and has room for {CAPACITY}")
    return routes


def parse_arguments():
    parser = argparse.ArgumentParser(description="mixture of experts: dispatch and combine")
    parser.add_argument(
        "-p", "--platform", default="a2a3sim", choices=["a2a3sim", "a2a3", "a5sim", "a5"]
    )
    parser.add_argument("-d", "--device", default="0,1", help="comma-separated device ids")
    parser.add_argument(
        "--hidden", type=int, default=256, help=f"features of a token, full shape: {FULL_HIDDEN}"
    )
    parser.add_argument("--compile-only", action="store_true")
    return parser.parse_args()


def main():
    args = parse_arguments()
    device_ids = [int(d) for d in args.device.split(",")]
    nr = len(device_ids)
    if nr < 2:
        raise SystemExit(f"need at least 2 devices, got {device_ids}")
    if args.hidden < 8 or args.hidden > FULL_HIDDEN or args.hidden % 8 != 0:
        raise ValueError(f"hidden must be a multiple of 8 up to {FULL_HIDDEN}, got {args.hidden}")

    compiled = ir.compile(
        build_moe(nr, args.hidden),
        platform=args.platform,
        distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
    )
    if args.compile_only:
        print(f"compile_only done: {compiled.output_dir}")
        return

    torch.manual_seed(7)
    x = torch.randn((nr, TOKENS, args.hidden), dtype=torch.float32)
    gains = torch.randn((nr, LOCAL_EXPERTS, args.hidden), dtype=torch.float32)
    weights = torch.randn((nr, TOKENS, TOPK), dtype=torch.float32).abs()
    weights = weights / weights.sum(dim=2, keepdim=True)
    routes = draw_routes(nr)
    y = torch.zeros((nr, TOKENS, args.hidden), dtype=torch.float32)
    compiled(x, routes, weights, gains, y)

    # Without any exchange: each token times the gains of its experts, summed by weight.
    all_gains = gains.reshape(nr * LOCAL_EXPERTS, args.hidden)
    for r in range(nr):
        chosen = torch.stack([all_gains[e] for e in routes[r].flatten().tolist()])
        results = x[r].unsqueeze(1) * chosen.reshape(TOKENS, TOPK, args.hidden)
        golden = (results * weights[r].unsqueeze(2)).sum(dim=1)
        diff = (y[r] - golden).abs().max().item()
        assert torch.allclose(y[r], golden, rtol=1e-4, atol=1e-4), (
            f"rank {r} mismatch: max diff = {diff}"
        )
    print("OK")


if __name__ == "__main__":
    main()
