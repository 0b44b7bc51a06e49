# Tasks with handles: an array of them, a task that only waits for others. They run in order.
# devices: 0
import pypto.language as pl
import torch


@pl.jit
def chip(x: pl.Tensor[[8, 32], pl.FP32], y: pl.Out[pl.Tensor[[8, 32], pl.FP32]]):
    rows = pl.array.create(4, pl.TASK_ID)
    with pl.manual_scope():
        for i in pl.range(4):
            with pl.at(level=pl.Level.CORE_GROUP) as row:
                y = pl.store(pl.load(x, [i * 2, 0], [2, 32]), [i * 2, 0], y)
            rows[i] = row
        all_rows = pl.system.task_dummy(deps=[rows[k] for k in range(4)])
        with pl.at(level=pl.Level.CORE_GROUP, deps=[all_rows]):
            tile = pl.load(y, [0, 0], [8, 32])
            y = pl.store(pl.add(tile, 1.0), [0, 0], y)
    return y


x = torch.randn((8, 32))
y = chip(x)
assert torch.allclose(y, x + 1.0)
print("OK")
