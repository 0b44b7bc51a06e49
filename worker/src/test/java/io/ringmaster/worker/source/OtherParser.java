package io.ringmaster.worker.source;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sonar.plugins.python.api.tree.ClassDef;
import org.sonar.plugins.python.api.tree.FunctionDef;
import org.sonar.plugins.python.api.tree.Statement;
import org.sonar.plugins.python.api.tree.StatementList;
import org.sonar.plugins.python.api.tree.Tree;
import org.sonar.python.tree.PythonTreeMaker;

/** What a parser written by others makes of a source. */
final class OtherParser {

  private OtherParser() {}

  /**
   * A statement of a kind that has the same name in both parsers, by the line that it starts on.
   */
  record Outline(int line, String kind) {}

  /** The statements of a source in order; empty if the source is refused. */
  static Optional<List<Outline>> outline(String source) {
    try {
      var tree =
          new PythonTreeMaker()
              .fileInput(org.sonar.python.parser.PythonParser.create().parse(source));
      var found = new ArrayList<Outline>();
      collect(tree, found);
      return Optional.of(found);
    } catch (RuntimeException _) {
      // Some of what it can't read it refuses with an exception of its own, some with any other.
      return Optional.empty();
    }
  }

  private static void collect(Tree tree, List<Outline> found) {
    if (tree instanceof Statement statement && !(tree instanceof StatementList)) {
      found.add(new Outline(line(statement), kind(statement)));
      if (isReadWholeByUs(statement)) {
        return;
      }
    }
    for (Tree child : tree.children()) {
      collect(child, found);
    }
  }

  private static boolean isReadWholeByUs(Statement statement) {
    return statement.children().stream().anyMatch(c -> c.is(Tree.Kind.EXCEPT_GROUP_CLAUSE));
  }

  private static int line(Statement statement) {
    return switch (statement) {
      case FunctionDef function -> function.name().firstToken().line();
      case ClassDef definition -> definition.name().firstToken().line();
      default -> statement.firstToken().line();
    };
  }

  private static String kind(Statement statement) {
    return switch (statement.getKind()) {
      case YIELD_STMT -> "EXPRESSION_STMT";
      default -> statement.getKind().name();
    };
  }

  /** The statements of a tree of ours in the words of the other parser. */
  static List<Outline> outline(Module module) {
    var found = new ArrayList<Outline>();
    module.body().forEach(statement -> collect(statement, found));
    return found;
  }

  private static void collect(Stmt statement, List<Outline> found) {
    found.add(new Outline(line(statement), kind(statement)));
    SyntaxChildren.statementsOf(statement).forEach(child -> collect(child, found));
  }

  private static int line(Stmt statement) {
    return switch (statement) {
      case Stmt.FunctionDef function -> function.nameSpan().line();
      case Stmt.ClassDef definition -> definition.nameSpan().line();
      default -> statement.span().line();
    };
  }

  private static String kind(Stmt statement) {
    return switch (statement) {
      case Stmt.FunctionDef _ -> "FUNCDEF";
      case Stmt.ClassDef _ -> "CLASSDEF";
      case Stmt.Return _ -> "RETURN_STMT";
      case Stmt.Assign _ -> "ASSIGNMENT_STMT";
      case Stmt.AugmentedAssign _ -> "COMPOUND_ASSIGNMENT";
      case Stmt.AnnotatedAssign _ -> "ANNOTATED_ASSIGNMENT";
      case Stmt.For _ -> "FOR_STMT";
      case Stmt.While _ -> "WHILE_STMT";
      case Stmt.If _ -> "IF_STMT";
      case Stmt.With _ -> "WITH_STMT";
      case Stmt.Raise _ -> "RAISE_STMT";
      case Stmt.Try _ -> "TRY_STMT";
      case Stmt.Assert _ -> "ASSERT_STMT";
      case Stmt.Import _ -> "IMPORT_NAME";
      case Stmt.ImportFrom _ -> "IMPORT_FROM";
      case Stmt.Global _ -> "GLOBAL_STMT";
      case Stmt.Nonlocal _ -> "NONLOCAL_STMT";
      case Stmt.ExprStmt _ -> "EXPRESSION_STMT";
      case Stmt.Delete _ -> "DEL_STMT";
      case Stmt.Pass _ -> "PASS_STMT";
      case Stmt.Break _ -> "BREAK_STMT";
      case Stmt.Continue _ -> "CONTINUE_STMT";
      case Stmt.Match _ -> "MATCH_STMT";
      case Stmt.Unread _ -> "UNREAD";
      case Stmt.Unsupported unsupported ->
          switch (unsupported.keyword()) {
            case "except*" -> "TRY_STMT";
            default -> "TYPE_ALIAS_STMT";
          };
    };
  }
}
