package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.List;

/** The platform and devices of the job, as the script finds them in its arguments. */
record RunSettings(String platform, List<Integer> deviceIds) {

  static RunSettings of(List<String> argv) {
    String platform = "a2a3sim";
    List<Integer> devices = List.of(0, 1);
    for (int i = 1; i + 1 < argv.size(); i++) {
      String value = argv.get(i + 1);
      switch (argv.get(i)) {
        // Of pytest's, -p no:plugin leaves a plugin out.
        case "-p", "--platform" -> platform = value.startsWith("no:") ? platform : value;
        case "-d", "--device" -> devices = ids(value);
        default -> {}
      }
    }
    return new RunSettings(platform, devices);
  }

  private static List<Integer> ids(String text) {
    List<Integer> ids = new ArrayList<>();
    for (String id : text.split(",", -1)) {
      try {
        ids.add(Integer.parseInt(id.strip()));
      } catch (NumberFormatException e) {
        throw Errors.refuse("-d " + text + ": '" + id + "' is no device id", "", Span.NONE);
      }
    }
    return ids;
  }
}
