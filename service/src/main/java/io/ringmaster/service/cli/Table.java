package io.ringmaster.service.cli;

import java.util.ArrayList;
import java.util.List;

/** A plain-text table: columns as wide as their widest cell, numbers to the right. */
final class Table {

  private final List<String> header;
  private final List<List<String>> rows = new ArrayList<>();

  Table(String... header) {
    this.header = List.of(header);
  }

  void row(Object... cells) {
    List<String> row = new ArrayList<>();
    for (Object cell : cells) {
      row.add(String.valueOf(cell));
    }
    if (row.size() != header.size()) {
      throw new IllegalArgumentException(
          "a row of " + row.size() + " cells in a table of " + header.size() + " columns");
    }
    rows.add(row);
  }

  boolean isEmpty() {
    return rows.isEmpty();
  }

  /** The lines, each indented by two spaces, without trailing blanks. */
  String render() {
    var text = new StringBuilder();
    appendLine(text, header);
    for (List<String> row : rows) {
      appendLine(text, row);
    }
    return text.toString();
  }

  private void appendLine(StringBuilder text, List<String> cells) {
    var line = new StringBuilder(" ");
    for (int column = 0; column < cells.size(); column++) {
      String cell = cells.get(column);
      String gap = " ".repeat(width(column) - cell.length());
      line.append(' ').append(isNumeric(column) ? gap + cell : cell + gap);
      line.append(' ');
    }
    text.append(line.toString().stripTrailing()).append('\n');
  }

  private int width(int column) {
    int width = header.get(column).length();
    for (List<String> row : rows) {
      width = Math.max(width, row.get(column).length());
    }
    return width;
  }

  private boolean isNumeric(int column) {
    return !rows.isEmpty()
        && rows.stream()
            .map(row -> row.get(column))
            .allMatch(cell -> cell.isEmpty() || cell.equals("-") || startsWithDigit(cell));
  }

  private static boolean startsWithDigit(String cell) {
    return Character.isDigit(cell.charAt(0))
        || (cell.length() > 1 && cell.charAt(0) == '-' && Character.isDigit(cell.charAt(1)));
  }
}
