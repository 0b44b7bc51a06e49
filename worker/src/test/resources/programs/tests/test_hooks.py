"""Warnings that tests ask for, and cases that a hook of the module makes."""

# devices: 0,1
import warnings

import pytest
import torch

import pypto.language as pl
import pypto.language.distributed as pld
from pypto import ir
from pypto.ir import DistributedConfig

S = 64
NR = pl.dynamic("NR")


@pl.program
class Double:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[1, S], pl.FP32], y: pl.Out[pl.Tensor[[1, S], pl.FP32]]):
        t = pl.load(x, [0, 0], [1, S])
        y = pl.store(pl.add(t, t), [0, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, x: pl.Tensor[[1, S], pl.FP32], y: pl.Out[pl.Tensor[[1, S], pl.FP32]]):
        self.kernel(x, y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[NR, 1, S], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, S], pl.FP32]]):
        for r in pl.range(pld.world_size()):
            self.chip(x[r], y[r], device=r)


def double(ids):
    compiled = ir.compile(Double, platform="a2a3sim", distributed_config=DistributedConfig(device_ids=ids))
    x = torch.randn(len(ids), 1, S)
    y = torch.zeros_like(x)
    compiled(x, y)
    assert torch.equal(y, 2 * x)


def pytest_generate_tests(metafunc):
    if "ranks" in metafunc.fixturenames:
        metafunc.parametrize("ranks", [1, 2], ids=lambda n: f"p{n}")


def test_generated(ranks, device_ids):
    double(device_ids[:ranks])


def test_warns(device_ids):
    with pytest.warns(UserWarning, match="old") as seen:
        warnings.warn("old name")
    assert len(seen) == 1 and "old" in str(seen[0].message)
    with warnings.catch_warnings(record=True) as kept:
        warnings.simplefilter("always")
        warnings.warn("soon gone", DeprecationWarning)
    assert kept[0].category is DeprecationWarning
    with pytest.deprecated_call():
        warnings.warn("gone", DeprecationWarning, stacklevel=2)
    double(device_ids)


def test_did_not_warn(device_ids):
    with pytest.raises(BaseException, match="DID NOT WARN"):
        with pytest.warns(UserWarning):
            double(device_ids)
