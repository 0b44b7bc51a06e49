package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Attribute;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Traversal;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Span;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The vector memory that a kernel's tiles take at the same time must fit the platform, and each
 * tile must be one the hardware can lay out: rows, or the column of a one-column tile, in whole
 * blocks of 32 bytes. Changes nothing.
 */
public final class CheckVecCapacity implements Pass {

  private static final long ALIGNMENT = 32;

  @Override
  public Program apply(Program program, LoweringContext context) {
    if (context.platform().vecBytes() != Long.MAX_VALUE) {
      for (Function f : program.functions()) {
        if (f.level() == Function.Level.INCORE) {
          new Lifetimes(context.mistakes()).check(f, context.platform());
        }
      }
    }
    return program;
  }

  /** When a tile variable holds a value: positions of its first assignment and last use. */
  private static final class Lifetime {
    private final long bytes;
    private final Span span;
    private final int first;
    private int last;

    Lifetime(long bytes, Span span, int first) {
      this.bytes = bytes;
      this.span = span;
      this.first = first;
      this.last = first;
    }

    boolean isLiveAt(int position) {
      return first <= position && position <= last;
    }
  }

  /** Numbers the statements of a function and notes who lives from where to where. */
  private static final class Lifetimes {
    private final Map<String, Lifetime> tiles = new LinkedHashMap<>();
    private final Map<Integer, Long> doubled = new HashMap<>();
    private final Mistakes mistakes;
    private int position;

    Lifetimes(Mistakes mistakes) {
      this.mistakes = mistakes;
    }

    void check(Function f, Platform platform) {
      body(f.body());
      for (int at = 0; at <= position; at++) {
        int now = at;
        List<Lifetime> live = tiles.values().stream().filter(t -> t.isLiveAt(now)).toList();
        long used = live.stream().mapToLong(t -> t.bytes).sum() + doubled.getOrDefault(now, 0L);
        if (used > platform.vecBytes()) {
          Lifetime largest =
              live.stream().max((a, b) -> Long.compare(a.bytes, b.bytes)).orElseThrow();
          mistakes.add(
              Errors.at(
                  largest.span,
                  "Vec buffer usage ("
                      + used
                      + " bytes) exceeds platform limit ("
                      + platform.vecBytes()
                      + " bytes on "
                      + platform.name()
                      + ") in '"
                      + f.name()
                      + "'; the largest tile takes "
                      + largest.bytes,
                  "Work on smaller tiles in a loop; put and get take chunk_rows and chunk_cols."));
          return;
        }
      }
    }

    private void body(List<Stmt> body) {
      for (Stmt stmt : body) {
        position++;
        int here = position;
        for (Expr value : Traversal.values(stmt)) {
          Traversal.expressions(value, this::use);
        }
        for (Expr.Var target : Traversal.targets(stmt)) {
          define(target, stmt.span());
        }
        for (List<Stmt> block : Traversal.blocks(stmt)) {
          body(block);
        }
        if (stmt instanceof Stmt.For || stmt instanceof Stmt.While) {
          carry(here);
        }
      }
    }

    /** What was there before a loop and is used in it is needed until its last round. */
    private void carry(int loopStart) {
      for (Lifetime tile : tiles.values()) {
        if (tile.first < loopStart && tile.last > loopStart) {
          tile.last = position;
        }
      }
    }

    private void use(Expr expr) {
      switch (expr) {
        case Expr.Var v -> {
          Lifetime tile = tiles.get(v.name());
          if (tile != null) {
            tile.last = position;
          }
        }
        case Expr.Op op
            when op.attributes().get("pipeline") instanceof Attribute.Bool(boolean on)
                && on
                && op.operands().size() == 7 ->
            doubled.merge(position, bytes(op.operands().get(6).type()), Long::sum);
        default -> {}
      }
    }

    private void define(Expr.Var target, Span span) {
      if (target.type() instanceof Type.Tile t && t.memory() == Type.MemorySpace.VEC) {
        mistakes.attempt(() -> checkLayout(t, span));
        Lifetime known = tiles.get(target.name());
        if (known == null) {
          tiles.put(target.name(), new Lifetime(bytes(t), span, position));
        } else {
          known.last = position;
        }
      }
    }

    private static long bytes(Type type) {
      return type instanceof Type.Tile t
          ? t.shape().stream().reduce((long) t.dtype().bytes(), Lifetimes::times)
          : 0;
    }

    private static long times(long a, long b) {
      return Math.multiplyHigh(a, b) == 0 && a * b >= 0 ? a * b : Long.MAX_VALUE / 64;
    }

    private static void checkLayout(Type.Tile t, Span span) {
      long columns = t.shape().getLast();
      long rows = t.shape().size() < 2 ? 1 : t.shape().get(t.shape().size() - 2);
      boolean single = columns == 1;
      long line = (single ? rows : columns) * t.dtype().bytes();
      if (line % ALIGNMENT != 0) {
        throw Errors.at(
            span,
            "pto.alloc_tile of "
                + t.shape()
                + " "
                + t.dtype()
                + ": a "
                + (single ? "column" : "row")
                + " of "
                + line
                + " bytes isn't 32-byte aligned",
            "Use pl.read / pl.write for single elements, or a larger tile with a valid_shape.");
      }
    }
  }
}
