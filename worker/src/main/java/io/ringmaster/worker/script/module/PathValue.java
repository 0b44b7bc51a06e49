package io.ringmaster.worker.script.module;

import io.ringmaster.worker.frontend.values.PathNames;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.FunctionValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Signature;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.DType;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A name of the kernel language, such as {@code pl.FP32} or {@code pld.ReduceOp.Sum}. The script
 * only passes it on; what it means is the front end's business.
 */
public record PathValue(String qualifiedName) implements NativeObject {

  private static final String LANGUAGE = "pypto.language.";

  private static final List<String> DECORATORS = List.of("program", "function", "inline", "jit");

  /** What takes its shape and element type in brackets. */
  private static final Set<String> TYPES =
      Set.of("Tensor", "DistributedTensor", "Tile", "Scalar", "Out", "InOut", "Tuple");

  private static final Signature DYNAMIC = Signature.of("dynamic", "name");

  private static final Set<String> KERNEL_DECORATORS = Set.of("function", "inline", "jit");

  /** True when a value is exactly this name of the language. */
  public static boolean isNamed(Value value, String qualifiedName) {
    return value instanceof PathValue path && path.qualifiedName.equals(qualifiedName);
  }

  /** True for {@code pl.function}, {@code pl.inline}, {@code pl.jit} and what hangs below it. */
  public boolean isKernelDecorator() {
    if (!qualifiedName.startsWith(LANGUAGE)) {
      return false;
    }
    String first = qualifiedName.substring(LANGUAGE.length()).split("\\.", 2)[0];
    return KERNEL_DECORATORS.contains(first);
  }

  /** The element type it names; empty for anything else. */
  public Optional<DType> dtype() {
    if (!qualifiedName.startsWith(LANGUAGE)) {
      return Optional.empty();
    }
    String rest = qualifiedName.substring(LANGUAGE.length());
    return DType.named(rest).filter(type -> type.name().equals(rest));
  }

  @Override
  public String typeName() {
    return dtype().isPresent() ? "DataType" : "module";
  }

  @Override
  public Optional<Value> attribute(String name) {
    if (name.startsWith("__")) {
      return Optional.empty();
    }
    Optional<DType> type = dtype();
    if (type.isPresent()) {
      return name.equals("get_byte")
          ? Optional.of(NativeFunction.of("get_byte", "", (a, c) -> Value.of(type.get().bytes())))
          : Optional.empty();
    }
    return Optional.of(new PathValue(PathNames.canonical(qualifiedName + "." + name)));
  }

  @Override
  public Value call(Arguments arguments, Call call) {
    if (qualifiedName.equals("pypto.language.dynamic")) {
      return new DynamicDimValue(DYNAMIC.bind(arguments, call.span()).string("name"));
    }
    if (arguments.positional().size() == 1
        && (arguments.positional().getFirst() instanceof ClassValue
            || arguments.positional().getFirst() instanceof FunctionValue)) {
      if (isNamed(this, LANGUAGE + "program")) {
        throw Errors.refuse(
            "@pl.program is for classes, and this is a def",
            "a function outside of a class has @pl.jit, @pl.jit.host or @pl.jit.incore; or put it"
                + " with @pl.function(type=...) into a class with @pl.program",
            call.span());
      }
      throw Errors.refuse(
          "'" + shortName() + "' is not a decorator of the kernel language",
          qualifiedName.substring(qualifiedName.lastIndexOf('.') + 1),
          DECORATORS,
          call.span());
    }
    throw Errors.refuse(
        shortName() + " can only be called inside a kernel",
        "the driver part of a script computes with torch",
        call.span());
  }

  @Override
  public Value item(Value index, Interp interp) {
    if (TYPES.contains(qualifiedName.substring(qualifiedName.lastIndexOf('.') + 1))) {
      return new TypeValue(shortName(), index);
    }
    throw Errors.type(shortName() + " is not subscriptable");
  }

  /** The name as scripts usually write it. */
  private String shortName() {
    return qualifiedName.replace("pypto.language.distributed.", "pld.").replace(LANGUAGE, "pl.");
  }

  @Override
  public String repr(Interp interp) {
    return qualifiedName;
  }

  @Override
  public Optional<Object> key() {
    return Optional.of(this);
  }
}
