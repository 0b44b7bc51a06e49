package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.IrParser;
import io.ringmaster.worker.ir.IrPrinter;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Traversal;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assertions;

/** IR texts for the tests of passes. */
final class Texts {

  private Texts() {}

  static String resource(String name) {
    try (InputStream in = Texts.class.getResourceAsStream(name)) {
      Assertions.assertNotNull(in, "test resource " + name);
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static final LoweringContext ANY_WORLD = LoweringContext.of(Platform.a2a3("a2a3sim"));

  static LoweringContext world(int ranks) {
    return LoweringContext.of(Platform.a2a3("a2a3sim"), ranks);
  }

  static String after(Pass pass, String text) {
    return IrPrinter.print(Lowering.run(IrParser.parse(text), ANY_WORLD, List.of(pass)).program());
  }

  /** A kernel with the given parameters and one statement. */
  static String kernel(String params, String statement) {
    return """
        @pl.program
        class Kernel:
            @pl.function(type=pl.FunctionType.InCore)
            def step(self, %s):
                %s
        """
        .formatted(params, statement);
  }

  static Program lower(String text) {
    return Lowering.run(IrParser.parse(text), ANY_WORLD).program();
  }

  static Function step(Program program) {
    return program.function("step").orElseThrow();
  }

  /** The one error that lowering the text reports. */
  static Diagnostic errorOf(String text, LoweringContext context) {
    DiagnosticException thrown =
        Assertions.assertThrows(
            DiagnosticException.class, () -> Lowering.run(IrParser.parse(text), context));
    return thrown.diagnostics().getFirst();
  }

  static Diagnostic errorOf(String text) {
    return errorOf(text, ANY_WORLD);
  }

  static long count(Function function, Class<? extends Stmt> kind) {
    AtomicInteger count = new AtomicInteger();
    Traversal.statements(
        function.body(),
        stmt -> {
          if (kind.isInstance(stmt)) {
            count.incrementAndGet();
          }
        });
    return count.get();
  }

  static long ops(Function function, io.ringmaster.worker.ir.OpCode code) {
    AtomicInteger count = new AtomicInteger();
    Blocks.forEach(
        function.body(),
        expr -> {
          if (expr instanceof Expr.Op op && op.code() == code) {
            count.incrementAndGet();
          }
        });
    return count.get();
  }
}
