"""What must be refused: each refusal that was asked for is a check."""

import pytest
import pypto.language as pl
import torch
from pypto import ir
from pypto.ir import DistributedConfig
from pypto.runtime import RunConfig
from pypto.language.parser.diagnostics import ParserTypeError


def test_missing_annotation():
    with pytest.raises(ParserTypeError, match="missing type annotation") as error:

        @pl.program
        class P:
            @pl.function(type=pl.FunctionType.InCore)
            def step(self, x):
                return x

    assert "'x'" in str(error.value)


@pytest.mark.parametrize(
    "ids, message",
    [
        ([], "device_ids must not be empty"),
        ([-1, 0], "must be non-negative device indices"),
        ([1, 1], "must be distinct"),
    ],
    ids=["empty", "negative", "twice"],
)
def test_device_ids(ids, message):
    with pytest.raises(ValueError, match=message):
        DistributedConfig(device_ids=ids)


def test_other_settings():
    with pytest.raises(ValueError, match="num_sub_workers must be non-negative"):
        DistributedConfig(device_ids=[0], num_sub_workers=-1)
    with pytest.raises(ValueError, match="aicpu_thread_num must be 0 .* or at least 2"):
        DistributedConfig(device_ids=[0], aicpu_thread_num=1)


@pytest.mark.parametrize("make", [lambda: RunConfig(platform="a9z"), lambda: compile_on("a9z")], ids=["config", "compile"])
def test_platform(make):
    with pytest.raises(ValueError, match="Invalid platform 'a9z'. Expected 'a2a3sim', 'a2a3', 'a5sim', or 'a5'"):
        make()


def compile_on(platform):
    @pl.program
    class P:
        @pl.function(type=pl.FunctionType.Orchestration)
        def on_chip(self, x: pl.Tensor[[1, 64], pl.FP32]):
            pass

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def on_host(self, x: pl.Tensor[[1, 64], pl.FP32]):
            self.on_chip(x, device=0)

    return ir.compile(P, platform=platform)


@pytest.mark.parametrize(
    "x",
    [
        torch.zeros((1, 32)),
        torch.zeros((1, 64), dtype=torch.float16),
        torch.zeros((64,)),
        3.0,
    ],
    ids=["short", "half", "flat", "number"],
)
def test_arguments(x):
    with pytest.raises((TypeError, ValueError), match="argument 'x'|only support host torch.Tensor"):
        compile_on("a2a3sim")(x)


def test_argument_count():
    with pytest.raises(TypeError, match=r"expects 1 \(in-place\) arguments, got 2"):
        compile_on("a2a3sim")(torch.zeros((1, 64)), torch.zeros((1, 64)))


def test_an_except_clause_sees_it_too():
    try:

        @pl.program
        class P:
            pass

    except Exception as error:
        assert "contains no @pl.function decorated methods" in str(error)
    else:
        pytest.fail("the empty program was accepted")
