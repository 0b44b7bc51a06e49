package io.ringmaster.worker.job;

import io.ringmaster.worker.job.Declaration.Arange;
import io.ringmaster.worker.job.Declaration.Formula;
import io.ringmaster.worker.job.Declaration.Full;
import io.ringmaster.worker.job.Declaration.Golden;
import io.ringmaster.worker.job.Declaration.Input;
import io.ringmaster.worker.job.Declaration.Npy;
import io.ringmaster.worker.job.Declaration.Output;
import io.ringmaster.worker.job.Declaration.Randn;
import io.ringmaster.worker.job.DeclaredScript.Fault;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.ParserLimits;
import io.ringmaster.worker.source.PythonParser;
import io.ringmaster.worker.source.SourceFile;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.NpyReader;
import java.util.Base64;
import java.util.List;
import java.util.Set;

/**
 * Writes a function for each field of a declaration, which sees {@code nr}, a golden the inputs as
 * well, and else only what the program defines; collects what is wrong with the fields.
 */
final class DeclaredFields {

  /** Characters of a text that a message repeats. */
  private static final int MOST_QUOTED = 80;

  private final DeclaredDriver driver;
  private final Set<Fault> faults;

  DeclaredFields(DeclaredDriver driver, Set<Fault> faults) {
    this.driver = driver;
    this.faults = faults;
  }

  /**
   * Writes them all.
   *
   * @param seen the parameters of a golden
   */
  void write(Declaration declaration, String seen) {
    driver.field("/entry").line("def _entry(nr):").add("    return ringmaster.program(");
    expression(declaration.entry(), "/entry");
    driver.line(")");
    for (int i = 0; i < declaration.inputs().size(); i++) {
      String pointer = "/inputs/" + i;
      driver.field(pointer).line("def _input_%d(nr):".formatted(i)).add("    return ");
      values(declaration.inputs().get(i), pointer);
      driver.line("");
    }
    for (int i = 0; i < declaration.outputs().size(); i++) {
      Output output = declaration.outputs().get(i);
      String pointer = "/outputs/" + i;
      driver.field(pointer).line("def _output_%d(nr):".formatted(i));
      driver.add("    return torch.zeros(");
      shape(output.shape(), pointer);
      driver.line(", dtype=%s)".formatted(type(output.dtype(), pointer)));
    }
    for (int i = 0; i < declaration.goldens().size(); i++) {
      golden(declaration.goldens().get(i), i, seen);
    }
    driver.field("");
  }

  private void golden(Golden golden, int number, String seen) {
    String pointer = "/golden/" + number;
    driver
        .field(pointer + (golden.expected() instanceof Npy ? "/npy" : "/expression"))
        .line("def _golden_%d(%s, _like):".formatted(number, seen));
    driver.add("    return ringmaster.golden(torch.as_tensor(");
    switch (golden.expected()) {
      case Formula(String expression) -> expression(expression, pointer + "/expression");
      case Npy npy -> driver.add(npy(npy, pointer + "/npy"));
    }
    driver.line("), _like, \"the golden of '%s'\")".formatted(golden.argument()));
  }

  private void values(Input input, String pointer) {
    String name = "input '" + input.name() + "'";
    switch (input.values()) {
      case Arange(DType dtype, List<String> extents, double start, double step) -> {
        number(step, dtype, pointer + "/arange/step");
        number(start, dtype, pointer + "/arange/start");
        type(dtype, pointer);
        range(dtype, extents, start, step, pointer);
        driver.add("ringmaster.values((torch.arange(");
        for (int i = 0; i < extents.size(); i++) {
          driver.add(i == 0 ? "" : " * ");
          extent(extents.get(i), pointer + "/shape/" + i);
        }
        driver.add(extents.isEmpty() ? "1" : "");
        driver.add(", dtype=torch.float64) * %s + %s).reshape(".formatted(step, start));
        shape(extents, pointer);
        driver.add("), '%s', \"%s\")".formatted(dtype, name));
      }
      case Randn(DType dtype, List<String> extents, long seed) -> {
        if (!dtype.isFloat()) {
          fault(
              pointer + "/randn",
              "random values are fractions, of which "
                  + dtype
                  + " would keep 0, 1 and -1:"
                  + " use arange, full or npy");
        }
        driver.add("torch.randn(");
        shape(extents, pointer);
        driver.add(
            ", generator=torch.Generator().manual_seed(%d)).to(%s)"
                .formatted(seed, type(dtype, pointer)));
      }
      case Full(DType dtype, List<String> extents, double value) -> {
        number(value, dtype, pointer + "/full");
        type(dtype, pointer);
        driver.add("ringmaster.values(torch.full(");
        shape(extents, pointer);
        driver.add(", %s, dtype=torch.float64), '%s', \"%s\")".formatted(value, dtype, name));
      }
      case Npy npy -> driver.add(npy(npy, pointer + "/npy"));
    }
  }

  /** The last of evenly spaced values, where it can be told already; else the run looks at it. */
  private void range(DType dtype, List<String> extents, double start, double step, String pointer) {
    DeclaredNumbers.elements(extents)
        .filter(elements -> elements.signum() > 0)
        .map(elements -> start + step * (elements.doubleValue() - 1))
        .filter(_ -> DeclaredNumbers.fault(start, dtype).isEmpty())
        .flatMap(last -> DeclaredNumbers.fault(last, dtype))
        .ifPresent(fault -> fault(pointer + "/arange", "its last value: " + fault));
  }

  private String npy(Npy npy, String pointer) {
    byte[] file;
    try {
      file = Base64.getDecoder().decode(npy.base64());
    } catch (IllegalArgumentException e) {
      fault(pointer, "it isn't Base64: " + e.getMessage());
      return "";
    }
    try {
      NpyReader.read(file);
    } catch (IllegalArgumentException e) {
      fault(pointer, "the .npy file can't be read: " + e.getMessage());
    }
    return "ringmaster.npy('" + npy.base64() + "')";
  }

  private void shape(List<String> extents, String pointer) {
    driver.add("[");
    for (int i = 0; i < extents.size(); i++) {
      driver.add(i == 0 ? "" : ", ");
      extent(extents.get(i), pointer + "/shape/" + i);
    }
    driver.add("]");
    DeclaredNumbers.elements(extents)
        .filter(elements -> elements.bitLength() > 62)
        .ifPresent(
            elements -> fault(pointer + "/shape", "no tensor has " + elements + " elements"));
  }

  private void extent(String text, String pointer) {
    driver.add("ringmaster.extent(");
    expression(text, pointer);
    driver.add(")");
    // What depends on the number of devices the run looks at.
    DeclaredNumbers.extent(text)
        .flatMap(DeclaredNumbers::extentFault)
        .ifPresent(fault -> fault(pointer, fault));
  }

  private String type(DType dtype, String pointer) {
    String name =
        switch (dtype) {
          case FP32 -> "float32";
          case FP16 -> "float16";
          case BF16 -> "bfloat16";
          case INT8 -> "int8";
          case INT16 -> "int16";
          case INT32 -> "int32";
          case INT64 -> "int64";
          case UINT8 -> "uint8";
          case UINT16 -> "uint16";
          case UINT32 -> "uint32";
          case BOOL -> "bool";
          case FP64, UINT64, INDEX, TASK_ID, INT4, UINT4 -> "";
          case FP8E4M3FN, FP8E5M2, FP8E8M0, HF8, FP4, HF4 -> "";
        };
    if (name.isEmpty()) {
      fault(pointer + "/dtype", "host tensors can't be " + dtype);
    }
    return "torch." + name;
  }

  private void number(double value, DType dtype, String pointer) {
    DeclaredNumbers.fault(value, dtype).ifPresent(fault -> fault(pointer, fault));
  }

  /** Adds the text in parentheses; it must be one expression and nothing else. */
  private void expression(String text, String pointer) {
    try {
      PythonParser.parseExpression(new SourceFile(pointer, text), ParserLimits.DEFAULT);
    } catch (DiagnosticException e) {
      Diagnostic first = e.diagnostics().getFirst();
      fault(
          pointer,
          "%s isn't an expression: %s%s"
              .formatted(
                  quoted(text),
                  first.message().replaceAll("the end of the (file|line)", "its end"),
                  place(first.span())));
    }
    driver.expression(text, pointer);
  }

  /** Where in the text; nothing for the whole of it. */
  private static String place(Span span) {
    return span.isKnown()
        ? " at "
            + (span.line() == 1 ? "" : "line " + span.line() + ", ")
            + "column "
            + span.column()
        : "";
  }

  private static String quoted(String text) {
    return text.length() <= MOST_QUOTED
        ? "'" + text + "'"
        : "'" + text.substring(0, MOST_QUOTED) + "...'";
  }

  private void fault(String pointer, String message) {
    faults.add(new Fault(pointer, message));
  }
}
