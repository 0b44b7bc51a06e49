# devices: 0,1
import pypto.language as pl
import pypto.language.distributed as pld
import pytest
import torch
from pypto import ir
from pypto.ir import DistributedConfig

def build(nr, size=64, dt=pl.FP32):
    @pl.program
    class P:
        @pl.function(type=pl.FunctionType.InCore)
        def k(
            self,
            x: pl.Tensor[[1, size], dt],
            y: pl.Out[pl.Tensor[[1, size], dt]],
            d: pl.InOut[pld.DistributedTensor[[1, size], dt]],
            s: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, size], dt]:
            d = pl.store(pl.load(x, [0, 0], [1, size]), [0, 0], d)
            d = pld.tensor.allreduce(d, s, op=pld.ReduceOp.Sum)
            return pl.store(pl.load(d, [0, 0], [1, size]), [0, 0], y)

        @pl.function(type=pl.FunctionType.Orchestration)
        def o(
            self,
            x: pl.Tensor[[1, size], dt],
            y: pl.Out[pl.Tensor[[1, size], dt]],
            d: pl.InOut[pld.DistributedTensor[[1, size], dt]],
            s: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]],
        ) -> pl.Tensor[[1, size], dt]:
            return self.k(x, y, d, s)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def h(
            self,
            x: pl.Tensor[[nr, 1, size], dt],
            y: pl.Out[pl.Tensor[[nr, 1, size], dt]],
        ) -> pl.Tensor[[nr, 1, size], dt]:
            db = pld.alloc_window_buffer(size * dt.get_byte())
            sb = pld.alloc_window_buffer(nr * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                d = pld.window(db, [1, size], dtype=dt)
                s = pld.window(sb, [nr, 1], dtype=pl.INT32)
                self.o(x[r], y[r], d, s, device=r)
            return y

    return P


class TestConsts:
    SIZES = (32, 64)
    NAMES = {"sum": torch.sum}
    RTOL = 1e-5

    @pytest.mark.parametrize("size", SIZES)
    @pytest.mark.parametrize("name", list(NAMES), ids=[n.upper() for n in NAMES])
    def test_sizes(self, test_config, device_ids, size, name):
        n = len(device_ids)
        f = ir.compile(build(n, size), platform=test_config.platform, distributed_config=DistributedConfig(device_ids=device_ids))
        x = torch.randn(n, 1, size)
        y = f(x)
        assert torch.allclose(y[0], self.NAMES[name](x, 0), rtol=self.RTOL, atol=1e-5)

    @pytest.fixture
    def prepared(self, test_config, device_ids):
        n = len(device_ids)
        f = ir.compile(build(n), platform=test_config.platform, distributed_config=DistributedConfig(device_ids=device_ids))
        x = torch.zeros(n, 1, 64).share_memory_()
        y = torch.zeros(n, 1, 64).share_memory_()
        with f.prepare() as rt:
            yield rt, x, y

    @pytest.mark.parametrize("value", [1.0, 2.0])
    def test_prepared(self, prepared, value):
        rt, x, y = prepared
        x.fill_(value)
        rt(x, y)
        assert torch.equal(y, torch.full_like(y, value * x.shape[0]))

    class TestInner:
        def test_inner(self, test_config, device_ids):
            n = len(device_ids)
            f = ir.compile(build(n, 16), platform=test_config.platform, distributed_config=DistributedConfig(device_ids=device_ids))
            x = torch.ones(n, 1, 16)
            torch.testing.assert_close(f(x), torch.full((n, 1, 16), float(n)))


def test_raises_value(test_config, device_ids):
    n = len(device_ids)
    f = ir.compile(build(n), platform=test_config.platform, distributed_config=DistributedConfig(device_ids=device_ids))
    with pytest.raises((TypeError, ValueError, RuntimeError)):
        f(torch.zeros(n, 1, 64), torch.zeros(n, 1, 64), torch.zeros(1))
    with pytest.raises(Exception) as ei:
        f([1, 2], torch.zeros(n, 1, 64))
    assert "host torch.Tensor" in str(ei.value)
    y = f(torch.ones(n, 1, 64))
    assert y.eq(n).all()
