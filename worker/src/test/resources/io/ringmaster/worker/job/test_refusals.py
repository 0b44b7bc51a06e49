"""What must be refused: each refusal that was asked for is a check."""

import pytest
import pypto.language as pl
import torch
from pypto import ir
from pypto.ir import DistributedConfig
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


def test_an_except_clause_sees_it_too():
    try:

        @pl.program
        class P:
            pass

    except Exception as error:
        assert "contains no @pl.function decorated methods" in str(error)
    else:
        pytest.fail("the empty program was accepted")
