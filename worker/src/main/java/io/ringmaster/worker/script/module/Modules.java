package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.pytest.PytestModule;
import io.ringmaster.worker.script.pytest.UnittestModule;
import io.ringmaster.worker.script.torch.TorchModule;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.KernelErrors;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Nearest;
import io.ringmaster.worker.script.value.Scope;
import io.ringmaster.worker.script.value.Session;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.source.Stmt;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** The modules a script can import; there are no others, and none reaches outside. */
public final class Modules {

  /** What to do without the modules that people miss most. */
  private static final Map<String, String> INSTEAD =
      Map.ofEntries(
          Map.entry(
              "numpy",
              "write goldens with torch: torch.randn, torch.arange, torch.allclose,"
                  + " torch.testing.assert_close"),
          Map.entry(
              "unittest",
              "of unittest there are TestCase, main, skip, skipIf, skipUnless, expectedFailure and"
                  + " SkipTest"),
          Map.entry("conftest", "a script is a single file: put the fixtures and helpers into it"),
          Map.entry("torch_npu", "the job's platform says where kernels run: leave it out"),
          Map.entry("ml_dtypes", "torch has float16 and bfloat16"),
          Map.entry("multiprocessing", "ranks are those of the program's dispatches"),
          Map.entry("threading", "ranks are those of the program's dispatches"),
          Map.entry("asyncio", "scripts run from top to bottom, calls return when kernels end"),
          Map.entry("subprocess", "scripts start no processes: do it before submitting"),
          Map.entry("inspect", "print what you need to know; the report has the program's text"),
          Map.entry("pickle", "scripts have no files: make the data in the script"),
          Map.entry("shutil", "scripts have no files: make the data in the script"),
          Map.entry("struct", "use torch dtypes and .view(dtype)"));

  private static final String LAYERS = "torch.nn";

  /** {@code nn.Linear}, {@code from torch.nn import Module}; not {@code torch.nn.functional}. */
  private static final Pattern MENTIONS_LAYERS =
      Pattern.compile("\\bnn\\b(?!\\.functional| +import +functional\\b)");

  /** Whether a script says something of the layers. */
  private record Mentioned(boolean layers) {
    static Mentioned in(Session session) {
      return new Mentioned(MENTIONS_LAYERS.matcher(session.source().text()).find());
    }
  }

  private final Map<String, Value> known = new LinkedHashMap<>();
  private final Set<String> unread = new TreeSet<>();
  private final Session session;

  public Modules(Session session) {
    this.session = session;
    unread.addAll(Library.names());
    add(SysModule.of(session));
    add(ArgparseModule.MODULE);
    add(MathModule.MODULE);
    add(TimeModule.MODULE);
    add(RandomModule.MODULE);
    add(TypingModule.MODULE);
    known.put("typing_extensions", TypingModule.MODULE);
    add(TypingModule.FUTURE);
    add(DataclassesModule.MODULE);
    add(FunctoolsModule.MODULE);
    add(ItertoolsModule.MODULE);
    add(PyptoModule.IR);
    add(PyptoModule.RUNTIME);
    add(PyptoModule.BACKEND);
    add(PyptoModule.PYPTO);
    add(PyptoModule.COMPILED_PROGRAM);
    add(PyptoModule.PASS_MANAGER);
    known.put("pypto.language", PyptoModule.LANGUAGE);
    known.put("pypto.language.distributed", new PathValue("pypto.language.distributed"));
    add(RingmasterModule.MODULE);
    ModuleValue parser = new ModuleValue("pypto.language.parser", KernelErrors.ofParser());
    add(parser);
    known.put("pypto.language.parser.diagnostics", parser);
    known.put("pypto.language.parser.diagnostics.exceptions", parser);
    add(PytestModule.MODULE);
    add(OsModule.of(session));
    add(OsModule.PATH);
    add(UnittestModule.MODULE);
    add(EnumModule.MODULE);
    add(ReModule.MODULE);
    add(ContextlibModule.MODULE);
    add(JsonModule.MODULE);
    add(SmallModules.COPY);
    add(SmallModules.PATHLIB);
    add(Warnings.MODULE);
    add(SmallModules.COLLECTIONS);
    add(TypingModule.ABSTRACT);
    add(SmallModules.TRACEBACK);
    add(TorchModule.TORCH);
    TorchModule.INNER.forEach(this::add);
  }

  /** Adds the layers of {@code torch.nn}, which only few scripts use. */
  private void withLayers() {
    if (!session.lasting(Mentioned.class, Mentioned::in).layers()) {
      return;
    }
    ModuleValue layers =
        Library.load(LAYERS, Optional.ofNullable(known.get(LAYERS)), session, this);
    Map<String, Value> members = new LinkedHashMap<>(TorchModule.TORCH.members());
    members.put("nn", layers);
    add(layers);
    add(new ModuleValue("torch", members, TorchModule.TORCH.refused()));
  }

  private void add(ModuleValue module) {
    known.put(module.name(), module);
  }

  /** The names of all modules. */
  public Set<String> names() {
    Set<String> names = new TreeSet<>(known.keySet());
    names.addAll(unread);
    return names;
  }

  public Optional<Value> find(String name) {
    if ((name.equals("torch") || name.startsWith("torch.nn")) && unread.remove(LAYERS)) {
      withLayers();
    }
    if (unread.remove(name)) {
      known.put(name, Library.load(name, Optional.ofNullable(known.get(name)), session, this));
    }
    return Optional.ofNullable(known.get(name));
  }

  /**
   * A module by name.
   *
   * @throws io.ringmaster.worker.source.DiagnosticException when there is none
   */
  public Value require(String name, Span at) {
    return find(name).orElseThrow(() -> unknown(name, at));
  }

  /** A member of a module, or a module inside it. */
  public Value member(String module, String name, Span at) {
    Value of = require(module, at);
    Optional<Value> inner = find(module + "." + name);
    if (inner.isPresent()) {
      return inner.get();
    }
    Optional<Value> found =
        switch (of) {
          case ModuleValue plain -> Optional.ofNullable(plain.members().get(name));
          case NativeObject path -> path.attribute(name);
          default -> Optional.empty();
        };
    return found.orElseThrow(
        () ->
            Errors.refuse(
                "cannot import name '" + name + "' from '" + module + "'",
                of instanceof ModuleValue plain ? plain.hint(name) : Nearest.hint(name, Set.of()),
                at));
  }

  private RuntimeException unknown(String name, Span at) {
    String top = name.split("\\.", 2)[0];
    String message =
        find(top).isPresent() && !top.equals(name)
            ? "module '" + name + "' is not available in scripts"
            : "module '" + top + "' is not available in scripts";
    return Errors.refuse(message, INSTEAD.getOrDefault(top, available()), at);
  }

  private String available() {
    return "scripts have no files, network or processes; available: " + String.join(", ", names());
  }

  /** {@code import a.b, c as d}. */
  public void bind(Stmt.Import imports, Scope scope) {
    for (Stmt.Alias alias : imports.names()) {
      Value module = require(alias.name(), alias.span());
      String top = alias.name().split("\\.", 2)[0];
      if (alias.asName().isPresent()) {
        scope.bind(alias.asName().get(), module);
      } else {
        scope.bind(top, require(top, alias.span()));
      }
    }
  }

  /** {@code from a.b import c as d}. */
  public void bind(Stmt.ImportFrom imports, Scope scope) {
    for (Stmt.Alias alias : imports.names()) {
      scope.bind(alias.asName().orElse(alias.name()), imported(imports, alias));
    }
  }

  /** What one name of a {@code from} import stands for. */
  public Value imported(Stmt.ImportFrom imports, Stmt.Alias alias) {
    if (imports.level() > 0) {
      throw Errors.refuse(
          "relative imports are not available in scripts",
          "a script is a single file",
          imports.span());
    }
    if (alias.name().equals("*")) {
      throw Errors.refuse(
          "'from " + imports.module() + " import *' is not available in scripts",
          "import the module or the names you use",
          imports.span());
    }
    return member(imports.module(), alias.name(), alias.span());
  }
}
