package io.ringmaster.worker.script.value;

import java.util.ArrayList;
import java.util.List;

/** A Python list. */
public final class ListValue implements Value {

  private final List<Value> items;

  /** Takes the list over; it must be mutable. */
  public ListValue(List<Value> items) {
    this.items = items;
  }

  public static ListValue of(List<? extends Value> items) {
    return new ListValue(new ArrayList<>(items));
  }

  public List<Value> items() {
    return items;
  }
}
