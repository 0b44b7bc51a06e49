"""System test: allreduce on both rails, dtypes, ops, chunked sizes."""

# devices: 0,1 | 0,1,2,3
import sys

import pytest
import torch

import pypto.language as pl
import pypto.language.distributed as pld
from pypto import ir
from pypto.ir import DistributedConfig

TORCH = {pl.FP32: torch.float32, pl.FP16: torch.float16}
REDUCE = {
    "sum": (pld.ReduceOp.Sum, lambda t: t.sum(dim=0)),
    "max": (pld.ReduceOp.Max, lambda t: t.max(dim=0).values),
    "min": (pld.ReduceOp.Min, lambda t: t.min(dim=0)[0]),
    "prod": (pld.ReduceOp.Prod, lambda t: t.prod(dim=0)),
}


def _build_incore(nr, shape, dtype, op, mode):
    rows, cols = shape
    sig_shape = [2 * (nr - 1), nr] if mode == "ring" else [nr, 1]
    s0, s1 = sig_shape

    @pl.program
    class AllReduceInCore:
        @pl.function(type=pl.FunctionType.InCore)
        def kernel(
            self,
            x: pl.Tensor[[rows, cols], dtype],
            out: pl.Out[pl.Tensor[[rows, cols], dtype]],
            data: pl.InOut[pld.DistributedTensor[[rows, cols], dtype]],
            signal: pl.InOut[pld.DistributedTensor[[s0, s1], pl.INT32]],
        ) -> pl.Tensor[[rows, cols], dtype]:
            for i in pl.range(rows):
                t = pl.load(x, [i, 0], [1, cols])
                data = pl.store(t, [i, 0], data)
            data = pld.tensor.allreduce(data, signal, op=op, mode=mode)
            for i in pl.range(rows):
                out = pl.store(pl.load(data, [i, 0], [1, cols]), [i, 0], out)
            return out

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip_orch(
            self,
            x: pl.Tensor[[rows, cols], dtype],
            out: pl.Out[pl.Tensor[[rows, cols], dtype]],
            data: pl.InOut[pld.DistributedTensor[[rows, cols], dtype]],
            signal: pl.InOut[pld.DistributedTensor[[s0, s1], pl.INT32]],
        ) -> pl.Tensor[[rows, cols], dtype]:
            out = self.kernel(x, out, data, signal)
            return out

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host_orch(
            self,
            inputs: pl.Tensor[[nr, rows, cols], dtype],
            outputs: pl.Out[pl.Tensor[[nr, rows, cols], dtype]],
        ) -> pl.Tensor[[nr, rows, cols], dtype]:
            data_buf = pld.alloc_window_buffer(rows * cols * dtype.get_byte())
            signal_buf = pld.alloc_window_buffer(s0 * s1 * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buf, [rows, cols], dtype=dtype)
                signal = pld.window(signal_buf, [s0, s1], dtype=pl.INT32)
                self.chip_orch(inputs[r], outputs[r], data, signal, device=r)
            return outputs

    return AllReduceInCore


class TestAllReduce:
    @pytest.mark.parametrize("mode", ["mesh", "ring"])
    @pytest.mark.parametrize("op_name", sorted(REDUCE))
    def test_ops(self, test_config, device_ids, op_name, mode):
        op, golden = REDUCE[op_name]
        n = len(device_ids)
        prog = _build_incore(n, (2, 64), pl.FP32, op, mode)
        compiled = ir.compile(prog, platform=test_config.platform, distributed_config=DistributedConfig(device_ids=device_ids))
        torch.manual_seed(1)
        inputs = torch.rand(n, 2, 64) + 0.5
        outputs = torch.zeros_like(inputs)
        compiled(inputs, outputs)
        expected = golden(inputs)
        for r in range(n):
            assert torch.allclose(outputs[r], expected, rtol=1e-5, atol=1e-5), (
                f"rank {r}: max diff = {(outputs[r] - expected).abs().max().item()}"
            )

    @pytest.mark.parametrize(
        "dtype,rows,cols,tol",
        [
            pytest.param(pl.FP32, 4, 256, 1e-5, id="fp32-small"),
            pytest.param(pl.FP16, 3, 128, 1e-2, id="fp16"),
            pytest.param(pl.FP32, 33, 512, 1e-5, id="fp32-chunked"),
        ],
    )
    def test_shapes(self, test_config, device_ids, dtype, rows, cols, tol):
        n = len(device_ids)
        prog = _build_incore(n, (rows, cols), dtype, pld.ReduceOp.Sum, "mesh")
        compiled = ir.compile(prog, platform=test_config.platform, distributed_config=DistributedConfig(device_ids=device_ids))
        inputs = torch.randn(n, rows, cols).to(TORCH[dtype])
        outputs = compiled(inputs)
        expected = inputs.to(torch.float32).sum(dim=0)
        for r in range(n):
            torch.testing.assert_close(outputs[r].float(), expected, rtol=tol, atol=tol)

    def test_rejects_int32(self):
        with pytest.raises(Exception, match="target dtype must be FP16 or FP32"):
            _build_incore(2, (1, 64), pl.INT32, pld.ReduceOp.Sum, "mesh")

    @pytest.mark.parametrize("bad", ["tree", "butterfly"])
    def test_unknown_mode(self, test_config, device_ids, bad):
        prog = _build_incore(len(device_ids), (1, 64), pl.FP32, pld.ReduceOp.Sum, bad)
        with pytest.raises(ValueError, match='mode must be "ring" or "mesh"'):
            ir.compile(prog, platform=test_config.platform, distributed_config=DistributedConfig(device_ids=device_ids))


if __name__ == "__main__":
    sys.exit(pytest.main([__file__, "-v", *sys.argv[1:]]))
