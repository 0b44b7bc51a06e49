# devices: 0,1
import re
import pytest
import torch
import pypto
import pypto.language as pl
import pypto.language.distributed as pld
from pypto import ir
from pypto.ir import DistributedConfig
from pypto.language.parser.diagnostics import (
    InvalidOperationError,
    ParserSyntaxError,
    ParserTypeError,
    SSAViolationError,
    UndefinedVariableError,
    UnsupportedFeatureError,
)


def _kernel(body):
    """Helper programs are written out: a decorator needs source text."""


class TestParser:
    def test_undefined(self):
        with pytest.raises(UndefinedVariableError, match="Undefined variable 'q'"):
            @pl.program
            class P:
                @pl.function(type=pl.FunctionType.InCore)
                def k(self, x: pl.Tensor[[1, 64], pl.FP32], y: pl.Out[pl.Tensor[[1, 64], pl.FP32]]):
                    y = pl.store(q, [0, 0], y)

    def test_unsupported_statement(self):
        with pytest.raises(UnsupportedFeatureError, match="Unsupported statement type"):
            @pl.program
            class P:
                @pl.function(type=pl.FunctionType.InCore)
                def k(self, x: pl.Tensor[[1, 64], pl.FP32]):
                    n = 1
                    n += 1

    def test_kw(self):
        with pytest.raises(ParserTypeError, match="does not accept keyword argument 'device'"):
            @pl.program
            class P:
                @pl.function(type=pl.FunctionType.InCore)
                def k(self, x: pl.Tensor[[1, 64], pl.FP32]):
                    pass

                @pl.function(type=pl.FunctionType.Orchestration)
                def c(self, x: pl.Tensor[[1, 64], pl.FP32]):
                    self.k(x, device=0)

    def test_op(self):
        with pytest.raises(InvalidOperationError, match=re.escape("reads past the end of dimension 1")):
            @pl.program
            class P:
                @pl.function(type=pl.FunctionType.InCore)
                def k(self, x: pl.Tensor[[1, 64], pl.FP32]):
                    t = pl.load(x, [0, 32], [1, 64])

    def test_config(self):
        for bad, text in [([], "must not be empty"), ([0, 0], "must be distinct"), ([-1], "non-negative")]:
            with pytest.raises(ValueError, match=text):
                DistributedConfig(device_ids=bad)
        with pytest.raises(ValueError, match="Invalid platform 'a9'"):
            ir.compile(None, platform="a9") if False else pypto.runtime.RunConfig(platform="a9")


def test_lowering_error():
    @pl.program
    class P:
        @pl.function(type=pl.FunctionType.InCore)
        def k(self, w: pl.InOut[pld.DistributedTensor[[1, 64], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[2], pl.INT32]]):
            pld.tensor.barrier(s)

        @pl.function(type=pl.FunctionType.Orchestration)
        def c(self, w: pl.InOut[pld.DistributedTensor[[1, 64], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[2], pl.INT32]]):
            self.k(w, s)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def h(self):
            wb = pld.alloc_window_buffer(256)
            sb = pld.alloc_window_buffer(8)
            for r in pl.range(pld.world_size()):
                w = pld.window(wb, [1, 64], dtype=pl.FP32)
                s = pld.window(sb, [2], dtype=pl.INT32)
                self.c(w, s, device=r)

    with pytest.raises((ValueError, pypto.Error), match=r"signal must be 2D \[NR, 1\], got rank 1"):
        ir.compile(P, platform="a2a3sim", distributed_config=DistributedConfig(device_ids=[0, 1]))


if __name__ == "__main__":
    pytest.main([__file__, "-v"])
