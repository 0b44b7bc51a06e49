"""HOST sub-workers: ordinary functions that run once the chips are done with their tensors."""

import pytest
import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir import DistributedConfig

SIZE = 64


def build(nr, expected, open_body=False):
    if open_body:

        @pl.program
        class WithCallback:
            @pl.function(type=pl.FunctionType.InCore)
            def step(
                self, x: pl.Tensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]
            ) -> pl.Tensor[[1, SIZE], pl.FP32]:
                return pl.store(pl.add(pl.load(x, [0, 0], [1, SIZE]), 1.0), [0, 0], y)

            @pl.function(type=pl.FunctionType.Orchestration)
            def on_chip(
                self, x: pl.Tensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]
            ) -> pl.Tensor[[1, SIZE], pl.FP32]:
                return self.step(x, y)

            @pl.function(level=pl.Level.HOST, role=pl.Role.SubWorker)
            def verify(y: pl.Tensor[[nr, 1, SIZE], pl.FP32]):
                ...

            @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
            def on_host(
                self,
                x: pl.Tensor[[nr, 1, SIZE], pl.FP32],
                y: pl.Out[pl.Tensor[[nr, 1, SIZE], pl.FP32]],
            ):
                for r in pl.range(pld.world_size()):
                    self.on_chip(x[r], y[r], device=r)
                self.verify(y)

        return WithCallback

    @pl.program
    class WithBody:
        @pl.function(type=pl.FunctionType.InCore)
        def step(
            self, x: pl.Tensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]
        ) -> pl.Tensor[[1, SIZE], pl.FP32]:
            return pl.store(pl.add(pl.load(x, [0, 0], [1, SIZE]), 1.0), [0, 0], y)

        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(
            self, x: pl.Tensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]
        ) -> pl.Tensor[[1, SIZE], pl.FP32]:
            return self.step(x, y)

        @pl.function(level=pl.Level.HOST, role=pl.Role.SubWorker)
        def verify(y: pl.Tensor[[nr, 1, SIZE], pl.FP32]):
            want = torch.full((nr, 1, SIZE), expected, dtype=torch.float32)
            if not torch.allclose(y, want):
                raise AssertionError(f"verify: max diff = {(y - want).abs().max().item():.3f}")
            print("verified", y.shape)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def on_host(
            self,
            x: pl.Tensor[[nr, 1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[nr, 1, SIZE], pl.FP32]],
        ):
            for r in pl.range(pld.world_size()):
                self.on_chip(x[r], y[r], device=r)
            self.verify(y)

    return WithBody


def compiled(device_ids, expected=2.0, open_body=False):
    return ir.compile(
        build(len(device_ids), expected, open_body),
        platform="a2a3sim",
        distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=1),
    )


@pytest.fixture
def tensors(device_ids):
    x = torch.ones((len(device_ids), 1, SIZE), dtype=torch.float32).share_memory_()
    yield x, torch.zeros((len(device_ids), 1, SIZE), dtype=torch.float32).share_memory_()


def test_body(device_ids, tensors):
    compiled(device_ids)(*tensors)


def test_body_that_fails(device_ids, tensors):
    with pytest.raises(AssertionError, match="max diff = 1.000"):
        compiled(device_ids, 3.0)(*tensors)


def test_body_that_fails_for_good(device_ids, tensors):
    compiled(device_ids, 3.0)(*tensors)


def test_callback(device_ids, tensors):
    seen = []

    def check(y):
        seen.append(y.shape)
        assert torch.equal(y, torch.full(y.shape, 2.0))

    with compiled(device_ids, open_body=True).prepare(callbacks={"verify": check}) as rt:
        rt(*tensors)
        rt(*tensors)
    assert len(seen) == 2
    with pytest.raises(RuntimeError, match=r"called after close\(\)"):
        rt(*tensors)


def test_callback_missing(device_ids, tensors):
    program = compiled(device_ids, open_body=True)
    for call in (lambda: program(*tensors), program.prepare):
        with pytest.raises(ValueError, match=r"are runtime-bound callbacks \(declared with a `...` body\)"):
            call()


def test_callback_unknown(device_ids):
    with pytest.raises(ValueError, match="are not sub-workers of this program"):
        compiled(device_ids).prepare(callbacks={"verfy": print})


def test_callback_arity(device_ids):
    with pytest.raises(TypeError, match=r"takes 2 argument\(s\), the sub-worker has 1"):
        compiled(device_ids, open_body=True).prepare(callbacks={"verify": lambda a, b: None})


def test_prepare(device_ids, tensors):
    program = compiled(device_ids)
    with pytest.raises(ValueError, match="reset_persistent_windows=True requires persistent=True"):
        program.prepare(reset_persistent_windows=True)
    with program.prepare(persistent=True) as rt:
        rt(*tensors)
        with pytest.raises(TypeError, match=r"expects 2 arguments \(in-place, one per parameter\)"):
            rt(tensors[0])
        late = torch.zeros_like(tensors[1]).share_memory_()
        with pytest.raises(TypeError, match=r"must be shared memory allocated BEFORE prepare\(\)"):
            rt(tensors[0], late)
    rt.close()


def test_with_self():
    with pytest.raises(Exception, match="must not declare 'self'"):

        @pl.program
        class P:
            @pl.function(level=pl.Level.HOST, role=pl.Role.SubWorker)
            def verify(self, y: pl.Tensor[[1, 64], pl.FP32]):
                ...
