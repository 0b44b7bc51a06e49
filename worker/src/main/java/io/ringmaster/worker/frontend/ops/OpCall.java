package io.ringmaster.worker.frontend.ops;

import io.ringmaster.worker.frontend.ClosureValue;
import io.ringmaster.worker.frontend.values.Extent;
import io.ringmaster.worker.frontend.values.Nearest;
import io.ringmaster.worker.frontend.values.PathNames;
import io.ringmaster.worker.frontend.values.PythonArithmetic;
import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.frontend.values.ScalarTyping;
import io.ringmaster.worker.frontend.values.TypeText;
import io.ringmaster.worker.frontend.values.Value;
import io.ringmaster.worker.ir.Attribute;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One call of an operation, with its arguments matched to parameters. Its methods read an argument
 * as what the operation needs and refuse it by name when it is something else.
 */
public final class OpCall {

  private static final List<String> DTYPES =
      Arrays.stream(DType.values()).map(dtype -> "pl." + dtype).toList();

  private final String name;
  private final Span span;
  private final Map<String, Arg> args;
  private final OpContext context;

  public OpCall(String name, Span span, Map<String, Arg> args, OpContext context) {
    this.name = name;
    this.span = span;
    this.args = Map.copyOf(args);
    this.context = context;
  }

  /** The operation as printed, e.g. {@code pld.system.notify}. */
  public String name() {
    return name;
  }

  public Span span() {
    return span;
  }

  public OpContext context() {
    return context;
  }

  /** True when the argument was given and isn't {@code None}. */
  public boolean has(String parameter) {
    Arg arg = args.get(parameter);
    return arg != null
        && !(arg.value() instanceof Value.Constant(ClosureValue value)
            && value instanceof ClosureValue.None);
  }

  /** True when the argument was given, even as {@code None}. */
  public boolean given(String parameter) {
    return args.containsKey(parameter);
  }

  public Arg arg(String parameter) {
    Arg arg = args.get(parameter);
    if (arg == null) {
      throw refuse("needs an argument '" + parameter + "'", "give it by position or by name");
    }
    return arg;
  }

  public Span spanOf(String parameter) {
    Arg arg = args.get(parameter);
    return arg == null ? span : arg.span();
  }

  /**
   * Reads arguments that have nothing to do with each other: each of them, whatever is wrong with
   * the ones before it, so that everything wrong with the call is said at once.
   */
  public void each(Runnable... arguments) {
    boolean failed = false;
    for (Runnable argument : arguments) {
      try {
        argument.run();
      } catch (Refusal refusal) {
        context.note(refusal);
        failed = true;
      }
    }
    if (failed) {
      throw Refusal.silent();
    }
  }

  /** A refusal about the whole call: the operation's name, then {@code text}. */
  public Refusal refuse(String text, String hint) {
    return Refusal.of(name + " " + text, hint, span);
  }

  /** A refusal about one argument. */
  public Refusal refuse(String parameter, String text, String hint) {
    return Refusal.of(name + " " + text, hint, spanOf(parameter));
  }

  /** What an argument is, for a message. */
  public String describe(String parameter) {
    return switch (arg(parameter).value()) {
      case Value.Dsl(Expr expr) -> TypeText.of(expr.type());
      case Value.Constant(ClosureValue value) -> PythonArithmetic.typeName(value);
      case Value.Items _ -> "list";
    };
  }

  /** The argument as a value of the kernel, when it is one. */
  public Optional<Expr> dsl(String parameter) {
    return arg(parameter).value() instanceof Value.Dsl(Expr expr)
        ? Optional.of(expr)
        : Optional.empty();
  }

  public boolean isTensor(String parameter) {
    return dsl(parameter).filter(e -> e.type() instanceof Type.Tensor).isPresent();
  }

  public boolean isTile(String parameter) {
    return dsl(parameter).filter(e -> e.type() instanceof Type.Tile).isPresent();
  }

  /** True for scalars of the kernel and for numbers known now. */
  public boolean isScalar(String parameter) {
    return switch (arg(parameter).value()) {
      case Value.Dsl(Expr expr) -> expr.type() instanceof Type.Scalar;
      case Value.Constant(ClosureValue value) ->
          value instanceof ClosureValue.Int
              || value instanceof ClosureValue.Float
              || value instanceof ClosureValue.Bool
              || value instanceof ClosureValue.DynamicDim;
      case Value.Items _ -> false;
    };
  }

  /** A tensor or window: {@code pl.load requires ... to be a TensorType}. */
  public Expr tensor(String parameter, String ordinal) {
    if (isTensor(parameter)) {
      return dsl(parameter).orElseThrow();
    }
    throw refuse(
        parameter,
        "requires " + ordinal + " argument to be a TensorType, got " + describe(parameter),
        isTile(parameter)
            ? "pass the tensor itself, not what pl.load returned"
            : "pass a tensor or a window");
  }

  public Expr tile(String parameter, String text, String hint) {
    if (isTile(parameter)) {
      return dsl(parameter).orElseThrow();
    }
    String other = isTensor(parameter) ? "load it with pl.load first" : "pass a tile";
    throw refuse(parameter, text + ", got " + describe(parameter), hint.isEmpty() ? other : hint);
  }

  /** A window that peers can address. */
  public Expr window(String parameter) {
    Optional<Expr> expr = dsl(parameter);
    if (expr.isPresent() && expr.get().type() instanceof Type.Tensor(_, _, boolean window, _)) {
      if (window) {
        return expr.get();
      }
    }
    throw refuse(
        parameter,
        "expects a DistributedTensor "
            + parameter
            + " (window-bound); got "
            + describe(parameter)
            + ": "
            + parameter
            + " must be a DistributedTensor",
        isTensor(parameter)
            ? "annotate the parameter as pld.DistributedTensor[...] and pass a pld.window view"
            : "pass a pld.window view");
  }

  /** A scalar; a literal gets {@code literal} as its type. */
  public Expr scalar(String parameter, DType literal, String text) {
    return scalar(arg(parameter), literal)
        .orElseThrow(
            () ->
                refuse(
                    parameter, text + ", got " + describe(parameter), "pass a number or a scalar"));
  }

  /** An integer scalar; a literal gets {@code literal} as its type. */
  public Expr integer(String parameter, DType literal, String text) {
    Expr expr = scalar(parameter, literal, text);
    if (expr.type() instanceof Type.Scalar(DType dtype) && dtype.isInteger()) {
      return expr;
    }
    throw refuse(
        parameter,
        text + ", got " + describe(parameter),
        "convert it with pl.cast, or compute it from integers");
  }

  private static Optional<Expr> scalar(Arg arg, DType literal) {
    return switch (arg.value()) {
      case Value.Dsl(Expr expr) when expr.type() instanceof Type.Scalar -> Optional.of(expr);
      case Value.Dsl _, Value.Items _ -> Optional.empty();
      case Value.Constant(ClosureValue value) -> constant(value, literal, arg.span());
    };
  }

  private static Optional<Expr> constant(ClosureValue value, DType literal, Span span) {
    return switch (value) {
      case ClosureValue.Int(long number) when literal == DType.INT32 && number != (int) number ->
          throw Refusal.of(
              number + " doesn't fit into INT32",
              "signal cells, their values and ranks have 32 bits",
              span);
      case ClosureValue.Int(long number) ->
          Optional.of(
              ScalarTyping.convert(new Expr.IntConst(number, DType.INDEX, span), literal, span));
      case ClosureValue.Float(double number) ->
          Optional.of(new Expr.FloatConst(number, literal.isFloat() ? literal : DType.FP32, span));
      case ClosureValue.Bool(boolean truth) -> Optional.of(new Expr.BoolConst(truth, span));
      case ClosureValue.DynamicDim(String dim) -> Optional.of(new Expr.Dim(dim, span));
      case ClosureValue.Text _,
          ClosureValue.None _,
          ClosureValue.Sequence _,
          ClosureValue.Dtype _,
          ClosureValue.Path _,
          ClosureValue.Kernel _,
          ClosureValue.Annotation _,
          ClosureValue.Unsupported _ ->
          Optional.empty();
    };
  }

  /** A list of integer scalars, such as offsets; literals are INDEX. */
  public List<Expr> integers(String parameter) {
    List<Expr> list = new ArrayList<>();
    for (Value element : elements(parameter)) {
      Expr scalar =
          scalar(new Arg(element, elementSpan(element, spanOf(parameter))), DType.INDEX)
              .orElseThrow(
                  () ->
                      refuse(
                          parameter,
                          parameter + " must be a list of integer scalars",
                          "e.g. [0, 0]"));
      if (!(scalar.type() instanceof Type.Scalar(DType dtype) && dtype.isInteger())) {
        throw refuse(
            parameter,
            parameter + " must have integer dtype, got " + TypeText.of(scalar.type()),
            "convert it with pl.cast, or compute it from integers");
      }
      list.add(scalar);
    }
    return list;
  }

  private static Span elementSpan(Value element, Span list) {
    return element instanceof Value.Dsl(Expr expr) && expr.span().isKnown() ? expr.span() : list;
  }

  private List<Value> elements(String parameter) {
    return arg(parameter)
        .value()
        .sequence()
        .orElseThrow(
            () ->
                refuse(
                    parameter,
                    parameter + " must be a tuple, got " + describe(parameter),
                    "write a list, e.g. [0, 0]"));
  }

  public boolean isList(String parameter) {
    return arg(parameter).value().sequence().isPresent();
  }

  /** A tile shape: positive constants. */
  public List<Long> tileShape(String parameter) {
    List<Long> shape = new ArrayList<>();
    for (Expr extent : integers(parameter)) {
      OptionalLong value = extentOf(extent).constant();
      if (value.isEmpty()) {
        throw refuse(
            parameter,
            parameter
                + " "
                + TypeText.scalar(extent)
                + " must be a compile-time constant: a tile lives in on-chip memory",
            "take the size from the factory that builds the program");
      }
      if (value.getAsLong() <= 0) {
        throw refuse(
            parameter,
            parameter + " " + value.getAsLong() + " must be positive",
            "the least extent is 1");
      }
      shape.add(value.getAsLong());
    }
    if (shape.isEmpty()) {
      throw refuse(parameter, "requires at least one dimension", "e.g. [1, 64]");
    }
    return shape;
  }

  public Extent extentOf(Expr expr) {
    return Extent.of(expr, context.symbols());
  }

  /** A list that must be as long as a tensor's rank. */
  public List<Expr> integers(String parameter, int rank, String of) {
    List<Expr> list = integers(parameter);
    if (list.size() != rank) {
      throw refuse(
          parameter,
          parameter + " rank (" + list.size() + ") must match " + of + " rank (" + rank + ")",
          "give one value for each dimension");
    }
    return list;
  }

  /** A Python int known now. */
  public long constantInt(String parameter, String text) {
    if (arg(parameter).value() instanceof Value.Constant(ClosureValue.Int(long value))) {
      return value;
    }
    throw refuse(parameter, text + ", got " + describe(parameter), "write the number itself");
  }

  /** A Python int known now, or {@code otherwise} when it wasn't given. */
  public long constantInt(String parameter, long otherwise, String text) {
    return given(parameter) ? constantInt(parameter, text) : otherwise;
  }

  public boolean constantBool(String parameter, boolean otherwise) {
    if (!given(parameter)) {
      return otherwise;
    }
    if (arg(parameter).value() instanceof Value.Constant(ClosureValue.Bool(boolean value))) {
      return value;
    }
    throw refuse(
        parameter,
        parameter + " must be True or False, got " + describe(parameter),
        "write True or False itself");
  }

  /** A string known now. */
  public String text(String parameter, String otherwise) {
    if (!given(parameter)) {
      return otherwise;
    }
    if (arg(parameter).value() instanceof Value.Constant(ClosureValue.Text(String value))) {
      return value;
    }
    throw refuse(
        parameter,
        parameter + " must be a string, got " + describe(parameter),
        "write the text itself");
  }

  /** A dtype: {@code pl.FP32} or a closure name for it. */
  public DType dtype(String parameter) {
    if (!has(parameter)) {
      throw refuse("requires dtype=" + " (parameter '" + parameter + "')", "e.g. dtype=pl.FP32");
    }
    return switch (arg(parameter).value()) {
      case Value.Constant(ClosureValue.Dtype(DType dtype)) -> dtype;
      case Value.Constant _, Value.Dsl _, Value.Items _ ->
          throw refuse(
              parameter,
              parameter + " must be a dtype such as pl.FP32, got " + describe(parameter),
              Nearest.hint(
                  enumMember(parameter).orElse(""), DTYPES, "e.g. pl.FP32, pl.INT32, pl.BF16"));
    };
  }

  /** An enum member as printed ({@code pld.NotifyOp.Set}), if the argument is one. */
  public Optional<String> enumMember(String parameter) {
    return arg(parameter).value() instanceof Value.Constant(ClosureValue.Path(String path))
        ? Optional.of(PathNames.printed(path))
        : Optional.empty();
  }

  /** The member's bare name ({@code Set}) when it belongs to {@code enumName}. */
  public Optional<String> member(String parameter, String enumName) {
    return enumMember(parameter)
        .filter(
            path ->
                path.startsWith("pl." + enumName + ".") || path.startsWith("pld." + enumName + "."))
        .map(path -> path.substring(path.lastIndexOf('.') + 1));
  }

  public Type.MemorySpace memory(String parameter, Type.MemorySpace otherwise) {
    if (!has(parameter)) {
      return otherwise;
    }
    Optional<String> member = member(parameter, "MemorySpace");
    for (Type.MemorySpace space : Type.MemorySpace.values()) {
      if (member.isPresent() && space.spelling().equals(member.get())) {
        return space;
      }
    }
    throw refuse(
        parameter,
        parameter
            + " must be one of pl.MemorySpace.Vec, Mat, Left, Right, Acc, Bias, got "
            + describe(parameter),
        "leave it away for pl.MemorySpace.Vec");
  }

  /** Element-wise accumulation: {@code AtomicType.Add}, or {@code None_} when left away. */
  public boolean atomic(String parameter) {
    if (!given(parameter)) {
      return false;
    }
    String member = member(parameter, "AtomicType").orElse("");
    return switch (member) {
      case "Add" -> true;
      case "None_" -> false;
      default ->
          throw refuse(
              parameter,
              "atomic must be AtomicType.None_ or AtomicType.Add, got " + describe(parameter),
              "atomic=pld.AtomicType.Add, or leave it away");
    };
  }

  /** The dtypes the hardware can add atomically. */
  public void requireAtomicAdd(DType dtype) {
    switch (dtype) {
      case FP32, BF16, FP16, INT32, INT16, INT8 -> {}
      case FP64,
          FP8E4M3FN,
          FP8E5M2,
          FP8E8M0,
          HF8,
          FP4,
          HF4,
          INT64,
          INT4,
          UINT64,
          UINT32,
          UINT16,
          UINT8,
          UINT4,
          INDEX,
          BOOL,
          TASK_ID ->
          throw refuse(
              "atomic",
              "with atomic=AtomicType.Add requires an fp32/bf16/fp16/int32/int16/int8 dtype (the"
                  + " hardware atomic-add dtypes), got "
                  + dtype,
              "use one of those dtypes, or write without atomic");
    }
  }

  /** The operation; attributes that say what holds anyway are left out. */
  public Expr op(OpCode code, List<Expr> operands, Map<String, Attribute> attributes, Type type) {
    Map<String, Attribute> said = new HashMap<>(attributes);
    said.entrySet().removeIf(entry -> isDefault(entry.getKey(), entry.getValue()));
    Expr.Op op = Expr.Op.of(code, operands, said, type, span);
    return code.isCollective() || said.containsKey("atomic") ? op.placed(places()) : op;
  }

  /** Where the arguments are, for what is only seen when a program is lowered. */
  private Map<String, Span> places() {
    Map<String, Span> places = new HashMap<>();
    args.forEach((parameter, arg) -> places.put(parameter, arg.span()));
    return places;
  }

  private static boolean isDefault(String attribute, Attribute value) {
    return switch (attribute) {
      case "clamp", "pipeline", "a_trans", "b_trans" -> value.equals(new Attribute.Bool(false));
      case "atomic" -> value.equals(new Attribute.Atomic(false));
      case "chunk_rows", "chunk_cols", "drop_mask" -> value.equals(new Attribute.Int(0));
      case "core_num" -> value.equals(new Attribute.Int(1));
      case "target_memory" -> value.equals(new Attribute.Memory(Type.MemorySpace.VEC));
      default -> false;
    };
  }

  public Expr tuple(List<Expr> elements, String parameter) {
    return new Expr.TupleExpr(elements, spanOf(parameter));
  }
}
