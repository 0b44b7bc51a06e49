package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Attribute;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Traversal;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Span;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

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

  /**
   * Walks a function backwards and notes at each statement which tiles are still needed. A tile
   * that an operation reads for the last time may hold its result.
   */
  private static final class Lifetimes {
    private final Map<String, Placed> tiles = new HashMap<>();
    private final IdentityHashMap<Stmt, Integer> places = new IdentityHashMap<>();
    private final Mistakes mistakes;
    private final Deque<Set<String>> rounds = new ArrayDeque<>();
    private long most;
    private Set<String> fullest = Set.of();

    /** A tile variable: what it takes, and where it is first assigned. */
    private record Placed(long bytes, Span span, int place) {}

    Lifetimes(Mistakes mistakes) {
      this.mistakes = mistakes;
    }

    void check(Function f, Platform platform) {
      Traversal.statements(
          f.body(),
          stmt -> {
            places.put(stmt, places.size());
            Traversal.targets(stmt).forEach(v -> define(v, stmt));
          });
      before(f.body(), Set.of());
      if (most > platform.vecBytes()) {
        Placed largest =
            fullest.stream()
                .map(this::tile)
                .max(Comparator.comparingLong(Placed::bytes))
                .orElseThrow();
        mistakes.add(
            Errors.at(
                largest.span,
                "Vec buffer usage ("
                    + most
                    + " bytes) exceeds platform limit ("
                    + platform.vecBytes()
                    + " bytes on "
                    + platform.name()
                    + ") in '"
                    + f.name()
                    + "'; the largest tile takes "
                    + largest.bytes,
                "Work on smaller tiles in a loop; put and get take chunk_rows and chunk_cols."));
      }
    }

    /** What is needed before a block when {@code after} is needed behind it. */
    private Set<String> before(List<Stmt> body, Set<String> after) {
      Set<String> live = after;
      for (Stmt stmt : body.reversed()) {
        live = before(stmt, live);
      }
      return live;
    }

    private Set<String> before(Stmt stmt, Set<String> after) {
      return switch (stmt) {
        case Stmt.For _, Stmt.While _ -> {
          Set<String> round = union(after, carried(stmt));
          rounds.push(round);
          before(Traversal.blocks(stmt).getFirst(), round);
          rounds.pop();
          yield with(round, stmt);
        }
        case Stmt.If choice ->
            with(union(before(choice.thenBody(), after), before(choice.elseBody(), after)), choice);
        case Stmt.Region region -> with(before(region.body(), after), region);
        case Stmt.Return end -> with(Set.of(), end);
        case Stmt.Break _, Stmt.Continue _ -> rounds.isEmpty() ? after : rounds.peek();
        case Stmt.Assign _, Stmt.AssignTuple _, Stmt.Eval _ -> simple(stmt, after);
      };
    }

    /** What was there before a loop and is read in it is needed until its last round. */
    private Set<String> carried(Stmt loop) {
      Set<String> all = new HashSet<>();
      Traversal.statements(
          Traversal.blocks(loop).getFirst(), stmt -> all.addAll(with(Set.of(), stmt)));
      all.removeIf(name -> tile(name).place > place(loop));
      return all;
    }

    private Set<String> simple(Stmt stmt, Set<String> after) {
      Set<String> read = with(Set.of(), stmt);
      Set<String> made = new HashSet<>();
      Traversal.targets(stmt).forEach(v -> made.add(v.name()));
      made.retainAll(tiles.keySet());
      Set<String> all = union(union(after, read), made);
      long used = all.stream().mapToLong(name -> tile(name).bytes).sum() + doubled(stmt);
      for (String result : made) {
        boolean inPlace =
            !read.contains(result)
                && read.stream()
                    .filter(operand -> !after.contains(operand) && !made.contains(operand))
                    .anyMatch(operand -> tile(operand).bytes >= tile(result).bytes);
        used -= inPlace && made.size() == 1 ? tile(result).bytes : 0;
      }
      if (used > most) {
        most = used;
        fullest = all;
      }
      Set<String> live = new HashSet<>(after);
      live.removeAll(made);
      live.addAll(read);
      return live;
    }

    /** With the tiles that a statement itself reads. */
    private Set<String> with(Set<String> live, Stmt stmt) {
      Set<String> all = new HashSet<>(live);
      for (Expr value : Traversal.values(stmt)) {
        Traversal.expressions(
            value,
            part -> {
              if (part instanceof Expr.Var v && tiles.containsKey(v.name())) {
                all.add(v.name());
              }
            });
      }
      return all;
    }

    private static Set<String> union(Set<String> a, Set<String> b) {
      Set<String> all = new HashSet<>(a);
      all.addAll(b);
      return all;
    }

    /** A pipelined transfer has its staging tile twice. */
    private static long doubled(Stmt stmt) {
      long[] bytes = new long[1];
      for (Expr value : Traversal.values(stmt)) {
        Traversal.expressions(
            value,
            part -> {
              if (part instanceof Expr.Op op
                  && op.attributes().get("pipeline") instanceof Attribute.Bool(boolean on)
                  && on
                  && op.operands().size() == 7) {
                bytes[0] += bytes(op.operands().get(6).type());
              }
            });
      }
      return bytes[0];
    }

    private void define(Expr.Var target, Stmt stmt) {
      if (target.type() instanceof Type.Tile t && t.memory() == Type.MemorySpace.VEC) {
        Span made =
            Traversal.values(stmt).stream()
                .map(Expr::span)
                .filter(Span::isKnown)
                .findFirst()
                .orElse(stmt.span());
        mistakes.attempt(() -> checkLayout(t, made));
        tiles.putIfAbsent(target.name(), new Placed(bytes(t), made, place(stmt)));
      }
    }

    /** One of {@link #tiles}. */
    private Placed tile(String name) {
      return Objects.requireNonNull(tiles.get(name), "named by whoever asks");
    }

    private int place(Stmt stmt) {
      return Objects.requireNonNull(places.get(stmt), "every statement was numbered first");
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
