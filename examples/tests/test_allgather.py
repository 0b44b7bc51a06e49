"""Gating a kernel with cases: one kernel, several sizes, both forms, and what it must refuse.

    ./ringmaster run examples/tests/test_allgather.py -p a2a3sim -d 0,1,2,3
    ./ringmaster run examples/tests/test_allgather.py -p a2a3sim -d 0,1,2,3 -k "builtin and not 128"
    ./ringmaster run examples/tests/test_allgather.py -- test_allgather.py::TestAllGather::test_rows[hand-64]

Each case has its own verdict. ``test_config`` and ``device_ids`` come from the job: platform and
devices are those it was given.
"""

import pytest
import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig


def build(nr, size, mode):
    """AllGather of [1, size] slices over ``nr`` ranks."""
    builtin = mode == "builtin"

    @pl.program
    class AllGather:
        @pl.function(type=pl.FunctionType.InCore)
        def hand_step(
            self,
            x: pl.Tensor[[1, size], pl.FP32],
            y: pl.Out[pl.Tensor[[1, nr * size], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[nr, size], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, nr * size], pl.FP32]:
            ctx = pld.get_comm_ctx(data)
            my_rank = pld.rank(ctx)
            nranks = pld.nranks(ctx)
            data = pl.store(pl.load(x, [0, 0], [1, size]), [my_rank, 0], data)
            signal = pld.tensor.barrier(signal)
            for peer in pl.range(nranks):
                theirs = pld.tile.remote_load(data, peer=peer, offsets=[peer, 0], shape=[1, size])
                y = pl.store(theirs, [0, peer * size], y)
            return y

        @pl.function(type=pl.FunctionType.InCore)
        def builtin_step(
            self,
            x: pl.Tensor[[1, size], pl.FP32],
            y: pl.Out[pl.Tensor[[1, nr * size], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[nr, size], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, nr * size], pl.FP32]:
            data = pld.tensor.allgather(x, data, signal)
            for src in pl.range(nr):
                y = pl.store(pl.load(data, [src, 0], [1, size]), [0, src * size], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(
            self,
            x: pl.Tensor[[1, size], pl.FP32],
            y: pl.Out[pl.Tensor[[1, nr * size], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[nr, size], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, nr * size], pl.FP32]:
            if builtin:
                y = self.builtin_step(x, y, data, signal)
            else:
                y = self.hand_step(x, y, data, signal)
            return y

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def on_host(
            self,
            x: pl.Tensor[[nr, 1, size], pl.FP32],
            y: pl.Out[pl.Tensor[[nr, 1, nr * size], pl.FP32]],
        ):
            data_buffer = pld.alloc_window_buffer(nr * size * pl.FP32.get_byte())
            signal_buffer = pld.alloc_window_buffer(nr * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buffer, [nr, size], dtype=pl.FP32)
                signal = pld.window(signal_buffer, [nr, 1], dtype=pl.INT32)
                self.on_chip(x[r], y[r], data, signal, device=r)

    return AllGather


def gather(platform, device_ids, size, mode):
    """Runs one AllGather; returns its inputs and outputs."""
    nr = len(device_ids)
    compiled = ir.compile(
        build(nr, size, mode),
        platform=platform,
        distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
    )
    x = torch.randn((nr, 1, size), dtype=torch.float32)
    y = torch.zeros((nr, 1, nr * size), dtype=torch.float32)
    compiled(x, y)
    return x, y


class TestAllGather:
    @pytest.mark.parametrize("size", [64, 128])
    @pytest.mark.parametrize("mode", ["hand", "builtin"])
    def test_rows(self, test_config, device_ids, mode, size):
        x, y = gather(test_config.platform, device_ids, size, mode)
        golden = torch.cat(list(x), dim=1)
        for rank in range(len(device_ids)):
            assert torch.allclose(y[rank], golden), f"rank {rank} differs"

    def test_two_devices_are_enough(self, test_config, device_ids):
        if len(device_ids) < 2:
            pytest.skip(f"needs 2 devices, got {len(device_ids)}")
        x, y = gather(test_config.platform, device_ids[:2], 64, "builtin")
        assert torch.equal(y[0], y[1])
        assert torch.equal(y[0], torch.cat(list(x), dim=1))

    def test_eight_ranks(self, test_config, device_ids):
        if len(device_ids) < 8:
            pytest.skip(f"needs 8 devices, got {len(device_ids)}")
        x, y = gather(test_config.platform, device_ids[:8], 64, "hand")
        assert torch.equal(y[7], torch.cat(list(x), dim=1))


def test_a_ring_signal_is_refused(test_config, device_ids):
    """A collective of the mesh kind takes one cell per rank; the message says so."""
    nr = len(device_ids)
    if nr < 2:
        pytest.skip(f"needs 2 devices, got {nr}")  # a ring of one has no rounds

    with pytest.raises(Exception, match=r"signal shape\[1\] must be 1"):

        @pl.program
        class RingSignal:
            @pl.function(type=pl.FunctionType.InCore)
            def step(
                self,
                x: pl.Tensor[[1, 64], pl.FP32],
                data: pl.InOut[pld.DistributedTensor[[nr, 64], pl.FP32]],
                signal: pl.InOut[pld.DistributedTensor[[2 * (nr - 1), nr], pl.INT32]],
            ):
                signal = pld.tensor.barrier(signal)

            @pl.function(type=pl.FunctionType.Orchestration)
            def on_chip(
                self,
                x: pl.Tensor[[1, 64], pl.FP32],
                data: pl.InOut[pld.DistributedTensor[[nr, 64], pl.FP32]],
                signal: pl.InOut[pld.DistributedTensor[[2 * (nr - 1), nr], pl.INT32]],
            ):
                self.step(x, data, signal)

            @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
            def on_host(self, x: pl.Tensor[[nr, 1, 64], pl.FP32]):
                data_buffer = pld.alloc_window_buffer(nr * 64 * 4)
                signal_buffer = pld.alloc_window_buffer(2 * (nr - 1) * nr * 4)
                for r in pl.range(pld.world_size()):
                    data = pld.window(data_buffer, [nr, 64], dtype=pl.FP32)
                    signal = pld.window(signal_buffer, [2 * (nr - 1), nr], dtype=pl.INT32)
                    self.on_chip(x[r], data, signal, device=r)

        ir.compile(
            RingSignal,
            platform=test_config.platform,
            distributed_config=DistributedConfig(device_ids=device_ids),
        )


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-v"]))
