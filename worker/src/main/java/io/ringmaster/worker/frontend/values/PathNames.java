package io.ringmaster.worker.frontend.values;

import io.ringmaster.worker.tensor.DType;
import java.util.Optional;

/** Qualified names of the language's modules, in the short spelling everybody writes. */
public final class PathNames {

  private static final String LANGUAGE = "pypto.language";
  private static final String DISTRIBUTED = "pypto.language.distributed";

  private PathNames() {}

  /** {@code pl.DataType.FP32} is {@code pl.FP32}, {@code pl.Mem.Vec} {@code pl.MemorySpace.Vec}. */
  public static String canonical(String qualifiedName) {
    if (qualifiedName.startsWith(LANGUAGE + ".DataType.")) {
      return LANGUAGE + qualifiedName.substring((LANGUAGE + ".DataType").length());
    }
    if (qualifiedName.startsWith(LANGUAGE + ".Mem.")) {
      return LANGUAGE + ".MemorySpace" + qualifiedName.substring((LANGUAGE + ".Mem").length());
    }
    return qualifiedName;
  }

  /** {@code pypto.language.distributed.tensor.put} as {@code pld.tensor.put}. */
  public static String printed(String written) {
    String qualifiedName = canonical(written);
    if (qualifiedName.equals(DISTRIBUTED) || qualifiedName.startsWith(DISTRIBUTED + ".")) {
      return "pld" + qualifiedName.substring(DISTRIBUTED.length());
    }
    if (qualifiedName.equals(LANGUAGE) || qualifiedName.startsWith(LANGUAGE + ".")) {
      return "pl" + qualifiedName.substring(LANGUAGE.length());
    }
    return qualifiedName;
  }

  /** The dtype that {@code pl.X} names, where it names one. There is no {@code pl.FP64}. */
  public static Optional<DType> dtype(String qualifiedName) {
    String printed = printed(qualifiedName);
    if (!printed.startsWith("pl.")) {
      return Optional.empty();
    }
    String name = printed.substring("pl.".length());
    return DType.named(name).filter(type -> type.name().equals(name) && type != DType.FP64);
  }
}
