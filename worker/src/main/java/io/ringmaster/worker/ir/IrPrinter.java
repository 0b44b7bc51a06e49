package io.ringmaster.worker.ir;

import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * IR as text that reads like the kernel language and that {@link IrParser} reads back. Positions
 * are left out.
 */
public final class IrPrinter {

  private static final int WIDTH = 100;
  private static final String STEP = "    ";

  private final StringBuilder out = new StringBuilder();
  private final ExprPrinter exprs;
  private int depth;

  private IrPrinter(Map<String, Function> callees, Names names) {
    this.exprs = new ExprPrinter(callees, names, true);
  }

  /** The whole program in class form. */
  public static String print(Program program) {
    Program plain = Spans.strip(program);
    Names names = Names.of(plain);
    Map<String, Function> callees = new HashMap<>();
    plain.functions().forEach(f -> callees.put(f.name(), f));
    IrPrinter printer = new IrPrinter(callees, names);
    printer.dims(names);
    printer.program(plain);
    return printer.out.toString();
  }

  /** One function on its own; calls print without checking the callee. */
  public static String print(Function function) {
    Function plain = Spans.strip(function);
    Names names = Names.of(plain);
    IrPrinter printer = new IrPrinter(Map.of(plain.name(), plain), names);
    printer.dims(names);
    printer.function(plain);
    return printer.out.toString();
  }

  /** A scalar expression, shape or operation as a message would quote it. */
  public static String print(Expr expr) {
    return new ExprPrinter(Map.of(), new Names(Set.of(), Set.of()), false)
        .printUntyped(Spans.strip(expr));
  }

  /** A type as an annotation. */
  public static String print(Type type) {
    return new ExprPrinter(Map.of(), new Names(Set.of(), Set.of()), false).type(Spans.strip(type));
  }

  private void dims(Names names) {
    List<String> bare = names.dims().stream().filter(names::isBare).toList();
    bare.forEach(dim -> line(dim + " = pl.dynamic(" + ExprPrinter.quote(dim) + ")"));
    if (!bare.isEmpty()) {
      line("");
    }
  }

  private void program(Program program) {
    line("@pl.program");
    line("class " + program.name() + ":");
    depth++;
    for (int i = 0; i < program.domains().size(); i++) {
      domain(program.domains().get(i), "comm_d" + i);
    }
    boolean first = program.domains().isEmpty();
    for (Function function : program.functions()) {
      if (!first) {
        line("");
      }
      first = false;
      function(function);
    }
    if (program.functions().isEmpty()) {
      line("pass");
    }
    depth--;
  }

  private void domain(Program.Domain domain, String usual) {
    String devices = domain.coversAll() ? "all" : domain.devices().toString();
    String name = domain.name().equals(usual) ? "" : "name=" + domain.name() + ", ";
    line(
        "# pld.comm_domain: "
            + name
            + "devices="
            + devices
            + ", slots=["
            + String.join(", ", domain.buffers())
            + "]");
  }

  private void function(Function function) {
    line(
        switch (function.level()) {
          case HOST -> "@pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)";
          case ORCHESTRATION -> "@pl.function(type=pl.FunctionType.Orchestration)";
          case INCORE -> "@pl.function(type=pl.FunctionType.InCore)";
        });
    exprs.known().clear();
    List<String> params = new ArrayList<>(List.of("self"));
    for (Function.Param param : function.params()) {
      String type = exprs.type(param.type());
      params.add(
          param.name()
              + ": "
              + switch (param.direction()) {
                case IN -> type;
                case OUT -> "pl.Out[" + type + "]";
                case INOUT -> "pl.InOut[" + type + "]";
              });
    }
    function.params().forEach(p -> exprs.known().put(p.name(), p.type()));
    String returns = returns(function);
    String oneLine = "def " + function.name() + "(" + String.join(", ", params) + ")" + returns;
    if (oneLine.length() + depth * STEP.length() <= WIDTH) {
      line(oneLine + ":");
    } else {
      line("def " + function.name() + "(");
      depth++;
      params.forEach(p -> line(p + ","));
      depth--;
      line(")" + returns + ":");
    }
    block(function.body());
  }

  private String returns(Function function) {
    List<Type> types = function.returns();
    return switch (types.size()) {
      case 0 -> "";
      case 1 ->
          " -> "
              + (types.getFirst() instanceof Type.Tuple
                  ? exprs.tuple(types)
                  : exprs.type(types.getFirst()));
      default -> " -> " + exprs.tuple(types);
    };
  }

  private void block(List<Stmt> body) {
    depth++;
    body.forEach(this::stmt);
    if (body.isEmpty()) {
      line("pass");
    }
    depth--;
  }

  private void stmt(Stmt stmt) {
    switch (stmt) {
      case Stmt.Assign s -> assign(s);
      case Stmt.AssignTuple s -> assignTuple(s);
      case Stmt.Eval s -> line(exprs.print(s.value()));
      case Stmt.For s -> loop(s);
      case Stmt.While s -> {
        line("while " + exprs.print(s.condition()) + ":");
        block(s.body());
      }
      case Stmt.If s -> branch(s, "if ");
      case Stmt.Return s -> line(returned(s.values()));
      case Stmt.Break _ -> line("break");
      case Stmt.Continue _ -> line("continue");
      case Stmt.Region s -> {
        line("with " + region(s.collective()) + ":");
        block(s.body());
      }
    }
  }

  private void assign(Stmt.Assign s) {
    Type target = s.target().type();
    Type value = s.value().type();
    Optional<Type> inferred = exprs.inferred(s.value());
    String name = s.target().name();
    if (!target.equals(value)) {
      line(
          name
              + ": "
              + exprs.type(target)
              + " = pl.as_type("
              + exprs.printUntyped(s.value())
              + ", "
              + exprs.type(value)
              + ")");
    } else if (inferred.filter(value::equals).isPresent()) {
      line(name + " = " + exprs.print(s.value()));
    } else {
      line(name + ": " + exprs.type(value) + " = " + exprs.printUntyped(s.value()));
    }
    exprs.known().put(name, target);
  }

  private void assignTuple(Stmt.AssignTuple s) {
    String names =
        s.targets().size() == 1
            ? "(" + s.targets().getFirst().name() + ",)"
            : s.targets().stream().map(Expr.Var::name).collect(Collectors.joining(", "));
    Type declared = new Type.Tuple(s.targets().stream().map(Expr.Var::type).toList());
    String value = exprs.print(s.value());
    // Targets take their types from the value; others are stated once more around it.
    line(
        names
            + " = "
            + (declared.equals(s.value().type())
                ? value
                : "pl.as_targets(" + value + ", " + exprs.type(declared) + ")"));
    s.targets().forEach(t -> exprs.known().put(t.name(), t.type()));
  }

  private void loop(Stmt.For s) {
    String bounds;
    if (!isIndex(s.step(), 1)) {
      bounds = exprs.list(List.of(s.start(), s.stop(), s.step()));
    } else if (!isIndex(s.start(), 0)) {
      bounds = exprs.list(List.of(s.start(), s.stop()));
    } else {
      bounds = exprs.print(s.stop());
    }
    String kind =
        switch (s.kind()) {
          case RANGE -> "pl.range";
          case PARALLEL -> "pl.parallel";
          case UNROLL -> "pl.unroll";
          case PIPELINE -> "pl.pipeline";
          case BLOCKS -> "pl.spmd";
          case LANES -> "pl.split_aiv";
          case TASKS -> "pl.manual_scope";
          case TASKS_WITH_DEPS -> "pl.manual_scope_with_deps";
        };
    Type type = s.variable().type();
    String dtype = type.equals(new Type.Scalar(DType.INDEX)) ? "" : ", type=" + exprs.type(type);
    line("for " + s.variable().name() + " in " + kind + "(" + bounds + dtype + "):");
    exprs.known().put(s.variable().name(), type);
    block(s.body());
  }

  private static boolean isIndex(Expr expr, long value) {
    return expr instanceof Expr.IntConst c && c.value() == value && c.dtype() == DType.INDEX;
  }

  private void branch(Stmt.If s, String keyword) {
    line(keyword + exprs.print(s.condition()) + ":");
    block(s.thenBody());
    if (s.elseBody().size() == 1 && s.elseBody().getFirst() instanceof Stmt.If nested) {
      branch(nested, "elif ");
    } else if (!s.elseBody().isEmpty()) {
      line("else:");
      block(s.elseBody());
    }
  }

  private String returned(List<Expr> values) {
    if (values.isEmpty()) {
      return "return";
    }
    boolean single = values.size() == 1 && values.getFirst() instanceof Expr.TupleExpr;
    return "return " + exprs.list(values) + (single ? "," : "");
  }

  private String region(Stmt.Collective c) {
    List<String> parts = new ArrayList<>();
    parts.add(ExprPrinter.quote(shortName(c.op())));
    parts.add("rail=" + ExprPrinter.quote(c.rail().name().toLowerCase(java.util.Locale.ROOT)));
    parts.add("algorithm=" + ExprPrinter.quote(c.algorithm()));
    List<OpSyntax.Slot> slots = OpSyntax.slots(c.op());
    for (int i = 0; i < c.operands().size(); i++) {
      parts.add(slots.get(i).name() + "=" + exprs.print(c.operands().get(i)));
    }
    c.root().ifPresent(root -> parts.add("root=" + root));
    c.reduce().ifPresent(op -> parts.add("op=" + ExprPrinter.reduce(op)));
    return "pld.lowered(" + String.join(", ", parts) + ")";
  }

  static String shortName(OpCode code) {
    return code.printedName().substring(code.printedName().lastIndexOf('.') + 1);
  }

  private void line(String text) {
    if (!text.isEmpty()) {
      out.repeat(STEP, depth).append(text);
    }
    out.append('\n');
  }
}
