"""Step 04 - Barrier: nobody goes on before everybody has arrived, round after round.

    ./ringmaster run examples/ladder/04_barrier.py -p a2a3sim -d 0,1
    ./ringmaster run examples/ladder/04_barrier.py -p a2a3sim -d 0,1 -- --use-builtin

A barrier is step 03 in both directions: tell every peer, then wait for every peer. Each round
drops a number into the peer's mailbox, passes the barrier and reads the own mailbox. Nobody waits
for a mailbox: the barrier orders it along with everything else that came before.

* By hand the cells are never taken back, so the count a round waits for grows by one each time.
  Waiting for 1 again would let the second round through on the first round's credit.
* ``pld.tensor.barrier`` takes its credits back before it returns and can be called as it stands.

Every round has a mailbox of its own. With a single one, a fast rank could drop its next number
before a slow rank has read the last: a barrier protects what lies before it, not what comes
after.
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import RunConfig

ROUNDS = 4


def build_rounds(use_builtin):
    """The host function, with the hand-written barrier or the built-in one."""

    @pl.jit.incore
    def play_rounds(
        y: pl.Out[pl.Tensor[[1, ROUNDS], pl.INT32]],
        mailbox: pl.InOut[pld.DistributedTensor[[ROUNDS, 1], pl.INT32]],
        signal: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
    ):
        ctx = pld.get_comm_ctx(signal)
        my_rank = pld.rank(ctx)
        nranks = pld.nranks(ctx)
        for step in pl.range(ROUNDS):
            pld.system.notify(
                mailbox,
                peer=1 - my_rank,
                offsets=[step, 0],
                value=10 * my_rank + step + 1,
                op=pld.NotifyOp.Set,
            )
            if use_builtin:
                pld.tensor.barrier(signal)
            else:
                for peer in pl.range(nranks):
                    if peer != my_rank:
                        pld.system.notify(
                            signal,
                            peer=peer,
                            offsets=[my_rank, 0],
                            value=1,
                            op=pld.NotifyOp.AtomicAdd,
                        )
                for src in pl.range(nranks):
                    if src != my_rank:
                        pld.system.wait(
                            signal, offsets=[src, 0], expected=step + 1, cmp=pld.WaitCmp.Ge
                        )
            received = pl.read(mailbox, [step, 0])
            pl.write(y, [0, step], received)
        return y

    @pl.jit
    def on_chip(
        y: pl.Out[pl.Tensor[[1, ROUNDS], pl.INT32]],
        mailbox: pl.InOut[pld.DistributedTensor[[ROUNDS, 1], pl.INT32]],
        signal: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
    ):
        y = play_rounds(y, mailbox, signal)
        return y

    @pl.jit.host
    def on_host(y: pl.Out[pl.Tensor[[2, 1, ROUNDS], pl.INT32]]):
        mail_buffer = pld.alloc_window_buffer(ROUNDS * pl.INT32.get_byte())
        signal_buffer = pld.alloc_window_buffer(2 * pl.INT32.get_byte())
        for r in pl.range(pld.world_size()):
            mailbox = pld.window(mail_buffer, [ROUNDS, 1], dtype=pl.INT32)
            signal = pld.window(signal_buffer, [2, 1], dtype=pl.INT32)
            on_chip(y[r], mailbox, signal, device=r)

    return on_host


def parse_arguments():
    parser = argparse.ArgumentParser(description="a barrier, by hand and built in")
    parser.add_argument(
        "-p", "--platform", default="a2a3sim", choices=["a2a3sim", "a2a3", "a5sim", "a5"]
    )
    parser.add_argument("-d", "--device", default="0,1", help="comma-separated device ids")
    parser.add_argument("--use-builtin", action="store_true", help="pld.tensor.barrier")
    parser.add_argument("--compile-only", action="store_true")
    return parser.parse_args()


def main():
    args = parse_arguments()
    device_ids = [int(d) for d in args.device.split(",")]
    if len(device_ids) != 2:
        raise SystemExit(f"need exactly 2 devices, got {device_ids}")

    y = torch.zeros((2, 1, ROUNDS), dtype=torch.int32)
    compiled = build_rounds(args.use_builtin).compile(
        y,
        config=RunConfig(
            platform=args.platform,
            distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
        ),
    )
    if args.compile_only:
        print(f"compile_only done: {compiled.output_dir}")
        return
    compiled(y, config=RunConfig(platform=args.platform))

    for r in range(2):
        other = 1 - r
        golden = torch.arange(1, ROUNDS + 1, dtype=torch.int32).reshape(1, ROUNDS) + 10 * other
        assert torch.equal(y[r], golden), (
            f"rank {r} mismatch: max diff = {(y[r] - golden).abs().max().item()}"
        )
    print("OK")


if __name__ == "__main__":
    main()
