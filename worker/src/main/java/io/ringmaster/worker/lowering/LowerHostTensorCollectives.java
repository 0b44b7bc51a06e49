package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Attribute;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Function.Direction;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.ir.Spans;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Collectives called from HOST become dispatches: {@code data = pld.tensor.allreduce(data, s)}
 * turns into a kernel {@code builtin_allreduce_0} with the schedule, a wrapper {@code
 * builtin_allreduce_0_chip}, and one call of the wrapper for each device of the operands' domain.
 */
public final class LowerHostTensorCollectives implements Pass {

  @Override
  public Program apply(Program program, LoweringContext context) {
    List<Function> functions = new ArrayList<>();
    for (Function f : program.functions()) {
      if (f.level() == Function.Level.HOST) {
        Host host = new Host(program, context, functions);
        functions.add(Blocks.withBody(f, host.body(f.body())));
      } else {
        functions.add(f);
      }
    }
    return new Program(program.name(), functions, program.domains());
  }

  /** Lowers the calls of one HOST function. */
  private static final class Host {
    private final Program program;
    private final LoweringContext context;
    private final List<Function> functions;
    private final WindowTracker windows;
    private final HostValues values;
    private int loops;

    Host(Program program, LoweringContext context, List<Function> functions) {
      this.program = program;
      this.context = context;
      this.functions = functions;
      this.windows = new WindowTracker(program);
      this.values = new HostValues(context.worldSize());
    }

    List<Stmt> body(List<Stmt> body) {
      List<Stmt> out = new ArrayList<>();
      for (Stmt stmt : body) {
        try {
          out.addAll(stmt(stmt));
        } catch (DiagnosticException mistake) {
          context.mistakes().add(mistake);
        }
        values.accept(stmt);
        windows.accept(stmt);
      }
      return out;
    }

    private List<Stmt> loop(List<Stmt> body) {
      loops++;
      List<Stmt> out = body(body);
      loops--;
      return out;
    }

    private List<Stmt> stmt(Stmt stmt) {
      return switch (stmt) {
        case Stmt.For s ->
            List.of(
                new Stmt.For(
                    s.variable(),
                    s.start(),
                    s.stop(),
                    s.step(),
                    s.kind(),
                    loop(s.body()),
                    s.span()));
        case Stmt.While s -> List.of(new Stmt.While(s.condition(), loop(s.body()), s.span()));
        case Stmt.If s ->
            List.of(new Stmt.If(s.condition(), body(s.thenBody()), body(s.elseBody()), s.span()));
        case Stmt.Assign s when LowerCompositeOps.isCollective(s.value()) -> {
          Expr.Op op = (Expr.Op) s.value();
          List<Stmt> out = new ArrayList<>(dispatch(op));
          if (!(LowerCompositeOps.result(op) instanceof Expr.Var v)
              || !v.name().equals(s.target().name())) {
            out.add(new Stmt.Assign(s.target(), LowerCompositeOps.result(op), s.span()));
          }
          yield out;
        }
        case Stmt.Eval s when LowerCompositeOps.isCollective(s.value()) ->
            dispatch((Expr.Op) s.value());
        case Stmt.Return s when s.values().stream().anyMatch(LowerCompositeOps::isCollective) -> {
          List<Stmt> out = new ArrayList<>();
          List<Expr> results = new ArrayList<>();
          for (Expr value : s.values()) {
            if (LowerCompositeOps.isCollective(value)) {
              out.addAll(dispatch((Expr.Op) value));
              results.add(LowerCompositeOps.result((Expr.Op) value));
            } else {
              results.add(value);
            }
          }
          out.add(new Stmt.Return(results, s.span()));
          yield out;
        }
        case Stmt.Assign _,
            Stmt.AssignTuple _,
            Stmt.Eval _,
            Stmt.Return _,
            Stmt.Break _,
            Stmt.Continue _,
            Stmt.Region _ ->
            List.of(stmt);
      };
    }

    /** True for a call with its signal, all of whose windows are known. */
    private boolean isComplete(Expr.Op op) {
      return op.operands().size() == HostCollectives.roles(op.code()).size()
          && op.operands().stream()
              .flatMap(operand -> windows.bufferOf(operand).stream())
              .allMatch(
                  buffer -> program.domains().stream().anyMatch(d -> d.buffers().contains(buffer)));
    }

    private List<Stmt> dispatch(Expr.Op op) {
      if (!context.mistakes().isEmpty() && !isComplete(op)) {
        return List.of();
      }
      if (op.code() == OpCode.ALL_TO_ALL_V && loops > 0) {
        throw Errors.at(
            op.span(),
            "pld.tensor.all_to_all_v is not supported inside a for/while loop in a HOST"
                + " orchestrator",
            "Call it from a kernel, or write the calls out.");
      }
      List<Optional<String>> buffers = op.operands().stream().map(windows::bufferOf).toList();
      HostChecks.operands(op, buffers);
      Program.Domain domain =
          MaterializeCommDomainScopes.domainOf(program, buffers.getLast().orElseThrow());
      DeviceSet devices =
          domain.coversAll() ? DeviceSet.ALL : new DeviceSet(false, domain.devices());
      new HostChecks(op, values, context, devices).check();

      Function kernel = kernel(withCapacity(op, devices));
      Function wrapper = wrapper(kernel);
      functions.add(kernel);
      functions.add(wrapper);
      return calls(op, wrapper, devices);
    }

    /** Notes the rows for each sender of an all_to_all_v, where the rank count is known. */
    private Expr.Op withCapacity(Expr.Op op, DeviceSet devices) {
      OptionalInt ranks = devices.size(context.worldSize());
      if (op.code() != OpCode.ALL_TO_ALL_V || ranks.isEmpty()) {
        return op;
      }
      OptionalLong rows =
          values.value(TensorView.of(LowerCompositeOps.result(op)).shape().getFirst());
      if (rows.isEmpty()) {
        return op;
      }
      long capacity = rows.getAsLong() / ranks.getAsInt();
      Map<String, Attribute> attributes = new TreeMap<>(op.attributes());
      attributes.put(HostSchedules.CAPACITY, new Attribute.Int(capacity));
      return Expr.Op.of(op.code(), op.operands(), attributes, op.type(), op.span())
          .placed(op.places());
    }

    private Function kernel(Expr.Op op) {
      String name = freshName(op.code());
      List<Function.Param> params = params(op, name);
      List<Expr> operands = new ArrayList<>();
      for (Function.Param param : params) {
        operands.add(new Expr.Var(param.name(), param.type(), op.span()));
      }
      Expr.Op inside = op.on(operands).typed(operands.getFirst().type());
      Schedule schedule =
          new Schedule(((Expr.Var) LowerCompositeOps.result(inside)).name(), op.span());
      String algorithm = HostSchedules.write(schedule, inside);
      Stmt.Collective described = InCoreCollectives.described(inside, algorithm);
      Stmt.Collective collective =
          new Stmt.Collective(
              described.op(),
              Stmt.Rail.HOST,
              algorithm,
              described.operands(),
              described.root(),
              described.reduce());
      Stmt region = new Stmt.Region(collective, schedule.statements(), op.span());
      return new Function(
          name, Function.Level.INCORE, params, List.of(), List.of(region), op.span());
    }

    private String freshName(OpCode code) {
      String base = "builtin_" + code.name().toLowerCase(java.util.Locale.ROOT) + "_";
      int number = 0;
      while (isTaken(base + number)) {
        number++;
      }
      return base + number;
    }

    private boolean isTaken(String name) {
      return program.function(name).isPresent()
          || functions.stream().anyMatch(f -> f.name().equals(name));
    }

    /** Extents that HOST only knows at run time become dimensions bound by the argument. */
    private static List<Function.Param> params(Expr.Op op, String function) {
      List<String> roles = HostCollectives.roles(op.code());
      Map<Expr, Expr> dims = new HashMap<>();
      List<Function.Param> params = new ArrayList<>();
      for (int i = 0; i < op.operands().size(); i++) {
        Type.Tensor type = (Type.Tensor) op.operands().get(i).type();
        List<Expr> shape = new ArrayList<>();
        for (Expr extent : type.shape()) {
          shape.add(
              extent instanceof Expr.IntConst
                  ? extent
                  : dims.computeIfAbsent(
                      Spans.strip(extent),
                      _ -> new Expr.Dim(function + "_d" + dims.size(), op.span())));
        }
        params.add(
            new Function.Param(
                roles.get(i),
                new Type.Tensor(shape, type.dtype(), true),
                HostCollectives.isRead(roles.get(i)) ? Direction.IN : Direction.INOUT,
                op.span()));
      }
      return params;
    }

    private static Function wrapper(Function kernel) {
      List<Expr> arguments = new ArrayList<>();
      for (Function.Param param : kernel.params()) {
        arguments.add(new Expr.Var(param.name(), param.type(), kernel.span()));
      }
      Expr call =
          new Expr.Call(kernel.name(), arguments, Optional.empty(), new Type.None(), kernel.span());
      return new Function(
          kernel.name() + "_chip",
          Function.Level.ORCHESTRATION,
          kernel.params(),
          List.of(),
          List.of(new Stmt.Eval(call, kernel.span())),
          kernel.span());
    }

    private static List<Stmt> calls(Expr.Op op, Function wrapper, DeviceSet devices) {
      Build ir = new Build(op.span());
      List<Stmt> out = new ArrayList<>();
      if (devices.all()) {
        Expr.Var rank =
            new Expr.Var(wrapper.name() + "_rank", new Type.Scalar(DType.INDEX), op.span());
        out.add(
            new Stmt.For(
                rank,
                ir.index(0),
                ir.op(OpCode.WORLD_SIZE),
                ir.index(1),
                Stmt.LoopKind.RANGE,
                List.of(call(op, wrapper, rank)),
                op.span()));
      } else {
        devices.ranks().forEach(rank -> out.add(call(op, wrapper, ir.index(rank))));
      }
      return out;
    }

    private static Stmt call(Expr.Op op, Function wrapper, Expr device) {
      return new Stmt.Eval(
          new Expr.Call(
              wrapper.name(), op.operands(), Optional.of(device), new Type.None(), op.span()),
          op.span());
    }
  }
}
