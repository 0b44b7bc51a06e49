package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Attribute;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Kernels work on tiles: {@code put} and {@code get} are given the staging tile they stream
 * through; {@code t = pl.add(x, y)} on tensors becomes loads, the tile operation, and a store into
 * a new tensor; {@code pl.assemble(dst, src, o)} becomes a load and a store.
 */
public final class ConvertTensorToTileOps implements Pass {

  @Override
  public Program apply(Program program, LoweringContext context) {
    List<Function> functions = new ArrayList<>();
    for (Function f : program.functions()) {
      functions.add(
          f.level() == Function.Level.INCORE
              ? Blocks.withBody(
                  f, Blocks.rewrite(f.body(), new Converter()::stmt, context.mistakes()))
              : f);
    }
    return new Program(program.name(), functions, program.domains());
  }

  /** Converts one function; numbers its tiles through, so that no two share a name. */
  private static final class Converter {
    private int names;

    List<Stmt> stmt(Stmt stmt) {
      return switch (stmt) {
        case Stmt.Eval s when s.value() instanceof Expr.Op op && isUnstaged(op) -> {
          List<Stmt> out = new ArrayList<>();
          Expr.Op staged = staged(op, out);
          out.add(new Stmt.Eval(staged, s.span()));
          yield out;
        }
        case Stmt.Eval s
            when s.value() instanceof Expr.Op op && op.code() == OpCode.ASSEMBLE && onTensors(op) ->
            assembled(op);
        case Stmt.Assign s when s.value() instanceof Expr.Op op && isUnstaged(op) -> {
          List<Stmt> out = new ArrayList<>();
          Expr.Op staged = staged(op, out);
          out.add(new Stmt.Assign(s.target(), staged, s.span()));
          yield out;
        }
        case Stmt.Assign s
            when s.value() instanceof Expr.Op op
                && op.code() == OpCode.ASSEMBLE
                && onTensors(op) -> {
          List<Stmt> out = new ArrayList<>(assembled(op));
          if (!(op.operands().getFirst() instanceof Expr.Var v)
              || !v.name().equals(s.target().name())) {
            out.add(new Stmt.Assign(s.target(), op.operands().getFirst(), s.span()));
          }
          yield out;
        }
        case Stmt.Assign s when s.value() instanceof Expr.Op op && isTensorMath(op) ->
            computed(s, op);
        default -> List.of(stmt);
      };
    }

    private static boolean isUnstaged(Expr.Op op) {
      return (op.code() == OpCode.PUT || op.code() == OpCode.GET) && op.operands().size() == 6;
    }

    private static boolean onTensors(Expr.Op op) {
      return op.operands().getFirst().type() instanceof Type.Tensor
          && op.operands().get(1).type() instanceof Type.Tensor;
    }

    private static boolean isTensorMath(Expr.Op op) {
      return switch (op.code()) {
        case ADD,
            SUB,
            MUL,
            DIV,
            MAXIMUM,
            MINIMUM,
            EXP,
            LOG,
            SQRT,
            RSQRT,
            NEG,
            ABS,
            RECIP,
            SIN,
            COS,
            CAST,
            ROW_SUM,
            ROW_MAX,
            ROW_MIN,
            ROW_PROD,
            COL_SUM,
            COL_MAX,
            COL_MIN,
            COL_PROD,
            FILL_PAD ->
            op.operands().getFirst().type() instanceof Type.Tensor;
        default -> false;
      };
    }

    private Expr.Op staged(Expr.Op op, List<Stmt> out) {
      Build ir = new Build(op.span());
      List<Expr> shape = ((Expr.TupleExpr) op.operands().get(5)).elements();
      Expr leading = ir.product(shape.subList(0, shape.size() - 1));
      long rows =
          extent(
              op, leading, chunk(op, "chunk_rows"), "a dynamic leading transfer dim", "chunk_rows");
      long columns =
          extent(
              op,
              shape.getLast(),
              chunk(op, "chunk_cols"),
              "a dynamic innermost transfer dim",
              "chunk_cols");
      DType dtype = TensorView.of(op.operands().getFirst()).dtype();
      Expr.Var stage =
          let(out, op.operands().getFirst(), "stage", ir.stageTile(rows, columns, dtype));
      List<Expr> operands = new ArrayList<>(op.operands());
      operands.add(stage);
      return op.on(operands);
    }

    private static long chunk(Expr.Op op, String name) {
      return op.attributes().get(name) instanceof Attribute.Int n ? n.value() : 0;
    }

    private static long extent(Expr.Op op, Expr whole, long chunk, String what, String remedy) {
      OptionalLong known = Build.constant(whole);
      if (known.isEmpty() && chunk == 0) {
        throw Errors.at(
            op.span(),
            op.code().printedName() + ": " + what + " needs a static " + remedy,
            "Pass " + remedy + "=n with a constant n, or make the extent constant.");
      }
      long most = known.isPresent() ? Math.max(known.getAsLong(), 1) : chunk;
      return chunk > 0 ? Math.min(chunk, most) : most;
    }

    private List<Stmt> assembled(Expr.Op op) {
      List<Stmt> out = new ArrayList<>();
      Build ir = new Build(op.span());
      Expr source = loaded(out, op.operands().get(0), "src", op.operands().get(1));
      Map<String, Attribute> attributes = new TreeMap<>(op.attributes());
      out.add(
          new Stmt.Eval(
              ir.op(
                  OpCode.STORE,
                  List.of(source, op.operands().get(2), op.operands().get(0)),
                  attributes),
              op.span()));
      return out;
    }

    private List<Stmt> computed(Stmt.Assign s, Expr.Op op) {
      List<Stmt> out = new ArrayList<>();
      Build ir = new Build(op.span());
      TensorView result =
          new TensorView(s.target(), tensor(s.target()).shape(), tensor(s.target()).dtype(), false);
      List<Expr> operands = new ArrayList<>();
      for (Expr operand : op.operands()) {
        operands.add(
            operand.type() instanceof Type.Tensor
                ? loaded(out, s.target(), "in", operand)
                : operand);
      }
      if (isReduction(op.code())
          && operands.size() == 1
          && operands.getFirst().type() instanceof Type.Tile t) {
        operands.add(let(out, s.target(), "scratch", ir.createTile(t.shape(), t.dtype())));
      }
      Expr.Var value = let(out, s.target(), "value", ir.op(op.code(), operands, op.attributes()));
      Expr created =
          ir.op(
              OpCode.CREATE_TENSOR,
              List.of(ir.tuple(result.shape())),
              Map.of("dtype", new Attribute.Dtype(result.dtype())));
      out.add(new Stmt.Assign(s.target(), created, s.span()));
      out.add(
          new Stmt.Assign(
              s.target(),
              ir.op(OpCode.STORE, value, ir.zeros(result.rank()), s.target()),
              s.span()));
      List<Expr> valid = tensor(s.target()).valid();
      if (!valid.isEmpty()) {
        List<Expr> part =
            List.of(s.target(), ir.tuple(result.shape()), ir.zeros(result.rank()), ir.tuple(valid));
        out.add(new Stmt.Assign(s.target(), ir.op(OpCode.SLICE, part, Map.of()), s.span()));
      }
      return out;
    }

    private static Type.Tensor tensor(Expr expr) {
      return (Type.Tensor) expr.type();
    }

    private static boolean isReduction(OpCode code) {
      return switch (code) {
        case ROW_SUM, ROW_MAX, ROW_MIN, ROW_PROD, COL_SUM, COL_MAX, COL_MIN, COL_PROD -> true;
        default -> false;
      };
    }

    private Expr.Var loaded(List<Stmt> out, Expr base, String purpose, Expr source) {
      Build ir = new Build(source.span());
      TensorView view = TensorView.of(source);
      view.constantShape(source.span(), "tensor operand in a kernel");
      List<Expr> operands =
          new ArrayList<>(List.of(source, ir.zeros(view.rank()), ir.tuple(view.shape())));
      if (!tensor(source).valid().isEmpty()) {
        operands.add(ir.tuple(tensor(source).valid()));
      }
      return let(out, base, purpose, ir.op(OpCode.LOAD, operands, Map.of()));
    }

    private Expr.Var let(List<Stmt> out, Expr base, String purpose, Expr value) {
      String name = base instanceof Expr.Var v ? v.name() : "result";
      Expr.Var variable =
          new Expr.Var(name + "__" + purpose + "_tmp_v" + names++, value.type(), value.span());
      out.add(new Stmt.Assign(variable, value, value.span()));
      return variable;
    }
  }
}
