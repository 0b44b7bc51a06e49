package io.ringmaster.worker.ir;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The names that a text uses: dynamic dimensions, and variables that could be taken for one. */
record Names(Set<String> dims, Set<String> variables) {

  static Names of(Program program) {
    Names names = new Names(new TreeSet<>(), new TreeSet<>());
    program.functions().forEach(names::add);
    return names;
  }

  static Names of(Function function) {
    Names names = new Names(new TreeSet<>(), new TreeSet<>());
    names.add(function);
    return names;
  }

  /** True when the dimension can be written as its bare name everywhere in the text. */
  boolean isBare(String dim) {
    return !variables.contains(dim) && isIdentifier(dim);
  }

  static boolean isIdentifier(String name) {
    return !name.isEmpty()
        && Character.isUnicodeIdentifierStart(name.codePointAt(0))
        && name.codePoints().allMatch(c -> c == '_' || Character.isUnicodeIdentifierPart(c));
  }

  private void add(Function function) {
    for (Function.Param param : function.params()) {
      variables.add(param.name());
      type(param.type());
    }
    function.returns().forEach(this::type);
    body(function.body());
  }

  private void body(List<Stmt> body) {
    Traversal.statements(
        body,
        stmt -> {
          for (Expr.Var target : Traversal.targets(stmt)) {
            expr(target);
          }
          Traversal.values(stmt).forEach(this::expr);
        });
  }

  private void expr(Expr root) {
    Traversal.expressions(
        root,
        expr -> {
          switch (expr) {
            case Expr.Var e -> {
              variables.add(e.name());
              type(e.type());
            }
            case Expr.Dim e -> dims.add(e.name());
            case Expr.Op e -> type(e.type());
            case Expr.Call e -> type(e.type());
            case Expr.Binary e -> type(e.type());
            case Expr.Unary e -> type(e.type());
            case Expr.IntConst _,
                Expr.FloatConst _,
                Expr.BoolConst _,
                Expr.Convert _,
                Expr.TupleExpr _ -> {}
          }
        });
  }

  private void type(Type type) {
    switch (type) {
      case Type.Tensor t -> {
        t.shape().forEach(this::expr);
        t.valid().forEach(this::expr);
      }
      case Type.Tile t -> t.valid().forEach(this::expr);
      case Type.Tuple t -> t.elements().forEach(this::type);
      case Type.None _, Type.Scalar _, Type.Array _, Type.Buffer _, Type.Context _ -> {}
    }
  }
}
