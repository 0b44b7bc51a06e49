package io.ringmaster.worker.script.value;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A class: of the script, or a built-in exception. */
public final class ClassValue implements Value {

  /** The member under which an enumeration keeps the list of its objects. */
  public static final String ENUM_MEMBERS = "_members_";

  /** The member of an enumeration whose objects count as their values, as keys too. */
  public static final String COUNTS_AS_VALUE = "_counts_as_value_";

  /** The member with the names of the attributes that make objects equal as keys. */
  public static final String KEY = "_key_";

  /** The fields of a dataclass that only its constructor takes: {@code InitVar[...]}. */
  public static final String INIT_ONLY = "_init_only_";

  /** The member of a class whose objects can't be changed. */
  public static final String FROZEN = "_frozen_";

  /** The member of a class whose abstract methods must be given before an object can be made. */
  public static final String ABSTRACT = "_abstract_";

  /** The member of a protocol that {@code isinstance} may ask. */
  public static final String PROTOCOL = "_protocol_";

  /** The member of a class whose objects are sequences to a pattern. */
  public static final String SEQUENCE = "_sequence_";

  /** The member of a class whose objects are mappings to a pattern. */
  public static final String MAPPING = "_mapping_";

  /** The names that the positional patterns of a class stand for. */
  public static final String MATCH_ARGS = "__match_args__";

  private final String name;
  private final List<ClassValue> bases;
  private final Map<String, Value> members;
  private final List<String> fields;
  private final Optional<Interp> runner;

  /**
   * Makes a class that is built in.
   *
   * @param fields names annotated in its body, in order
   */
  public ClassValue(
      String name, List<ClassValue> bases, Map<String, Value> members, List<String> fields) {
    this(name, bases, members, fields, Optional.empty());
  }

  /**
   * Makes a class.
   *
   * @param fields names annotated in its body, in order
   * @param runner the script that the class is of: dicts and sets call its objects' methods by it
   */
  public ClassValue(
      String name,
      List<ClassValue> bases,
      Map<String, Value> members,
      List<String> fields,
      Optional<Interp> runner) {
    this.name = name;
    this.runner = runner;
    this.bases = List.copyOf(bases);
    this.members = new LinkedHashMap<>(members);
    this.fields = List.copyOf(fields);
  }

  public String name() {
    return name;
  }

  public List<ClassValue> bases() {
    return bases;
  }

  public Map<String, Value> members() {
    return members;
  }

  public List<String> fields() {
    return fields;
  }

  /** The script that the class is of; empty for a class that is built in. */
  public Optional<Interp> runner() {
    return runner;
  }

  /** This class and its ancestors in the order in which attributes are looked up. */
  public List<ClassValue> ancestry() {
    List<ClassValue> order = new ArrayList<>();
    collect(this, order);
    return order;
  }

  private static void collect(ClassValue at, List<ClassValue> order) {
    // An ancestor reached twice stands after everything that derives from it.
    order.remove(at);
    order.add(at);
    for (ClassValue base : at.bases) {
      collect(base, order);
    }
  }

  /** Finds a member here or in an ancestor. */
  public Optional<Value> member(String wanted) {
    for (ClassValue at : ancestry()) {
      Value found = at.members.get(wanted);
      if (found != null) {
        return Optional.of(found);
      }
    }
    return Optional.empty();
  }

  /** Finds a member in the ancestors of {@code after} alone, in this class's order. */
  public Optional<Value> memberAfter(ClassValue after, String wanted) {
    List<ClassValue> order = ancestry();
    for (ClassValue at : order.subList(order.indexOf(after) + 1, order.size())) {
      Value found = at.members.get(wanted);
      if (found != null) {
        return Optional.of(found);
      }
    }
    return Optional.empty();
  }

  /** The objects of an enumeration, in order; empty for any other class. */
  public Optional<List<Value>> enumMembers() {
    return member(ENUM_MEMBERS)
        .filter(ListValue.class::isInstance)
        .map(list -> List.copyOf(((ListValue) list).items()));
  }

  public boolean isSubclassOf(ClassValue other) {
    return ancestry().contains(other);
  }
}
