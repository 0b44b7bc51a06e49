package io.ringmaster.worker.frontend;

import static java.util.stream.Collectors.joining;

import io.ringmaster.worker.frontend.JitHeader.AnyParam;
import io.ringmaster.worker.frontend.JitHeader.ExactParam;
import io.ringmaster.worker.frontend.JitHeader.Parameter;
import io.ringmaster.worker.frontend.JitHeader.ScalarParam;
import io.ringmaster.worker.frontend.JitHeader.TensorParam;
import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.frontend.values.TypeText;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function.Direction;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.ir.Function.Param;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.source.Stmt;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The free functions of a JIT program. Each is read when it is called, once for every set of
 * argument types it is called with, and becomes a function of the program.
 */
final class JitCallees {

  private static final int MOST_READINGS = 200;
  private static final int DEEPEST = 40;
  private static final int LONGEST_TYPES = 120;

  private final ProgramAssembly program;
  private final JitHeaderReader reader;
  private final IdentityHashMap<Stmt.FunctionDef, List<JitHeader>> headers =
      new IdentityHashMap<>();
  private final Map<String, FunctionSignature> readings = new HashMap<>();
  private final Deque<Integer> open = new ArrayDeque<>();

  /** The numbers of those whose head was refused and whose body has been read. */
  private final Set<Integer> broken = new HashSet<>();

  private final Map<String, ClosureValue.Kernel> methods = new HashMap<>();
  private int numbers;

  JitCallees(ProgramAssembly program) {
    this.program = program;
    this.reader = new JitHeaderReader(program.table(), program.messages());
  }

  /** What a call gives a parameter. */
  sealed interface Given {

    /** A value of this type, another one at every call. */
    record Runtime(Type type) implements Given {}

    /** This Python value, or, with a type, this scalar. */
    record Known(ClosureValue value, Optional<Expr> scalar) implements Given {}
  }

  /** What a function says about itself; empty when it isn't one of the JIT form. */
  Optional<JitHeader> header(ClosureValue.Kernel kernel) {
    List<JitHeader> known = headers.computeIfAbsent(kernel.definition(), _ -> new ArrayList<>());
    for (JitHeader header : known) {
      if (header.scope().equals(kernel.scope())) {
        return Optional.of(header);
      }
    }
    Optional<JitHeader> header = reader.read(kernel, numbers++);
    header.ifPresent(known::add);
    return header;
  }

  /**
   * The function of the program that a call with these arguments calls.
   *
   * @param given one for each parameter
   * @param level where it runs
   * @param blocks true when its last parameter is to be the number of the block that runs
   * @param at the call
   */
  FunctionSignature reading(
      JitHeader header, List<Given> given, Level level, boolean blocks, Span at) {
    String key = header.number() + " " + level + " " + blocks + " " + describe(given);
    FunctionSignature known = readings.get(key);
    if (known != null) {
      return known;
    }
    requireRoom(header, at);
    Messages messages = program.messages();
    ParameterOrder.check(header, messages);
    messages.enter(open.isEmpty() ? "" : reading(header, given, at));
    open.push(header.number());
    Runnable reading =
        () -> {
          long errors = messages.errors();
          FunctionSignature done = read(header, given, level, blocks);
          readings.put(key, messages.errors() > errors ? done.asBroken() : done);
        };
    if (header.role() == JitRole.INLINE) {
      reading.run();
    } else {
      messages.certainly(reading);
    }
    open.pop();
    messages.leave();
    return Objects.requireNonNull(readings.get(key));
  }

  /** For the hints of messages about a body, whose types the call decides. */
  private static String reading(JitHeader header, List<Given> given, Span at) {
    StringBuilder types = new StringBuilder();
    for (int i = 0; i < given.size(); i++) {
      if (given.get(i) instanceof Given.Runtime(Type type)
          && !(type instanceof Type.Scalar)
          && types.length() < LONGEST_TYPES) {
        types
            .append(types.isEmpty() ? ", for which " : ", ")
            .append(header.params().get(i).name())
            .append(" is ")
            .append(TypeText.of(type));
      }
    }
    return "'" + header.name() + "' is read here for the call in line " + at.line() + types;
  }

  private void requireRoom(JitHeader header, Span at) {
    if (open.contains(header.number())) {
      throw Refusal.of("Function '" + header.name() + "' calls itself", "write a loop", at);
    }
    if (open.size() >= DEEPEST) {
      throw Refusal.of(
          "calls are nested more than " + DEEPEST + " functions deep at '" + header.name() + "'",
          "put the steps into one function",
          at);
    }
    if (readings.size() >= MOST_READINGS) {
      throw Refusal.of(
          "the functions of this program are called with more than "
              + MOST_READINGS
              + " different sets of argument types",
          "call them with fewer different shapes",
          at);
    }
  }

  private FunctionSignature read(JitHeader header, List<Given> given, Level level, boolean blocks) {
    List<Param> params = new ArrayList<>();
    Map<String, ClosureValue> constants = new LinkedHashMap<>();
    Map<String, Expr> values = new LinkedHashMap<>();
    for (int i = 0; i < given.size(); i++) {
      Parameter param = header.params().get(i);
      switch (given.get(i)) {
        case Given.Runtime(Type type) ->
            params.add(new Param(param.name(), type, direction(header, param), param.span()));
        case Given.Known(ClosureValue value, var scalar) -> {
          if (scalar.isPresent()) {
            values.put(param.name(), scalar.get());
          } else {
            constants.put(param.name(), value);
          }
        }
      }
    }
    Optional<Param> block = blocks ? Optional.of(blockParam(header)) : Optional.empty();
    block.ifPresent(params::add);
    return program.add(
        program.reader(header.scope(), Optional.of(this)),
        signature(header, level, params),
        new Prologue(form(header), constants, values, firstOutput(header), block));
  }

  /**
   * Says what is wrong with the body of a function whatever it is called with. What only a call
   * decides is unknown in this reading: the tensors, and the level of inline code.
   */
  void readWithoutCall(JitHeader header) {
    List<Param> params = new ArrayList<>();
    for (Parameter param : header.params()) {
      Type type =
          switch (param.declared()) {
            case ScalarParam(var dtype) when header.role() != JitRole.INLINE ->
                new Type.Scalar(dtype);
            case ExactParam(Type exact, _) -> exact;
            case ScalarParam _, TensorParam _, AnyParam _ -> new Type.None();
          };
      params.add(new Param(param.name(), type, Direction.IN, param.span()));
    }
    Messages messages = program.messages();
    open.push(header.number());
    if (header.role() == JitRole.INLINE) {
      messages.common(
          Stream.of(Level.values())
              .<Runnable>map(level -> () -> readBody(header, level, params))
              .toList());
    } else {
      messages.certainly(() -> readBody(header, header.role().level(Level.HOST), params));
    }
    open.pop();
  }

  /** Says, once, what is wrong with the body of a function whose head was refused. */
  void readBroken(JitHeader header) {
    if (open.size() < DEEPEST && !open.contains(header.number()) && broken.add(header.number())) {
      readWithoutCall(header);
    }
  }

  private void readBody(JitHeader header, Level level, List<Param> params) {
    Prologue prologue =
        new Prologue(
            form(header), Map.of(), Map.of(), Optional.empty(), Optional.of(blockParam(header)));
    program
        .reader(header.scope(), Optional.of(this))
        .build(signature(header, level, params), prologue);
  }

  private FunctionSignature signature(JitHeader header, Level level, List<Param> params) {
    return new FunctionSignature(
        freshName(header.name()),
        level,
        0,
        params,
        Optional.empty(),
        false,
        header.definition(),
        header.definition().nameSpan());
  }

  private static BodyForm form(JitHeader header) {
    return new BodyForm(true, AssignedNames.once(header.definition().body()));
  }

  private static Param blockParam(JitHeader header) {
    return BlockIndexUse.param(header.definition());
  }

  /** Makes a method of a class one that stands in for each of its calls. */
  void addMethod(ClosureValue.Kernel method) {
    methods.put(method.definition().name(), method);
  }

  /** The inline method of that name. */
  Optional<ClosureValue.Kernel> method(String name) {
    return Optional.ofNullable(methods.get(name));
  }

  /**
   * Reads the body of an inline function in its caller.
   *
   * @param body its statements, in the caller's names
   * @return what reads the rest of it
   */
  ExpressionBuilder readInPlace(
      JitHeader header, FunctionContext caller, List<Stmt> body, Span at) {
    requireRoom(header, at);
    open.push(header.number());
    FunctionSignature signature =
        new FunctionSignature(
            header.name(),
            caller.level(),
            0,
            List.of(),
            Optional.empty(),
            false,
            header.definition(),
            header.definition().nameSpan());
    Optional<JitCallees> free = Optional.of(this);
    program.reader(header.scope(), free).readInto(caller, signature, body);
    open.pop();
    return new ExpressionBuilder(
        caller, header.scope(), program.table(), program.signatures(), free);
  }

  /** Inline code has no outputs of its own: what it does to its arguments is seen in its body. */
  private static Direction direction(JitHeader header, Parameter param) {
    return header.role() == JitRole.INLINE ? Direction.IN : param.declared().direction();
  }

  private static Optional<String> firstOutput(JitHeader header) {
    return header.params().stream()
        .filter(param -> param.declared().direction() == Direction.OUT)
        .map(Parameter::name)
        .findFirst();
  }

  String freshName(String wanted) {
    String name = wanted;
    for (int i = 2; program.signatures().find(name).isPresent(); i++) {
      name = wanted + "_" + i;
    }
    return name;
  }

  private static String describe(List<Given> given) {
    return given.stream()
        .map(
            one ->
                switch (one) {
                  case Given.Runtime(Type type) -> TypeText.of(type);
                  case Given.Known(ClosureValue value, var scalar) ->
                      scalar.map(TypeText::scalar).orElse("") + value;
                })
        .collect(joining("; "));
  }

  /**
   * The type a parameter has in a call: shape and element type of the argument, the names of
   * dynamic dims and the kind of memory as annotated.
   *
   * @param caller what is known about the extents of the argument
   */
  Type type(JitHeader header, Parameter param, Type argument, FunctionContext caller, Span span) {
    return switch (param.declared()) {
      case ScalarParam(var dtype) -> new Type.Scalar(dtype);
      case ExactParam(Type type, _) -> type;
      case TensorParam declared when argument instanceof Type.Tensor given -> {
        if (declared.window() && !given.window()) {
          throw FunctionCallBuilder.noWindow(header.name(), param.name(), given, span);
        }
        Type.Tensor type = (Type.Tensor) flow(header, param, declared, given, caller, span);
        yield new Type.Tensor(
            type.shape(), type.dtype(), type.window(), valid(header, param, given, caller, span));
      }
      case AnyParam _ when argument instanceof Type.Tensor given ->
          new Type.Tensor(
              extents(param, List.of(), given, caller, span),
              given.dtype(),
              given.window(),
              valid(header, param, given, caller, span));
      case AnyParam _ when argument instanceof Type.Tile(var shape, var dtype, var memory, _) ->
          new Type.Tile(shape, dtype, memory, List.of());
      case AnyParam _ -> argument;
      case TensorParam _ -> new Type.None();
    };
  }

  /** An inline function sees how far its argument is valid; others take all of it. */
  private static List<Expr> valid(
      JitHeader header, Parameter param, Type.Tensor given, FunctionContext caller, Span span) {
    if (given.valid().isEmpty() || header.role() != JitRole.INLINE) {
      return List.of();
    }
    List<Expr> fixed =
        given.valid().stream().flatMap(extent -> caller.fixed(extent).stream()).toList();
    if (fixed.size() < given.valid().size()) {
      throw Refusal.of(
          "inline function '"
              + header.name()
              + "' gets '"
              + param.name()
              + "' with a valid_shape that only the run knows: "
              + TypeText.shape(given.valid()),
          "fill it with pl.fillpad first, or write the operations in the kernel itself",
          span);
    }
    return fixed;
  }

  private Type flow(
      JitHeader header,
      Parameter param,
      TensorParam declared,
      Type.Tensor given,
      FunctionContext caller,
      Span span) {
    Type.Tensor type =
        new Type.Tensor(
            extents(param, declared.shape(), given, caller, span),
            given.dtype(),
            declared.window());
    if (declared.dtype().isPresent()) {
      Type.Tensor annotated =
          new Type.Tensor(declared.shape(), declared.dtype().get(), declared.window());
      if (!TypeText.of(annotated).equals(TypeText.of(type))) {
        program
            .messages()
            .warning(
                "parameter '"
                    + param.name()
                    + "' of '"
                    + header.name()
                    + "' is annotated "
                    + TypeText.of(annotated)
                    + " and gets "
                    + TypeText.of(type)
                    + ": the call decides",
                "shapes and dtypes come from the call: correct the annotation or the argument",
                span);
      }
    }
    return type;
  }

  private static List<Expr> extents(
      Parameter param, List<Expr> annotated, Type.Tensor given, FunctionContext caller, Span span) {
    boolean named = annotated.size() == given.shape().size();
    List<Expr> extents = new ArrayList<>();
    for (int axis = 0; axis < given.shape().size(); axis++) {
      Expr extent =
          caller.fixed(given.shape().get(axis)).orElseThrow(() -> missing(param, given, span));
      boolean dynamic = named && !(annotated.get(axis) instanceof Expr.IntConst);
      extents.add(dynamic ? annotated.get(axis) : extent);
    }
    return extents;
  }

  private static Refusal missing(Parameter param, Type.Tensor given, Span span) {
    return Refusal.of(
        "missing inferred tensor metadata for parameter '"
            + param.name()
            + "': the argument is "
            + TypeText.of(given).replaceAll("world_size_t\\d+", "pld.world_size()")
            + ", and that shape is known at run time only",
        "give it a constant or pl.dynamic shape, or write the program as a @pl.program class",
        span);
  }
}
