# Results that nobody takes: what a function without return statement hands out is its first output,
# and a caller that ends after the call needs no name for it.
# devices: 0 | 0,1
import pypto.language as pl
import torch


@pl.jit.incore
def copy(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    pl.store(pl.load(x, [0, 0], [1, 64]), [0, 0], y)


@pl.jit.incore
def outer(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    copy(x, y)


@pl.jit
def chip(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    outer(x, y)


@pl.jit.host
def host(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    chip(x, y, device=0)


x = torch.randn((1, 64))
for function in [chip, host]:
    y = torch.zeros((1, 64))
    result = function(x, y)
    assert torch.equal(y, x)
    assert torch.equal(result, y)
print("OK")
