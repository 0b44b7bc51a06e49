package io.ringmaster.worker.script.eval;

import io.ringmaster.worker.ir.Draft;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.script.builtin.Descriptor;
import io.ringmaster.worker.script.builtin.TypeObject;
import io.ringmaster.worker.script.module.EnumModule;
import io.ringmaster.worker.script.module.KernelValue;
import io.ringmaster.worker.script.module.NamedTuples;
import io.ringmaster.worker.script.module.PathValue;
import io.ringmaster.worker.script.module.ProgramValue;
import io.ringmaster.worker.script.module.ScopeView;
import io.ringmaster.worker.script.module.SubWorkers;
import io.ringmaster.worker.script.module.TypingModule;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.FunctionValue;
import io.ringmaster.worker.script.value.KernelErrors;
import io.ringmaster.worker.script.value.KernelFrontend;
import io.ringmaster.worker.script.value.Scope;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Stmt;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Executes {@code def} and {@code class}, hands decorated kernels to the front end. */
final class Definitions {

  private final Interpreter interp;

  /** The kernels and programs whose definitions were reached. */
  private final Set<Stmt> reached = Collections.newSetFromMap(new IdentityHashMap<>());

  /** The programs that were read and keep the rules of the language. */
  private final List<Program> programs = new ArrayList<>();

  private boolean refused;

  Definitions(Interpreter interp) {
    this.interp = interp;
  }

  /**
   * From here on nothing is compiled any more: what is wrong with a program is said where it is
   * read.
   *
   * @return what is wrong with the programs read so far, save those called {@code unwanted}
   */
  List<Diagnostic> refuse(Predicate<String> unwanted) {
    refused = true;
    return programs.stream()
        .filter(program -> !unwanted.test(program.name()))
        .flatMap(program -> mistakes(program).stream())
        .toList();
  }

  private List<Diagnostic> mistakes(Program program) {
    Set<String> all = program.functions().stream().map(Function::name).collect(Collectors.toSet());
    return interp.session().runtime().mistakes(new Draft(program, Set.of(), all));
  }

  private void requirePlatform(Program program) {
    List<Diagnostic> mistakes = mistakes(program);
    if (!mistakes.isEmpty()) {
      throw new DiagnosticException(mistakes);
    }
  }

  /** The definitions of kernels and programs that were read so far, right or wrong. */
  Set<Stmt> reached() {
    Set<Stmt> copy = Collections.newSetFromMap(new IdentityHashMap<>());
    copy.addAll(reached);
    return copy;
  }

  Value function(Stmt.FunctionDef def, Scope scope) {
    if (def.isAsync()) {
      throw Errors.refuse("'async def' is not available in scripts", "", def.span());
    }
    for (Expr decorator : def.decorators()) {
      if (isKernelDecorator(decorator, scope)) {
        reached.add(def);
        return KernelErrors.catchable(() -> new KernelValue(def, new ScopeView(scope, interp)));
      }
    }
    List<Value> decorators = evaluated(def.decorators(), scope);
    Value function =
        new FunctionValue(
            def.name(),
            def.parameters(),
            interp.expressions().defaults(def.parameters(), scope),
            new FunctionValue.Block(def.body(), def.nameSpan()),
            scope);
    return decorated(function, decorators, def.decorators());
  }

  private static final Set<String> NO_FIELDS = Set.of("ClassVar", "KW_ONLY");
  private static final Set<String> INIT_VAR = Set.of("InitVar");

  Value type(Stmt.ClassDef def, Scope scope) {
    for (Expr decorator : def.decorators()) {
      if (PathValue.isNamed(root(decorator, scope), "pypto.language.program")) {
        reached.add(def);
        KernelFrontend.Result built =
            interp.session().frontend().build(def, new ScopeView(scope, interp));
        interp.session().warnings().addAll(built.warnings());
        Program program = anew(built.program());
        programs.add(program);
        if (refused) {
          requirePlatform(program);
        }
        return new ProgramValue(program, subWorkers(def, scope));
      }
    }
    List<Value> decorators = evaluated(def.decorators(), scope);
    List<ClassValue> bases = new ArrayList<>();
    List<Value> given = evaluated(def.bases(), scope);
    if (given.stream().anyMatch(TypingModule::isTypedDict)) {
      return TypingModule.typedDict(def.name());
    }
    boolean isEnumeration = given.stream().anyMatch(Definitions::isEnumeration);
    for (int i = 0; i < given.size(); i++) {
      Expr base = def.bases().get(i);
      Value value = given.get(i);
      Optional<ClassValue> mixed =
          value instanceof TypeObject type
              ? EnumModule.mixed(type.name(), isEnumeration)
              : Optional.empty();
      if (value instanceof ClassValue type) {
        bases.add(type);
      } else if (mixed.isPresent()) {
        bases.add(mixed.get());
      } else if (!Types.nameOf(value).equals("type") || !isObject(base)) {
        throw Errors.refuse(
            "a class of a script can derive from its own classes and from exceptions only",
            "",
            base.span());
      }
    }
    metaclass(def, bases, scope).ifPresent(bases::add);
    Scope body = new Scope(Scope.Kind.CLASS, scope, Scope.Names.NONE);
    interp.statements().block(def.body(), body);
    ClassValue type =
        new ClassValue(def.name(), bases, body.values(), fields(def.body()), Optional.of(interp));
    List<Value> initOnly = initOnly(def.body());
    if (!initOnly.isEmpty()) {
      type.members().put(ClassValue.INIT_ONLY, new TupleValue(initOnly));
    }
    EnumModule.finish(type);
    for (Value member : body.values().values()) {
      if ((member instanceof Descriptor descriptor ? descriptor.function() : member)
          instanceof FunctionValue function) {
        function.ownedBy(type);
      }
    }
    type.members().putIfAbsent("__doc__", FunctionValue.docstring(def.body()));
    announce(type, def, scope);
    return decorated(NamedTuples.finish(type), decorators, def.decorators());
  }

  /**
   * A program of its own with the functions of one that may have been built before: that one was
   * compiled, or refused, says nothing of the other.
   */
  private static Program anew(Program built) {
    return new Program(built.name(), built.functions(), built.domains());
  }

  /** Tells the nearest ancestor that wants to know of its subclasses. */
  private void announce(ClassValue type, Stmt.ClassDef def, Scope scope) {
    Optional<Value> wanting = type.memberAfter(type, SuperObject.INIT_SUBCLASS);
    if (wanting.isEmpty()) {
      return;
    }
    Value hook = wanting.get() instanceof Descriptor own ? own.function() : wanting.get();
    Map<String, Value> named = new LinkedHashMap<>();
    for (Expr.Keyword keyword : def.keywords()) {
      keyword
          .name()
          .filter(name -> !name.equals("metaclass"))
          .ifPresent(name -> named.put(name, interp.eval(keyword.value(), scope)));
    }
    interp.call(hook, new Arguments(List.of(type), named), def.nameSpan());
  }

  private static boolean isEnumeration(Value base) {
    return base instanceof ClassValue type && type.isSubclassOf(EnumModule.ENUM);
  }

  /** The sub-workers of a program keep their bodies: they are functions of the script. */
  private SubWorkers subWorkers(Stmt.ClassDef def, Scope scope) {
    Map<String, Value> all = new LinkedHashMap<>();
    for (Stmt member : def.body()) {
      if (member instanceof Stmt.FunctionDef method && SubWorkers.isSubWorker(method)) {
        all.put(
            method.name(),
            new FunctionValue(
                method.name(),
                method.parameters(),
                interp.expressions().defaults(method.parameters(), scope),
                new FunctionValue.Block(method.body(), method.nameSpan()),
                scope));
      }
    }
    return new SubWorkers(all);
  }

  /**
   * {@code metaclass=abc.ABCMeta}, which makes a class abstract; other keywords are for an ancestor
   * that takes them.
   */
  private Optional<ClassValue> metaclass(Stmt.ClassDef def, List<ClassValue> bases, Scope scope) {
    Optional<ClassValue> meta = Optional.empty();
    boolean taken =
        bases.stream().anyMatch(base -> base.member(SuperObject.INIT_SUBCLASS).isPresent());
    for (Expr.Keyword keyword : def.keywords()) {
      if (keyword.name().equals(Optional.of("metaclass"))
          && interp.eval(keyword.value(), scope) instanceof ClassValue type
          && type.members().containsKey(ClassValue.ABSTRACT)) {
        meta = Optional.of(type);
      } else if (!taken || keyword.name().filter(name -> !name.equals("metaclass")).isEmpty()) {
        throw Errors.refuse(
            "class keywords are not available in scripts",
            "metaclass=ABCMeta is the only one that is, and those that an __init_subclass__ of a"
                + " base takes",
            keyword.span());
      }
    }
    return meta;
  }

  private static boolean isObject(Expr base) {
    return base instanceof Expr.Name name && name.id().equals("object");
  }

  private static List<String> fields(List<Stmt> body) {
    List<String> fields = new ArrayList<>();
    for (Stmt statement : body) {
      if (statement instanceof Stmt.AnnotatedAssign assign
          && assign.target() instanceof Expr.Name name
          && !isOfTheClass(assign.annotation())) {
        fields.add(name.id());
      }
    }
    return fields;
  }

  /** Names of the fields that only a dataclass's constructor takes. */
  private static List<Value> initOnly(List<Stmt> body) {
    List<Value> names = new ArrayList<>();
    for (Stmt statement : body) {
      if (statement instanceof Stmt.AnnotatedAssign assign
          && assign.target() instanceof Expr.Name name
          && isNamed(assign.annotation(), INIT_VAR)) {
        names.add(Value.of(name.id()));
      }
    }
    return names;
  }

  /** {@code ClassVar[...]}: a variable of the class, not of its objects; {@code _: KW_ONLY}. */
  private static boolean isOfTheClass(Expr annotation) {
    return isNamed(annotation, NO_FIELDS);
  }

  private static boolean isNamed(Expr annotation, Set<String> names) {
    return switch (annotation) {
      case Expr.Subscript subscript -> isNamed(subscript.value(), names);
      case Expr.Attribute attribute -> names.contains(attribute.name());
      case Expr.Name name -> names.contains(name.id());
      default -> false;
    };
  }

  private List<Value> evaluated(List<Expr> expressions, Scope scope) {
    List<Value> values = new ArrayList<>();
    expressions.forEach(expression -> values.add(interp.eval(expression, scope)));
    return values;
  }

  private Value decorated(Value plain, List<Value> decorators, List<Expr> places) {
    Value value = plain;
    for (int i = decorators.size() - 1; i >= 0; i--) {
      value = interp.call(decorators.get(i), Arguments.of(value), places.get(i).span());
    }
    return value;
  }

  /** True for a decorator of the kernel language: no line of the script runs for it. */
  boolean isOfKernels(Expr decorator, Scope scope) {
    return isKernelDecorator(decorator, scope)
        || PathValue.isNamed(root(decorator, scope), "pypto.language.program");
  }

  private boolean isKernelDecorator(Expr decorator, Scope scope) {
    return root(decorator, scope) instanceof PathValue path && path.isKernelDecorator();
  }

  /** What a decorator names, without its arguments: they are the front end's to read. */
  private Value root(Expr decorator, Scope scope) {
    Expr callee = decorator instanceof Expr.Call call ? call.function() : decorator;
    Expr first = callee;
    while (first instanceof Expr.Attribute attribute) {
      first = attribute.value();
    }
    boolean path =
        first instanceof Expr.Name name
            && scope.find(name.id()).filter(PathValue.class::isInstance).isPresent();
    return path ? interp.eval(callee, scope) : Value.NONE;
  }
}
