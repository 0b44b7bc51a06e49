package io.ringmaster.worker.script.torch;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.script.ScriptResult;
import io.ringmaster.worker.script.ScriptResult.Outcome;
import io.ringmaster.worker.script.Scripts;
import io.ringmaster.worker.script.check.Claim;
import io.ringmaster.worker.script.value.NativeFunction;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What is computed from a kernel's output still counts as the kernel's, through every operation.
 *
 * <p>{@code y} is the output, [2, 4] of float32 with the values 1 to 8; {@code x} the input with
 * the same values. Each line is an expression that {@code y} goes into.
 */
class TorchOriginTest {

  private static final String OPERATIONS =
      """
      torch.abs(y)
      y.abs_()
      torch.absolute(y)
      y.absolute_()
      torch.acos(y / 9)
      (y / 9).acos_()
      torch.acosh(y)
      torch.add(x, y)
      torch.add(x, x, alpha=y[0, 0])
      x.add_(y)
      torch.addbmm(x[:, :2], y.reshape(2, 2, 2), x.reshape(2, 2, 2))
      torch.addcdiv(x, y, x)
      x.addcdiv_(x, y)
      torch.addcmul(x, y, x)
      x.addcmul_(x, y)
      torch.addmm(x[:, :2], y, x.t())
      x.t().matmul(x).addmm_(x.t(), y)
      torch.addmv(x[:, 0], y, x[0])
      torch.addr(x, x[:, 0], y[0])
      torch.adjoint(y)
      torch.all(y)
      torch.amax(y, 1)
      torch.amin(y, dim=(0, 1))
      torch.aminmax(y)
      torch.any(y, dim=0)
      torch.arccos(y / 9)
      torch.arcsin(y / 9)
      torch.arctan(y)
      torch.arctan2(x, y)
      torch.argmax(y)
      torch.argmin(y, 1)
      torch.argsort(y)
      torch.argwhere(y > 3)
      torch.as_tensor(y)
      torch.asarray(y)
      torch.asarray(y, copy=True)
      torch.as_tensor(y, dtype=torch.float64)
      torch.asin(y / 9)
      (y / 9).asin_()
      torch.asinh(y)
      torch.atan(y)
      y.atan_()
      torch.atan2(x, y)
      x.atan2_(y)
      torch.atanh(y / 9)
      torch.atleast_1d(y)
      torch.atleast_2d(y)
      torch.atleast_3d(y)
      torch.baddbmm(x.reshape(2, 2, 2), x.reshape(2, 2, 2), y.reshape(2, 2, 2))
      torch.bernoulli(y / 8)
      y.bfloat16()
      torch.bincount(y.long()[0])
      torch.bincount(x.long()[0], weights=y[0])
      torch.bitwise_and(k, y.int())
      k.bitwise_and_(y.int())
      torch.bitwise_left_shift(k, y.int())
      torch.bitwise_not(y.int())
      y.int().bitwise_not_()
      torch.bitwise_or(k, y.int())
      k.bitwise_or_(y.int())
      torch.bitwise_right_shift(k, y.int())
      torch.bitwise_xor(k, y.int())
      k.bitwise_xor_(y.int())
      torch.block_diag(x, y)
      torch.bmm(x.reshape(2, 2, 2), y.reshape(2, 2, 2))
      y.bool()
      torch.broadcast_tensors(y, x[0])[0]
      torch.broadcast_to(y, (3, 2, 4))
      torch.bucketize(y, x[0])
      torch.bucketize(x, y[0])
      y.byte()
      torch.cartesian_prod(x[0], y[0])
      torch.cat([x, y])
      torch.cdist(x, y)
      torch.ceil(y)
      y.ceil_()
      y.char()
      torch.chunk(y, 2)
      torch.clamp(y, 2, 5)
      torch.clamp(x, min=y)
      y.clamp_(2, 5)
      torch.clamp_max(x, y)
      x.clamp_max_(y)
      torch.clamp_min(x, y)
      x.clamp_min_(y)
      torch.clip(y, 1, 3)
      y.clip_(1, 3)
      torch.clone(y)
      torch.column_stack([x, y])
      torch.concat([x, y], dim=1)
      torch.concatenate([x, y], axis=1)
      y.t().contiguous()
      x.copy_(y)
      torch.copysign(x, y)
      x.copysign_(y)
      torch.cos(y)
      y.cos_()
      torch.cosh(y)
      y.cosh_()
      torch.count_nonzero(y)
      y.cpu()
      torch.cummax(y, 1)
      torch.cummin(y, 1)
      torch.cumprod(y, 1)
      y.cumprod_(1)
      torch.cumsum(y, 1)
      y.cumsum_(1)
      torch.deg2rad(y)
      y.detach()
      y.detach_()
      y.data
      torch.diag(y)
      torch.diag_embed(y)
      torch.diagonal(y)
      torch.diff(y)
      torch.dist(x, y)
      torch.div(x, y)
      torch.div(x, y, rounding_mode='trunc')
      x.div_(y)
      torch.divide(x, y)
      x.divide_(y)
      torch.dot(x[0], y[0])
      y.double()
      torch.dstack([x, y])
      torch.einsum('ij,kj->ik', x, y)
      torch.einsum('ij->j', y)
      torch.einsum('ij,ij', y, x)
      torch.eq(x, y)
      x.eq_(y)
      torch.erf(y)
      y.erf_()
      torch.erfc(y)
      y.erfc_()
      torch.exp(y)
      y.exp_()
      torch.exp2(y)
      y.exp2_()
      y.expand(2, 2, 4)
      y.expand_as(x)
      torch.expm1(y)
      y.expm1_()
      x.fill_(y[0, 0])
      torch.fix(y)
      torch.flatten(y)
      torch.flip(y, [0])
      torch.fliplr(y)
      torch.flipud(y)
      y.float()
      torch.float_power(x, y)
      torch.floor(y)
      y.floor_()
      torch.floor_divide(x, y)
      x.floor_divide_(y)
      torch.fmax(x, y)
      torch.fmin(x, y)
      torch.fmod(x, y)
      x.fmod_(y)
      torch.frac(y)
      y.frac_()
      torch.full((2,), y[0, 0].item())
      torch.full((2,), y[0, 0])
      torch.full_like(x, y[0, 0])
      torch.gather(y, 1, i)
      torch.gather(x, 1, y.long()[:, :2] * 0)
      torch.ge(x, y)
      x.ge_(y)
      torch.ger(x[0], y[0])
      torch.greater(x, y)
      torch.greater_equal(x, y)
      torch.gt(x, y)
      x.gt_(y)
      y.half()
      torch.heaviside(x, y)
      torch.histc(y, bins=4)
      torch.hsplit(y, 2)
      torch.hstack([x, y])
      torch.hypot(x, y)
      torch.gcd(k, y.int())
      k.gcd(y.int())
      torch.lcm(k, y.int())
      torch.multinomial(y, 2)
      y.multinomial(3, replacement=True)
      torch.layer_norm(y, (4,))
      torch.rms_norm(y, (4,))
      torch.embedding(y, v)
      torch.cosine_similarity(x, y)
      x.hypot_(y)
      torch.index_add(x, 0, v, y)
      torch.index_add(x, 0, y[:, 0].long() * 0, x)
      x.index_add_(0, v, y)
      torch.index_copy(x, 0, v, y)
      x.index_copy_(0, v, y)
      torch.index_fill(x, 0, v, y[0, 0])
      torch.index_fill(y, 0, v, 0)
      x.index_fill_(0, v, y[0, 0])
      x.index_put_((v,), y)
      torch.index_select(y, 0, v)
      torch.index_select(x, 0, y[:, 0].long() * 0)
      torch.inner(x, y)
      y.int()
      torch.isclose(x, y)
      y.isclose(x)
      torch.isfinite(y)
      torch.isin(y, x)
      torch.isin(x, y)
      torch.isinf(y)
      torch.isnan(y)
      torch.isneginf(y)
      torch.isposinf(y)
      torch.isreal(y)
      torch.kron(x, y)
      torch.kthvalue(y, 2)
      torch.le(x, y)
      x.le_(y)
      torch.lerp(x, y, 0.5)
      torch.lerp(x, x, y)
      x.lerp_(y, 0.5)
      torch.less(x, y)
      torch.less_equal(x, y)
      torch.linalg.norm(y)
      torch.linalg.vector_norm(y, dim=1)
      torch.linalg.matrix_norm(y)
      torch.linalg.matmul(x, y.t())
      torch.log(y)
      y.log_()
      torch.log10(y)
      y.log10_()
      torch.log1p(y)
      y.log1p_()
      torch.log2(y)
      y.log2_()
      torch.log_softmax(y, 1)
      torch.logaddexp(x, y)
      torch.logcumsumexp(y, 1)
      torch.logical_and(x, y)
      x.logical_and_(y)
      torch.logical_not(y)
      y.logical_not_()
      torch.logical_or(x, y)
      x.logical_or_(y)
      torch.logical_xor(x, y)
      x.logical_xor_(y)
      torch.logit(y / 9)
      torch.logsumexp(y, 1)
      y.long()
      torch.lt(x, y)
      x.lt_(y)
      torch.masked_fill(y, x > 2, 0)
      torch.masked_fill(x, y > 2, 0)
      torch.masked_fill(x, x > 2, y[0, 0])
      x.masked_fill_(y > 2, 0)
      torch.masked_scatter(x, x > 2, y)
      torch.masked_scatter(x, y > 2, x)
      x.masked_scatter_(x > 2, y)
      torch.masked_select(y, x > 2)
      torch.masked_select(x, y > 2)
      torch.matmul(x, y.t())
      torch.max(y)
      torch.max(y, 1)
      torch.maximum(x, y)
      torch.mean(y)
      torch.median(y)
      torch.median(y, 1)
      torch.meshgrid(y[0], x[0])[0]
      torch.min(y)
      torch.minimum(x, y)
      torch.mm(x, y.t())
      torch.moveaxis(y, 0, 1)
      torch.movedim(y, 0, 1)
      torch.msort(y)
      torch.mul(x, y)
      x.mul_(y)
      torch.multiply(x, y)
      x.multiply_(y)
      torch.mv(x, y[0])
      torch.nan_to_num(y)
      y.nan_to_num_()
      torch.nanmean(y)
      torch.nansum(y)
      torch.narrow(y, 1, 0, 2)
      torch.ne(x, y)
      x.ne_(y)
      torch.neg(y)
      y.neg_()
      torch.negative(y)
      y.negative_()
      x.new_full((2,), y[0, 0])
      x.new_tensor(y)
      torch.nonzero(y > 2)
      torch.nonzero(y > 2, as_tuple=True)
      torch.norm(y)
      torch.normal(y, 0.0)
      torch.not_equal(x, y)
      torch.outer(x[0], y[0])
      torch.permute(y, (1, 0))
      y.pin_memory()
      torch.positive(y)
      torch.pow(x, y)
      torch.pow(2, y)
      x.pow_(y)
      torch.prod(y)
      torch.quantile(y, 0.5)
      torch.rad2deg(y)
      torch.ravel(y)
      torch.reciprocal(y)
      y.reciprocal_()
      torch.relu(y)
      y.relu_()
      torch.remainder(x, y)
      x.remainder_(y)
      y.repeat(2, 1)
      torch.repeat_interleave(y, 2)
      torch.repeat_interleave(x[0], y[0].long())
      y.requires_grad_()
      torch.reshape(y, (8,))
      y.reshape_as(x)
      torch.roll(y, 1)
      torch.rot90(y)
      torch.round(y)
      y.round_()
      torch.row_stack([x, y])
      torch.rsqrt(y)
      y.rsqrt_()
      torch.rsub(x, y)
      torch.scalar_tensor(y[0, 0])
      torch.scatter(x, 1, i, y)
      torch.scatter(y, 1, i, 0.0)
      torch.scatter(x, 1, y.long()[:, :2] * 0, x)
      x.scatter_(1, i, y)
      torch.scatter_add(x, 1, i, y)
      x.scatter_add_(1, i, y)
      torch.scatter_reduce(x, 1, i, y, 'amax')
      x.scatter_reduce_(1, i, y, 'mean')
      torch.searchsorted(x[0], y)
      torch.searchsorted(y[0], x)
      torch.select(y, 0, 1)
      torch.sgn(y)
      y.sgn_()
      y.share_memory_()
      y.short()
      torch.sigmoid(y)
      y.sigmoid_()
      torch.sign(y)
      y.sign_()
      torch.signbit(y)
      torch.sin(y)
      y.sin_()
      torch.sinh(y)
      y.sinh_()
      torch.softmax(y, dim=1)
      torch.sort(y)
      torch.split(y, 1)
      torch.sqrt(y)
      y.sqrt_()
      torch.square(y)
      y.square_()
      torch.squeeze(y[:, :1])
      y[:, :1].squeeze_()
      torch.stack([x, y])
      torch.std(y)
      torch.std_mean(y)
      torch.sub(x, y)
      x.sub_(y)
      torch.subtract(x, y)
      x.subtract_(y)
      torch.sum(y)
      torch.swapaxes(y, 0, 1)
      y.swapaxes_(0, 1)
      torch.swapdims(y, 0, 1)
      y.swapdims_(0, 1)
      torch.t(y)
      y.t_()
      y.T
      y.mT
      torch.take(y, i)
      torch.take(x, y.long() * 0)
      torch.take_along_dim(y, i, 1)
      torch.tan(y)
      y.tan_()
      torch.tanh(y)
      y.tanh_()
      torch.tensor(y)
      torch.tensor(y.tolist())
      torch.tensor([y[0, 0], 1.0])
      torch.tensor_split(y, 2)
      torch.tensordot(x, y, dims=([1], [1]))
      torch.tile(y, (2,))
      y.to(torch.int32)
      torch.topk(y, 2)
      torch.trace(y)
      torch.transpose(y, 0, 1)
      y.transpose_(0, 1)
      torch.tril(y)
      y.tril_()
      torch.triu(y)
      y.triu_()
      torch.true_divide(x, y)
      x.true_divide_(y)
      torch.trunc(y)
      y.trunc_()
      y.type(torch.float64)
      y.type_as(x.double())
      torch.unbind(y)
      torch.unflatten(y, 1, (2, 2))
      y.unfold(1, 2, 1)
      torch.unique(y)
      torch.unique(y, return_inverse=True, return_counts=True)
      torch.unique_consecutive(y)
      torch.unsqueeze(y, 0)
      y.unsqueeze_(0)
      torch.var(y)
      torch.var_mean(y)
      torch.vdot(x[0], y[0])
      y.view(8)
      y.view_as(x)
      torch.vsplit(y, 2)
      torch.vstack([x, y])
      torch.where(y > 2)
      torch.where(y > 2, x, x)
      torch.where(x > 2, y, x)
      torch.where(x > 2, 0.0, y)
      y.where(x > 2, x)
      torch.xlogy(x, y)
      torch.add(x, y, out=torch.empty(2, 4))
      torch.max(y, 1, out=(torch.empty(2), torch.empty(2, dtype=torch.int64)))
      torch.stack([x, y], out=torch.empty(2, 2, 4))
      F.celu(y)
      F.cosine_similarity(x, y)
      F.cross_entropy(y, v)
      F.cross_entropy(x, y[:, 0].long() * 0)
      F.dropout(y, training=False)
      F.elu(y)
      F.embedding(y.long() * 0, x)
      F.embedding(v, y)
      F.gelu(y)
      F.glu(y)
      F.hardsigmoid(y)
      F.hardswish(y)
      F.hardtanh(y)
      F.huber_loss(x, y)
      F.l1_loss(x, y)
      F.layer_norm(y, (4,))
      F.layer_norm(x, (4,), weight=y[0])
      F.layer_norm(x, (4,), bias=y[0])
      F.leaky_relu(y)
      F.linear(x, y)
      F.linear(x, x, y[:, 0])
      F.log_softmax(y, dim=1)
      F.logsigmoid(y)
      F.mish(y)
      F.mse_loss(x, y)
      F.nll_loss(y, v)
      F.normalize(y)
      F.one_hot(y.long())
      F.pad(y, (1, 1))
      F.pad(x, (1, 1), value=y[0, 0].item())
      F.relu(y)
      F.relu6(y)
      F.rms_norm(y, (4,))
      F.rms_norm(x, (4,), weight=y[0])
      F.scaled_dot_product_attention(x[None], y[None], x[None])
      F.scaled_dot_product_attention(x[None], x[None], x[None], attn_mask=y[None, :, :2])
      F.selu(y)
      F.sigmoid(y)
      F.silu(y)
      F.smooth_l1_loss(x, y)
      F.softmax(y, dim=1)
      F.softmin(y, dim=1)
      F.softplus(y)
      F.softsign(y)
      F.tanh(y)
      F.tanhshrink(y)
      F.threshold(y, 2, 0)
      y[0]
      y[:, ::2]
      y[..., 0]
      y[None]
      y[y > 2]
      x[y > 2]
      y[v]
      x[y[:, 0].long() * 0]
      x[v, y[:, 0].long() * 0]
      y[True]
      y[[1, 0]]
      -y
      ~y.int()
      x - y
      x @ y.t()
      y ** 2
      2 / y
      y > x
      """;

  /** Names that give no tensor, or whose result doesn't depend on a tensor's values. */
  private static final Set<String> ELSEWHERE =
      Set.of(
          "__len__",
          "Generator",
          "set_float32_matmul_precision",
          "allclose",
          "arange",
          "broadcast_shapes",
          "can_cast",
          "device",
          "dim",
          "element_size",
          "empty",
          "empty_like",
          "enable_grad",
          "equal",
          "eye",
          "finfo",
          "get_default_dtype",
          "get_num_threads",
          "iinfo",
          "inference_mode",
          "initial_seed",
          "is_complex",
          "is_contiguous",
          "is_floating_point",
          "is_grad_enabled",
          "is_nonzero",
          "is_pinned",
          "is_same_size",
          "is_shared",
          "is_signed",
          "is_tensor",
          "item",
          "linspace",
          "logspace",
          "manual_seed",
          "ndimension",
          "nelement",
          "new_empty",
          "new_ones",
          "new_zeros",
          "no_grad",
          "normal_",
          "numel",
          "ones",
          "ones_like",
          "promote_types",
          "rand",
          "rand_like",
          "randint",
          "randint_like",
          "randn",
          "randn_like",
          "random_",
          "randperm",
          "result_type",
          "set_default_dtype",
          "set_grad_enabled",
          "set_num_interop_threads",
          "set_num_threads",
          "set_printoptions",
          "size",
          "storage_offset",
          "stride",
          "tolist",
          "tril_indices",
          "triu_indices",
          "uniform_",
          "use_deterministic_algorithms",
          "zero_",
          "zeros",
          "zeros_like");

  private static final String SETUP =
      """
      import torch.nn.functional as F
      x = torch.arange(8, dtype=torch.float32).reshape(2, 4) + 1
      y = torch.zeros(2, 4)
      run(Copy, x, y)
      i = torch.tensor([[0, 1], [1, 0]])
      k = torch.arange(8, dtype=torch.int32).reshape(2, 4)
      v = torch.tensor([1, 0])
      """;

  private static final String HELD =
      """
      def held(result):
          parts = result if isinstance(result, tuple) else (result,)
          for part in parts:
              assert (part == part.clone()).all() or part.isnan().any()

      """;

  static Stream<String> operations() {
    return OPERATIONS.lines();
  }

  @ParameterizedTest
  @MethodSource("operations")
  void aResultComputedFromAKernelsOutputCountsAsTheKernels(String operation) {
    ScriptResult result = Scripts.run(Scripts.PRELUDE + SETUP + HELD + "held(" + operation + ")\n");
    assertThat(result.outcome()).as(result.message()).isEqualTo(Outcome.FINISHED);
    // It is held against itself: only of a kernel's output is that said.
    assertThat(result.checks())
        .isNotEmpty()
        .allMatch(
            check ->
                check.verifies()
                    || check.explanation().startsWith(Claim.CAN_NOT_FAIL)
                    || check.explanation().startsWith(Claim.DOES_NOT_COUNT),
            "is the kernel's");
  }

  @ParameterizedTest
  @MethodSource("sizes")
  void aNumberOfElementsThatTheOutputDecidesCountsAsTheKernels(String size) {
    ScriptResult result = Scripts.run(Scripts.PRELUDE + SETUP + "assert " + size + "\n");
    assertThat(result.outcome()).as(result.message()).isEqualTo(Outcome.FINISHED);
    // How many there are may say too little of what they are: only of a kernel's output is that
    // said.
    assertThat(result.checks())
        .hasSize(1)
        .allMatch(
            check -> check.verifies() || check.explanation().startsWith(Claim.DOES_NOT_COUNT),
            "is the kernel's");
  }

  static Stream<String> sizes() {
    return Stream.of(
        "torch.nonzero(y != x).numel() == 0",
        "torch.nonzero(y != x).shape[0] == 0",
        "torch.nonzero(y != x).size(0) == 0",
        "torch.where(y != x)[0].numel() == 0",
        "len(torch.nonzero(y != x)) == 0",
        "len(y[y != x]) == 0",
        "y[y != x].numel() == 0",
        "torch.masked_select(y, y != x).numel() == 0",
        "torch.unique(y).numel() == 8",
        "(y != x).nonzero().flatten().numel() == 0");
  }

  @ParameterizedTest
  @MethodSource("unrelated")
  void aResultThatOnlyHasTheOutputsShapeIsNotTheKernels(String operation) {
    ScriptResult result =
        Scripts.run(Scripts.PRELUDE + SETUP + "r = " + operation + "\nassert (r == r).all()\n");
    assertThat(result.outcome()).as(result.message()).isEqualTo(Outcome.FINISHED);
    assertThat(result.isVerified()).isFalse();
  }

  static Stream<String> unrelated() {
    return Stream.of(
        "torch.zeros_like(y)",
        "torch.ones_like(y)",
        "torch.full_like(y, 3)",
        "torch.empty_like(y)",
        "y.new_zeros(3)",
        "torch.rand_like(y)",
        "y.clone().zero_()",
        "y.zero_()",
        "y.fill_(2)",
        "torch.arange(y.numel())",
        "x + 1");
  }

  @Test
  void everyFunctionAndMethodOfTensorsIsInTheTable() {
    Set<String> missing = new TreeSet<>(TensorMethods.TABLE.names());
    TorchModule.TORCH
        .members()
        .forEach(
            (name, value) -> {
              if (value instanceof NativeFunction) {
                missing.add(name);
              }
            });
    missing.addAll(Functional.MODULE.members().keySet());
    missing.addAll(LinearAlgebra.LINALG.members().keySet());
    Matcher names = Pattern.compile("\\.(\\w+)\\(").matcher(OPERATIONS);
    while (names.find()) {
      missing.remove(names.group(1));
    }
    missing.removeAll(ELSEWHERE);
    assertThat(missing).isEmpty();
  }
}
