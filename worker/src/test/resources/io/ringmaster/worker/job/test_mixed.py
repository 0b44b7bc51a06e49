"""Cases that end in every way a case can end; one doesn't spoil the others."""

import pytest
import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 64


def build(nr, fault="none"):
    wrong = fault == "wrong"
    barrier = fault != "race"
    silent = fault == "deadlock"

    @pl.program
    class Shift:
        """y on rank r is x of rank r + 1."""

        @pl.function(type=pl.FunctionType.InCore)
        def step(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], pl.FP32]:
            ctx = pld.get_comm_ctx(data)
            my_rank = pld.rank(ctx)
            peer = (my_rank + 1) % nr
            data = pl.store(pl.load(x, [0, 0], [1, SIZE]), [0, 0], data)
            if silent:
                pld.system.wait(signal, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)
            if barrier:
                signal = pld.tensor.barrier(signal)
            theirs = pld.tile.remote_load(data, peer=peer, offsets=[0, 0], shape=[1, SIZE])
            if wrong:
                theirs = pl.add(theirs, 1.0)
            y = pl.store(theirs, [0, 0], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], pl.FP32]:
            y = self.step(x, y, data, signal)
            return y

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def on_host(
            self,
            x: pl.Tensor[[nr, 1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[nr, 1, SIZE], pl.FP32]],
        ) -> pl.Tensor[[nr, 1, SIZE], pl.FP32]:
            data_buffer = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
            signal_buffer = pld.alloc_window_buffer(nr * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buffer, [1, SIZE], dtype=pl.FP32)
                signal = pld.window(signal_buffer, [nr, 1], dtype=pl.INT32)
                self.on_chip(x[r], y[r], data, signal, device=r)
            return y

    return Shift


def shift(config, device_ids, fault="none"):
    nr = len(device_ids)
    compiled = ir.compile(
        build(nr, fault),
        platform=config.platform,
        distributed_config=DistributedConfig(device_ids=device_ids),
    )
    x = torch.randn((nr, 1, SIZE), dtype=torch.float32)
    return x, compiled(x)


def check(x, y):
    nr = x.shape[0]
    for r in range(nr):
        assert torch.equal(y[r], x[(r + 1) % nr]), f"rank {r}"


@pytest.fixture(scope="module")
def ran(test_config, device_ids):
    return shift(test_config, device_ids)


def test_right(ran):
    check(*ran)


def test_again(ran):
    check(*ran)


@pytest.mark.parametrize("fault", ["wrong", "race", "deadlock"])
def test_fault(test_config, device_ids, fault):
    check(*shift(test_config, device_ids, fault))


def test_compares_nothing(test_config, device_ids):
    shift(test_config, device_ids)


def test_raises(test_config, device_ids):
    shift(test_config, device_ids)
    raise RuntimeError("broken driver")


def test_unknown_function():
    torch.zeros(2).frobnicate()


@pytest.mark.xfail(reason="known fault", strict=True)
def test_known(test_config, device_ids):
    check(*shift(test_config, device_ids, "wrong"))


def test_too_few(device_ids):
    if len(device_ids) < 8:
        pytest.skip(f"needs 8 devices, got {len(device_ids)}")


@pytest.fixture
def broken():
    raise OSError("no such device")


def test_setup(broken):
    pass


def test_after_all(test_config, device_ids):
    check(*shift(test_config, device_ids[:2]))
