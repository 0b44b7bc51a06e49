package io.ringmaster.worker.ir;

import io.ringmaster.worker.source.PythonParser;
import io.ringmaster.worker.source.SourceFile;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.source.Stmt.FunctionDef;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads what {@link IrPrinter} writes, without the rules that the front end imposes on users.
 * Positions are those of the text.
 */
public final class IrParser {

  private static final Pattern DOMAIN =
      Pattern.compile(
          "^\\s*# pld\\.comm_domain: (?:name=(\\S+), )?devices=(all|\\[[\\d, ]*]), slots=\\[(.*)]$",
          Pattern.MULTILINE);

  private final Map<String, Function> callees = new HashMap<>();
  private final ExprReader exprs;

  private IrParser(Set<String> dims) {
    this.exprs = new ExprReader(callees, dims);
  }

  /** Reads a program in class form; throws a DiagnosticException that says where it stopped. */
  public static Program parse(String text) {
    return parse(SourceFile.of("<ir>", text));
  }

  /** As {@link #parse(String)}, with a name for messages. */
  public static Program parse(SourceFile source) {
    Set<String> dims = new LinkedHashSet<>();
    for (var stmt : PythonParser.parse(source).body()) {
      switch (stmt) {
        case io.ringmaster.worker.source.Stmt.Assign s -> dims.add(dim(s));
        case io.ringmaster.worker.source.Stmt.ClassDef s -> {
          return new IrParser(dims).program(s, domains(source.text()));
        }
        case io.ringmaster.worker.source.Stmt.ExprStmt _,
            io.ringmaster.worker.source.Stmt.Import _,
            io.ringmaster.worker.source.Stmt.ImportFrom _ -> {}
        default -> throw TextError.at(stmt.span(), "expected a dynamic dimension or the class");
      }
    }
    throw TextError.at(new Span(source.name(), 1, 1, 1, 1), "there is no program in this text");
  }

  /** Reads one function; what it calls needs stated types. */
  public static Function parseFunction(String text) {
    Set<String> dims = new LinkedHashSet<>();
    for (var stmt : PythonParser.parse(SourceFile.of("<ir>", text)).body()) {
      switch (stmt) {
        case io.ringmaster.worker.source.Stmt.Assign s -> dims.add(dim(s));
        case FunctionDef s -> {
          IrParser parser = new IrParser(dims);
          parser.callees.put(s.name(), parser.signature(s));
          return parser.function(s);
        }
        default -> throw TextError.at(stmt.span(), "expected a dynamic dimension or a function");
      }
    }
    throw TextError.at(new Span("<ir>", 1, 1, 1, 1), "there is no function in this text");
  }

  private static String dim(io.ringmaster.worker.source.Stmt.Assign s) {
    if (s.targets().size() == 1
        && s.targets().getFirst() instanceof io.ringmaster.worker.source.Expr.Name name
        && s.value() instanceof io.ringmaster.worker.source.Expr.Call call
        && TextReader.dotted(call.function()).equals(Optional.of("pl.dynamic"))) {
      return name.id();
    }
    throw TextError.at(s.span(), "expected NAME = pl.dynamic(\"NAME\")");
  }

  private static List<Program.Domain> domains(String text) {
    List<Program.Domain> out = new ArrayList<>();
    Matcher matcher = DOMAIN.matcher(text);
    while (matcher.find()) {
      String name = matcher.group(1) == null ? "comm_d" + out.size() : matcher.group(1);
      List<Integer> devices =
          matcher.group(2).equals("all")
              ? List.of()
              : items(matcher.group(2).substring(1, matcher.group(2).length() - 1)).stream()
                  .map(Integer::valueOf)
                  .toList();
      out.add(new Program.Domain(name, devices, items(matcher.group(3))));
    }
    return out;
  }

  private static List<String> items(String list) {
    return Arrays.stream(list.split(",")).map(String::strip).filter(s -> !s.isEmpty()).toList();
  }

  private Program program(
      io.ringmaster.worker.source.Stmt.ClassDef s, List<Program.Domain> domains) {
    List<FunctionDef> definitions = new ArrayList<>();
    for (var member : s.body()) {
      switch (member) {
        case FunctionDef f -> definitions.add(f);
        case io.ringmaster.worker.source.Stmt.Pass _ -> {}
        default -> throw TextError.at(member.span(), "a program consists of functions");
      }
    }
    definitions.forEach(f -> callees.put(f.name(), signature(f)));
    return new Program(s.name(), definitions.stream().map(this::function).toList(), domains);
  }

  private Function signature(FunctionDef f) {
    exprs.known().clear();
    List<Function.Param> params = new ArrayList<>();
    for (var parameter : f.parameters().positional()) {
      if (!parameter.name().equals("self") || parameter.annotation().isPresent()) {
        params.add(param(parameter));
      }
    }
    params.forEach(p -> exprs.known().put(p.name(), p.type()));
    List<Type> returns =
        f.returns()
            .map(
                annotation -> {
                  Type type = exprs.type(annotation);
                  return type instanceof Type.Tuple t ? t.elements() : List.of(type);
                })
            .orElse(List.of());
    return new Function(f.name(), level(f), params, returns, List.of(), f.span());
  }

  private Function.Param param(io.ringmaster.worker.source.Parameters.Parameter parameter) {
    var annotation =
        parameter
            .annotation()
            .orElseThrow(
                () ->
                    TextError.at(
                        parameter.span(), "parameter '" + parameter.name() + "' has no type"));
    Function.Direction direction = Function.Direction.IN;
    if (annotation instanceof io.ringmaster.worker.source.Expr.Subscript s) {
      String name = TextReader.dotted(s.value()).orElse("");
      if (name.equals("pl.Out") || name.equals("pl.InOut")) {
        direction = name.equals("pl.Out") ? Function.Direction.OUT : Function.Direction.INOUT;
        annotation = s.index();
      }
    }
    return new Function.Param(
        parameter.name(), exprs.type(annotation), direction, parameter.span());
  }

  private static Function.Level level(FunctionDef f) {
    for (var decorator : f.decorators()) {
      if (decorator instanceof io.ringmaster.worker.source.Expr.Call call) {
        for (var keyword : call.keywords()) {
          switch (TextReader.dotted(keyword.value()).orElse("")) {
            case "pl.Level.HOST" -> {
              return Function.Level.HOST;
            }
            case "pl.FunctionType.Orchestration" -> {
              return Function.Level.ORCHESTRATION;
            }
            case "pl.FunctionType.InCore" -> {
              return Function.Level.INCORE;
            }
            default -> {}
          }
        }
      }
    }
    throw TextError.at(f.nameSpan(), "function '" + f.name() + "' doesn't say its level");
  }

  private Function function(FunctionDef f) {
    Function head = signature(f);
    return new Function(
        head.name(), head.level(), head.params(), head.returns(), body(f.body()), head.span());
  }

  private List<Stmt> body(List<io.ringmaster.worker.source.Stmt> body) {
    List<Stmt> out = new ArrayList<>();
    for (var stmt : body) {
      if (!(stmt instanceof io.ringmaster.worker.source.Stmt.Pass)) {
        out.add(stmt(stmt));
      }
    }
    return out;
  }

  private Stmt stmt(io.ringmaster.worker.source.Stmt stmt) {
    Span span = stmt.span();
    return switch (stmt) {
      case io.ringmaster.worker.source.Stmt.Assign s -> assign(s);
      case io.ringmaster.worker.source.Stmt.AnnotatedAssign s -> annotated(s);
      case io.ringmaster.worker.source.Stmt.ExprStmt s ->
          new Stmt.Eval(exprs.read(s.value()), span);
      case io.ringmaster.worker.source.Stmt.For s -> loop(s);
      case io.ringmaster.worker.source.Stmt.While s -> {
        Expr condition = exprs.read(s.condition());
        yield new Stmt.While(condition, body(s.body()), span);
      }
      case io.ringmaster.worker.source.Stmt.If s -> {
        Expr condition = exprs.read(s.condition());
        List<Stmt> then = body(s.body());
        yield new Stmt.If(condition, then, body(s.orElse()), span);
      }
      case io.ringmaster.worker.source.Stmt.Return s -> new Stmt.Return(returned(s), span);
      case io.ringmaster.worker.source.Stmt.Break _ -> new Stmt.Break(span);
      case io.ringmaster.worker.source.Stmt.Continue _ -> new Stmt.Continue(span);
      case io.ringmaster.worker.source.Stmt.With s -> region(s);
      default -> throw TextError.at(span, "no IR statement is written like this");
    };
  }

  private Stmt assign(io.ringmaster.worker.source.Stmt.Assign s) {
    var target = s.targets().getFirst();
    if (target instanceof io.ringmaster.worker.source.Expr.Name name) {
      Expr value = exprs.read(s.value());
      return new Stmt.Assign(define(name, value.type()), value, s.span());
    }
    Type declared = new Type.None();
    var source = s.value();
    if (source instanceof io.ringmaster.worker.source.Expr.Call call
        && TextReader.dotted(call.function()).equals(Optional.of("pl.as_targets"))) {
      source = call.arguments().getFirst();
      declared = exprs.type(call.arguments().get(1));
    }
    Expr value = exprs.read(source);
    Type types = declared instanceof Type.Tuple ? declared : value.type();
    var names = TextReader.elements(target);
    if (!(types instanceof Type.Tuple tuple) || tuple.elements().size() != names.size()) {
      throw TextError.at(s.span(), names.size() + " names don't match the value's type");
    }
    List<Expr.Var> targets = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      if (!(names.get(i) instanceof io.ringmaster.worker.source.Expr.Name name)) {
        throw TextError.at(names.get(i).span(), "only names can be assigned");
      }
      targets.add(define(name, tuple.elements().get(i)));
    }
    return new Stmt.AssignTuple(targets, value, s.span());
  }

  private Stmt annotated(io.ringmaster.worker.source.Stmt.AnnotatedAssign s) {
    if (!(s.target() instanceof io.ringmaster.worker.source.Expr.Name name)
        || s.value().isEmpty()) {
      throw TextError.at(s.span(), "expected NAME: TYPE = VALUE");
    }
    Type type = exprs.type(s.annotation());
    var source = s.value().get();
    boolean stated =
        source instanceof io.ringmaster.worker.source.Expr.Call call
            && TextReader.dotted(call.function()).equals(Optional.of("pl.as_type"));
    Expr value = stated ? exprs.read(source) : exprs.readAs(source, type);
    return new Stmt.Assign(define(name, type), value, s.span());
  }

  private Expr.Var define(io.ringmaster.worker.source.Expr.Name name, Type type) {
    exprs.known().put(name.id(), type);
    return new Expr.Var(name.id(), type, name.span());
  }

  private Stmt loop(io.ringmaster.worker.source.Stmt.For s) {
    if (!(s.iterable() instanceof io.ringmaster.worker.source.Expr.Call call)
        || !(s.target() instanceof io.ringmaster.worker.source.Expr.Name name)) {
      throw TextError.at(s.span(), "expected for NAME in pl.range(...)");
    }
    Stmt.LoopKind kind =
        switch (TextReader.dotted(call.function()).orElse("")) {
          case "pl.range" -> Stmt.LoopKind.RANGE;
          case "pl.parallel" -> Stmt.LoopKind.PARALLEL;
          case "pl.unroll" -> Stmt.LoopKind.UNROLL;
          case "pl.pipeline" -> Stmt.LoopKind.PIPELINE;
          case "pl.spmd" -> Stmt.LoopKind.BLOCKS;
          case "pl.split_aiv" -> Stmt.LoopKind.LANES;
          case "pl.manual_scope" -> Stmt.LoopKind.TASKS;
          case "pl.manual_scope_with_deps" -> Stmt.LoopKind.TASKS_WITH_DEPS;
          default -> throw TextError.at(s.span(), "expected for NAME in pl.range(...)");
        };
    List<Expr> bounds = exprs.readAll(call.arguments());
    if (bounds.isEmpty() || bounds.size() > 3) {
      throw TextError.at(call.span(), "a range takes one to three bounds");
    }
    Expr start = bounds.size() > 1 ? bounds.get(0) : new Expr.IntConst(0, DType.INDEX, call.span());
    Expr stop = bounds.size() > 1 ? bounds.get(1) : bounds.get(0);
    Expr step = bounds.size() > 2 ? bounds.get(2) : new Expr.IntConst(1, DType.INDEX, call.span());
    Type type = new Type.Scalar(DType.INDEX);
    for (var keyword : call.keywords()) {
      type = exprs.type(keyword.value());
    }
    Expr.Var variable = define(name, type);
    return new Stmt.For(variable, start, stop, step, kind, body(s.body()), s.span());
  }

  private List<Expr> returned(io.ringmaster.worker.source.Stmt.Return s) {
    return s.value()
        .map(
            value ->
                value instanceof io.ringmaster.worker.source.Expr.TupleDisplay tuple
                    ? exprs.readAll(tuple.elements())
                    : List.of(exprs.read(value)))
        .orElse(List.of());
  }

  private Stmt region(io.ringmaster.worker.source.Stmt.With s) {
    if (s.items().size() != 1
        || !(s.items().getFirst().context() instanceof io.ringmaster.worker.source.Expr.Call call)
        || !TextReader.dotted(call.function()).equals(Optional.of("pld.lowered"))
        || call.arguments().isEmpty()) {
      throw TextError.at(s.span(), "expected with pld.lowered(...)");
    }
    String wanted = TextReader.text(call.arguments().getFirst());
    OpCode op =
        Arrays.stream(OpCode.values())
            .filter(code -> code.isCollective() && IrPrinter.shortName(code).equals(wanted))
            .findFirst()
            .orElseThrow(() -> TextError.at(call.span(), "no collective is named " + wanted));
    Map<String, io.ringmaster.worker.source.Expr> given = new HashMap<>();
    call.keywords().forEach(k -> given.put(k.name().orElse(""), k.value()));
    List<Expr> operands = new ArrayList<>();
    for (OpSyntax.Slot slot : OpSyntax.slots(op)) {
      var operand = given.get(slot.name());
      if (operand != null) {
        operands.add(exprs.read(operand));
      }
    }
    var rail = given.get("rail");
    var algorithm = given.get("algorithm");
    if (rail == null || algorithm == null) {
      throw TextError.at(call.span(), "pld.lowered needs rail= and algorithm=");
    }
    Stmt.Collective collective =
        new Stmt.Collective(
            op,
            TextReader.text(rail).equals("host") ? Stmt.Rail.HOST : Stmt.Rail.INCORE,
            TextReader.text(algorithm),
            operands,
            Optional.ofNullable(given.get("root")).map(TextReader::exactInteger),
            Optional.ofNullable(given.get("op")).map(TextReader::reduce));
    return new Stmt.Region(collective, body(s.body()), s.span());
  }
}
