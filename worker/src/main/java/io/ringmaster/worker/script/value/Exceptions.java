package io.ringmaster.worker.script.value;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The built-in exception classes. */
public final class Exceptions {

  private static final Map<String, ClassValue> ALL = new LinkedHashMap<>();

  public static final ClassValue BASE_EXCEPTION = define("BaseException");
  public static final ClassValue SYSTEM_EXIT = define("SystemExit", BASE_EXCEPTION);
  public static final ClassValue GENERATOR_EXIT = define("GeneratorExit", BASE_EXCEPTION);
  public static final ClassValue EXCEPTION = define("Exception", BASE_EXCEPTION);
  public static final ClassValue ASSERTION_ERROR = define("AssertionError", EXCEPTION);
  public static final ClassValue ATTRIBUTE_ERROR = define("AttributeError", EXCEPTION);
  public static final ClassValue TYPE_ERROR = define("TypeError", EXCEPTION);
  public static final ClassValue VALUE_ERROR = define("ValueError", EXCEPTION);
  public static final ClassValue NAME_ERROR = define("NameError", EXCEPTION);
  public static final ClassValue UNBOUND_LOCAL = define("UnboundLocalError", NAME_ERROR);
  public static final ClassValue LOOKUP_ERROR = define("LookupError", EXCEPTION);
  public static final ClassValue INDEX_ERROR = define("IndexError", LOOKUP_ERROR);
  public static final ClassValue KEY_ERROR = define("KeyError", LOOKUP_ERROR);
  public static final ClassValue ARITHMETIC_ERROR = define("ArithmeticError", EXCEPTION);
  public static final ClassValue ZERO_DIVISION = define("ZeroDivisionError", ARITHMETIC_ERROR);
  public static final ClassValue OVERFLOW = define("OverflowError", ARITHMETIC_ERROR);
  public static final ClassValue RUNTIME_ERROR = define("RuntimeError", EXCEPTION);
  public static final ClassValue NOT_IMPLEMENTED = define("NotImplementedError", RUNTIME_ERROR);
  public static final ClassValue RECURSION_ERROR = define("RecursionError", RUNTIME_ERROR);
  public static final ClassValue IMPORT_ERROR = define("ImportError", EXCEPTION);
  public static final ClassValue MODULE_NOT_FOUND = define("ModuleNotFoundError", IMPORT_ERROR);
  public static final ClassValue WARNING = define("Warning", EXCEPTION);
  public static final ClassValue STOP_ITERATION = define("StopIteration", EXCEPTION);

  /** Of {@code dataclasses}; known by no name of its own outside. */
  public static final ClassValue FROZEN_INSTANCE =
      of("dataclasses", "FrozenInstanceError", ATTRIBUTE_ERROR);

  /** Of {@code json}. */
  public static final ClassValue JSON_DECODE = of("json", "JSONDecodeError", VALUE_ERROR);

  static {
    define("KeyboardInterrupt", BASE_EXCEPTION);
    define("FloatingPointError", ARITHMETIC_ERROR);
    define("BufferError", EXCEPTION);
    define("EOFError", EXCEPTION);
    define("MemoryError", EXCEPTION);
    ClassValue os = define("OSError", EXCEPTION);
    define("FileNotFoundError", os);
    define("PermissionError", os);
    define("TimeoutError", os);
    ALL.put("IOError", os);
    ClassValue unicode = define("UnicodeError", VALUE_ERROR);
    define("UnicodeDecodeError", unicode);
    define("UserWarning", WARNING);
    define("DeprecationWarning", WARNING);
    define("RuntimeWarning", WARNING);
    define("FutureWarning", WARNING);
    define("PendingDeprecationWarning", WARNING);
    define("SyntaxWarning", WARNING);
    define("ImportWarning", WARNING);
    define("ResourceWarning", WARNING);
  }

  private Exceptions() {}

  /** An exception of a module: no name for scripts until they import it. */
  private static ClassValue of(String module, String name, ClassValue base) {
    ClassValue type = new ClassValue(name, List.of(base), Map.of(), List.of());
    ALL.put(module + "." + name, type);
    return type;
  }

  private static ClassValue define(String name, ClassValue... bases) {
    ClassValue type = new ClassValue(name, List.of(bases), Map.of(), List.of());
    ALL.put(name, type);
    return type;
  }

  /** Every class by its built-in name. */
  public static Map<String, ClassValue> all() {
    return Map.copyOf(ALL);
  }

  /** A new exception with constructor arguments. */
  public static InstanceValue make(ClassValue type, List<Value> arguments) {
    InstanceValue exception = new InstanceValue(type);
    exception.attributes().put("args", new TupleValue(arguments));
    if (type.isSubclassOf(SYSTEM_EXIT)) {
      exception.attributes().put("code", arguments.isEmpty() ? Value.NONE : arguments.getFirst());
    }
    if (type.isSubclassOf(STOP_ITERATION)) {
      exception.attributes().put("value", arguments.isEmpty() ? Value.NONE : arguments.getFirst());
    }
    return exception;
  }

  /** The constructor arguments of an exception. */
  public static List<Value> arguments(InstanceValue exception) {
    return exception.attributes().get("args") instanceof TupleValue tuple
        ? new ArrayList<>(tuple.items())
        : new ArrayList<>();
  }

  /** A short text for logs: the type, and the message when it is plain text. */
  static String describe(InstanceValue exception) {
    List<Value> arguments = arguments(exception);
    return arguments.size() == 1 && arguments.getFirst() instanceof Value.Str text
        ? exception.type().name() + ": " + text.value()
        : exception.type().name();
  }
}
