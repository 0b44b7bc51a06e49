package io.ringmaster.service.submissions;

/** JSON pointers, RFC 6901. */
final class Pointers {

  private Pointers() {}

  /** The pointer of a member or item. */
  static String child(String pointer, String name) {
    return pointer + "/" + name.replace("~", "~0").replace("/", "~1");
  }
}
