package io.ringmaster.worker.frontend;

import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Stmt;

/** What Python calls the statements and expressions that a kernel can't contain. */
final class PythonNames {

  private PythonNames() {}

  static String of(Expr expr) {
    return switch (expr) {
      case Expr.FormattedString _ -> "JoinedStr (f-string)";
      case Expr.SetDisplay _ -> "Set";
      case Expr.DictDisplay _ -> "Dict";
      case Expr.Conditional _ -> "IfExp (conditional expression)";
      case Expr.Lambda _ -> "Lambda";
      case Expr.Comprehension comprehension ->
          switch (comprehension.kind()) {
            case LIST -> "ListComp (comprehension)";
            case SET -> "SetComp (comprehension)";
            case DICT -> "DictComp (comprehension)";
            case GENERATOR -> "GeneratorExp (comprehension)";
          };
      case Expr.Starred _ -> "Starred";
      case Expr.Walrus _ -> "NamedExpr (:=)";
      case Expr.Slice _ -> "Slice";
      case Expr.Suspension suspension -> suspension.keyword();
      case Expr.Name _ -> "Name";
      case Expr.IntLiteral _,
          Expr.FloatLiteral _,
          Expr.StringLiteral _,
          Expr.BytesLiteral _,
          Expr.BoolLiteral _,
          Expr.NoneLiteral _,
          Expr.EllipsisLiteral _ ->
          "Constant";
      case Expr.Attribute _ -> "Attribute";
      case Expr.Call _ -> "Call";
      case Expr.Subscript _ -> "Subscript";
      case Expr.TupleDisplay _ -> "Tuple";
      case Expr.ListDisplay _ -> "List";
      case Expr.Unary _ -> "UnaryOp";
      case Expr.Binary _ -> "BinOp";
      case Expr.BoolOperation _ -> "BoolOp";
      case Expr.Comparison _ -> "Compare";
    };
  }

  static String adviceFor(Expr expr) {
    return switch (expr) {
      case Expr.Conditional _ -> "write an if statement that assigns in both branches";
      case Expr.Comprehension _ -> "write a pl.range loop";
      case Expr.FormattedString _ -> "texts belong to the driver";
      case Expr.SetDisplay _, Expr.DictDisplay _ -> "keep it outside, and pass its numbers";
      case Expr.Lambda _ -> "write the operations where they are needed, or call self.f(...)";
      case Expr.Starred _ -> "write the values one by one";
      case Expr.Walrus _ -> "assign the name in a line before";
      case Expr.Slice _ -> "slices stand in subscripts only";
      case Expr.Suspension _ -> "a kernel runs through: there is nothing to wait for";
      case Expr other -> "";
    };
  }

  static String of(Stmt statement) {
    return switch (statement) {
      case Stmt.FunctionDef _ -> "FunctionDef";
      case Stmt.ClassDef _ -> "ClassDef";
      case Stmt.Return _ -> "Return";
      case Stmt.Assign _ -> "Assign";
      case Stmt.AugmentedAssign _ -> "AugAssign";
      case Stmt.AnnotatedAssign _ -> "AnnAssign";
      case Stmt.For _ -> "For";
      case Stmt.While _ -> "While";
      case Stmt.If _ -> "If";
      case Stmt.With _ -> "With";
      case Stmt.Raise _ -> "Raise";
      case Stmt.Try _ -> "Try";
      case Stmt.Assert _ -> "Assert";
      case Stmt.Import _ -> "Import";
      case Stmt.ImportFrom _ -> "ImportFrom";
      case Stmt.Global _ -> "Global";
      case Stmt.Nonlocal _ -> "Nonlocal";
      case Stmt.ExprStmt _ -> "Expr";
      case Stmt.Delete _ -> "Delete";
      case Stmt.Pass _ -> "Pass";
      case Stmt.Break _ -> "Break";
      case Stmt.Continue _ -> "Continue";
      case Stmt.Match _ -> "Match";
      case Stmt.Unread _ -> "Unread";
      case Stmt.Unsupported unsupported -> unsupported.keyword();
    };
  }

  static String adviceFor(Stmt statement) {
    return switch (statement) {
      case Stmt.AugmentedAssign(Expr.Name(String id, _), var operator, _, _) ->
          "write " + id + " = " + id + " " + operator.spelling() + " ... instead";
      case Stmt.AugmentedAssign assign ->
          "write x = x " + assign.operator().spelling() + " ... instead";
      case Stmt.Assert _, Stmt.Raise _, Stmt.Try _ -> "check values in the driver";
      case Stmt.Import _, Stmt.ImportFrom _ -> "import at the top of the file";
      case Stmt.FunctionDef _, Stmt.ClassDef _ -> "make it a method of the program";
      case Stmt.Match _ -> "compare with if, elif and else";
      case Stmt.Delete _ -> "leave it away: names end with their function";
      case Stmt.Global _, Stmt.Nonlocal _ -> "take values as parameters, and return results";
      case Stmt other -> "";
    };
  }
}
