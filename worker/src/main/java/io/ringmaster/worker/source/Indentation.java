package io.ringmaster.worker.source;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The indentation of the blocks open at a line. Widths are measured twice, with tabs to the next
 * multiple of eight and with tabs as one column; a line whose two widths disagree about being
 * deeper mixes tabs and spaces in a way that depends on the editor.
 */
final class Indentation {

  private static final int TAB = 8;

  /** How wide the space before a line is. */
  private record Width(int wide, int narrow) {}

  /** What the next line does to the open blocks. */
  enum Change {
    SAME,
    DEEPER,
    /** Closes one block or more: {@link #closed()} says how many. */
    OUT,
    /** Closes blocks but fits none of those around it. */
    OUT_TO_NOWHERE,
    MIXED
  }

  private final Deque<Width> open = new ArrayDeque<>();
  private int wide;
  private int narrow;
  private int closed;

  Indentation() {
    open.push(new Width(0, 0));
  }

  void startLine() {
    wide = 0;
    narrow = 0;
  }

  void add(char space) {
    switch (space) {
      case '\t' -> {
        wide = (wide / TAB + 1) * TAB;
        narrow++;
      }
      case '\f' -> startLine();
      default -> {
        wide++;
        narrow++;
      }
    }
  }

  /** Compares the line measured by {@link #add} with the open blocks and opens or closes them. */
  Change endMargin() {
    closed = 0;
    Width top = open.element();
    if (wide == top.wide) {
      return narrow == top.narrow ? Change.SAME : Change.MIXED;
    }
    if (wide > top.wide) {
      if (narrow <= top.narrow) {
        // Taken as a line of the block before it, where it stands in some editors.
        return Change.MIXED;
      }
      open.push(new Width(wide, narrow));
      return Change.DEEPER;
    }
    while (wide < open.element().wide) {
      open.pop();
      closed++;
    }
    if (wide != open.element().wide) {
      // The line is taken as one of the innermost block it can belong to.
      open.push(new Width(wide, narrow));
      closed--;
      return Change.OUT_TO_NOWHERE;
    }
    return narrow == open.element().narrow ? Change.OUT : Change.MIXED;
  }

  int closed() {
    return closed;
  }

  /** Closes every block at the end of the file. */
  int closeAll() {
    int count = open.size() - 1;
    while (open.size() > 1) {
      open.pop();
    }
    return count;
  }
}
