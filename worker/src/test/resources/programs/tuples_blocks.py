"""Several results under one name, made in one block of a chip function and read in the next."""

# devices: 0,1

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import RunConfig
P = 2

@pl.jit.incore
def two(x: pl.Tensor, y: pl.Out[pl.Tensor], z: pl.Out[pl.Tensor]):
    t = pl.load(x, [0, 0], [4, 32])
    y = pl.store(pl.add(t, 1.0), [0, 0], y)
    z = pl.store(pl.mul(t, 2.0), [0, 0], z)
    return y, z

@pl.jit
def chip(x: pl.Tensor, y: pl.Out[pl.Tensor], z: pl.Out[pl.Tensor]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="made"):
        pair = (pl.add(x, 1.0), pl.mul(x, 2.0))
        y = pl.assemble(y, pair[0], [0, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="used"):
        z = pl.assemble(z, pair[1], [0, 0])
    return y, z

@pl.jit
def chip2(x: pl.Tensor, y: pl.Out[pl.Tensor], z: pl.Out[pl.Tensor]):
    r = two(x, y, z)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="used"):
        t = pl.add(r[0], r[1])
        y = pl.assemble(r[0], t, [0, 0])
    return y

@pl.jit.host
def host(x: pl.Tensor, y: pl.Out[pl.Tensor], z: pl.Out[pl.Tensor], w: pl.Out[pl.Tensor], v: pl.Out[pl.Tensor]):
    for r in pl.range(pld.world_size()):
        got = chip(x[r], y[r], z[r], device=r)
        chip2(x[r], w[r], v[r], device=r)

x = torch.randn(P, 4, 32)
y, z, w, v = (torch.zeros(P, 4, 32) for _ in range(4))
cfg = RunConfig(platform="a2a3sim", distributed_config=DistributedConfig(device_ids=[0, 1], num_sub_workers=0))
host.compile(x, y, z, w, v, config=cfg)(x, y, z, w, v, config=RunConfig(platform="a2a3sim"))
assert torch.equal(y, x + 1)
assert torch.equal(z, x * 2)
assert torch.allclose(w, x * 3 + 1)
assert torch.equal(v, x * 2)
print("OK")
