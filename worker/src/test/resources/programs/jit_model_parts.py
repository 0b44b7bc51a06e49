# Parts of model kernels: projections over blocks of k, a quantised product, rotary embedding, a norm
# and a projection that stand in for their calls, counting and moving rows, tasks in scopes.
# devices: 0
import pypto.language as pl
import torch


@pl.jit
def part_1(x: pl.Tensor[[16,64], pl.BF16], w: pl.Tensor[[64, 32], pl.BF16], y: pl.Out[pl.Tensor[[16,32], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        acc = pl.matmul(x[:, 0:32], w[0:32, :], out_dtype=pl.FP32)
        for k in pl.pipeline(32, 64, 32, stage=2):
            acc = pl.matmul_acc(acc, x[:, k:k+32], w[k:k+32, :])
        y = pl.assemble(y, acc, [0, 0])
    return y
x = torch.randn(16,64).bfloat16(); w = torch.randn(64,32).bfloat16()
assert torch.allclose(part_1(x, w), x.float()@w.float(), atol=1e-2)

@pl.jit
def part_2(x: pl.Tensor[[16,64], pl.BF16], w: pl.Tensor[[64, 32], pl.BF16], y: pl.Out[pl.Tensor[[16,32], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        acc = pl.create_tensor([16, 32], dtype=pl.FP32)
        for k in pl.range(0, 64, 32):
            acc = pl.matmul_acc(acc, x[:, k:k+32], w[k:k+32, :], init_cond=(k == 0))
        y = pl.assemble(y, acc, [0, 0])
    return y
x = torch.randn(16,64).bfloat16(); w = torch.randn(64,32).bfloat16()
assert torch.allclose(part_2(x, w), x.float()@w.float(), atol=1e-2)

@pl.jit
def part_3(x: pl.Tensor[[16,64], pl.FP32], w: pl.Tensor[[64, 32], pl.INT8], y: pl.Out[pl.Tensor[[16,32], pl.FP32]]):
    q = pl.create_tensor([16, 64], dtype=pl.INT8)
    s = pl.create_tensor([16, 1], dtype=pl.FP32)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="quant"):
        amax = pl.row_max(pl.abs(x))
        scale = pl.mul(amax, 1.0 / 127.0)
        qf = pl.row_expand_mul(x, pl.recip(scale))
        qi = pl.cast(pl.cast(pl.cast(qf, target_type=pl.INT32, mode="rint"), target_type=pl.FP16, mode="round"), target_type=pl.INT8, mode="trunc")
        q = pl.assemble(q, qi, [0, 0])
        s = pl.assemble(s, scale, [0, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="mm"):
        acc = pl.matmul(q, w, out_dtype=pl.INT32)
        f = pl.cast(acc, target_type=pl.FP32, mode="none")
        y = pl.assemble(y, pl.row_expand_mul(f, s), [0, 0])
    return y
x = torch.randn(16,64); w = torch.randint(-5, 5, (64,32), dtype=torch.int8)
sc = x.abs().amax(-1, keepdim=True)/127; qq = torch.round(x/sc)
got = part_3(x, w)
assert torch.allclose(got, (qq@w.float())*sc, rtol=1e-2, atol=0.2), (got-(qq@w.float())*sc).abs().max()

@pl.jit
def part_4(x: pl.Tensor[[8,64], pl.BF16], cos: pl.Tensor[[1,32], pl.FP32], sin: pl.Tensor[[1,32], pl.FP32], y: pl.Out[pl.Tensor[[8,64], pl.BF16]]):
    for b in pl.spmd(2, name_hint="rope"):
        r0 = b * 4
        lo = pl.cast(x[r0:r0+4, 0:32], target_type=pl.FP32)
        hi = pl.cast(x[r0:r0+4, 32:64], target_type=pl.FP32)
        nlo = pl.sub(pl.col_expand_mul(lo, cos), pl.col_expand_mul(hi, sin))
        nhi = pl.add(pl.col_expand_mul(hi, cos), pl.col_expand_mul(lo, sin))
        y[r0:r0+4, 0:32] = pl.cast(nlo, target_type=pl.BF16, mode="rint")
        y[r0:r0+4, 32:64] = pl.cast(nhi, target_type=pl.BF16, mode="rint")
    return y
x = torch.randn(8,64).bfloat16(); c = torch.rand(1,32); s = torch.rand(1,32)
lo, hi = x[:, :32].float(), x[:, 32:].float()
g = torch.cat([lo*c-hi*s, hi*c+lo*s], dim=1)
assert torch.allclose(part_4(x, c, s).float(), g, atol=3e-2)

@pl.jit
def part_5(idx: pl.Tensor[[8], pl.INT32], x: pl.Tensor[[8,32], pl.FP32], y: pl.Out[pl.Tensor[[8,32], pl.FP32]], cnt: pl.Out[pl.Tensor[[8], pl.INT32]]):
    rows = pl.tensor.dim(x, 0)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="count"):
        for i in pl.range(8):
            pl.write(cnt, [i], pl.const(0, pl.INT32))
        for i in pl.range(rows):
            e = pl.read(idx, [i])
            c = pl.read(cnt, [pl.cast(e, pl.INDEX)])
            pl.write(cnt, [pl.cast(e, pl.INDEX)], pl.cast(c + 1, pl.INT32))
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="move"):
        for i in pl.range(rows):
            e = pl.max(pl.min(pl.read(idx, [i]), 7), 0)
            y = pl.assemble(y, x[e : e + 1, :], [i, 0])
    return y, cnt
idx = torch.tensor([3,1,1,0,7,7,7,2], dtype=torch.int32); x = torch.randn(8,32)
y, cnt = part_5(idx, x)
assert torch.equal(y, x[idx.long()]) and torch.equal(cnt, torch.bincount(idx, minlength=8).int())

@pl.jit
def part_6(x: pl.Tensor[[2,4,32], pl.FP32], y: pl.Out[pl.Tensor[[8,32], pl.FP32]]):
    flat = pl.reshape(x, [8, 32])
    with pl.at(level=pl.Level.CORE_GROUP):
        y[:, :] = pl.mul(flat, 3.0)
    return y
x = torch.randn(2,4,32)
assert torch.allclose(part_6(x), 3*x.reshape(8,32))

@pl.jit.inline
def norm(x: pl.Tensor, w: pl.Tensor, o: pl.Tensor):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="norm"):
        s = pl.row_sum(pl.mul(x, x))
        r = pl.rsqrt(pl.add(pl.mul(s, 1.0/32), 1e-6))
        o = pl.assemble(o, pl.col_expand_mul(pl.row_expand_mul(x, r), w), [0, 0])
    return o
@pl.jit.inline
def proj(x: pl.Tensor, w: pl.Tensor, o: pl.Tensor):
    M = x.shape[0]
    N = w.shape[1]
    for nb in pl.spmd(N // 16, name_hint="proj"):
        n0 = nb * 16
        o[:, n0:n0+16] = pl.matmul(x, w[:, n0:n0+16], out_dtype=pl.FP32)
    return o
@pl.jit
def layer(x: pl.Tensor[[8,32], pl.FP32], wn: pl.Tensor[[1,32], pl.FP32], w: pl.Tensor[[32,32], pl.FP32], y: pl.Out[pl.Tensor[[8,32], pl.FP32]]):
    h = pl.create_tensor([8, 32], dtype=pl.FP32)
    h = norm(x, wn, h)
    y = proj(h, w, y)
    return y
x = torch.randn(8,32); wn = torch.rand(1,32); w = torch.randn(32,32)
g = (x*torch.rsqrt((x*x).mean(-1,keepdim=True)+1e-6)*wn)@w
assert torch.allclose(layer(x, wn, w), g, atol=1e-3)

@pl.jit
def part_8(x: pl.Tensor[[8,32], pl.FP32], y: pl.Out[pl.Tensor[[8,32], pl.FP32]]):
    with pl.scope():
        tids = pl.array.create(4, pl.TASK_ID)
        for i in pl.parallel(4):
            with pl.at(level=pl.Level.CORE_GROUP, name_hint="p", allow_early_resolve=True) as t:
                y[i*2:i*2+2, :] = pl.neg(x[i*2:i*2+2, :])
            tids[i] = t
        done = pl.system.task_dummy(deps=[tids[i] for i in range(4)])
        with pl.scope(mode=pl.ScopeMode.MANUAL):
            with pl.at(level=pl.Level.CORE_GROUP, deps=[done]):
                y[:, :] = pl.maximum(y, 0.0)
    return y
x = torch.randn(8,32)
assert torch.allclose(part_8(x), torch.relu(-x))
print("OK")
