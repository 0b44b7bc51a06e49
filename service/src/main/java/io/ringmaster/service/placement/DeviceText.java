package io.ringmaster.service.placement;

import io.ringmaster.service.placement.DeviceRanges.Range;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** Reads device ids as people write them: {@code 0-63} or {@code 0-3,8}. */
public final class DeviceText {

  private static final Pattern RANGE = Pattern.compile("([0-9]{1,10})(?:-([0-9]{1,10}))?");

  private DeviceText() {}

  /**
   * A set of ids.
   *
   * @param place what the message calls the text
   * @throws IllegalArgumentException when it says no set of ids
   */
  public static DeviceRanges ranges(String text, String place) {
    return new DeviceRanges(list(text, place));
  }

  /**
   * Link groups, one for each range.
   *
   * @throws IllegalArgumentException when they overlap, or have devices that the worker has not
   */
  public static List<Range> groups(String text, DeviceRanges devices, String place) {
    var groups = list(text, place);
    fault(groups, devices)
        .ifPresent(
            fault -> {
              throw new IllegalArgumentException(place + ": " + fault);
            });
    return groups;
  }

  /** What is wrong with link groups; empty when nothing is. */
  public static java.util.Optional<String> fault(List<Range> groups, DeviceRanges devices) {
    for (int i = 0; i < groups.size(); i++) {
      var group = groups.get(i);
      if (devices.ranges().stream()
          .noneMatch(range -> range.contains(group.first()) && range.contains(group.last()))) {
        return java.util.Optional.of(
            "the group %s has devices that are not among %s".formatted(group, devices));
      }
      for (int j = 0; j < i; j++) {
        var other = groups.get(j);
        if (group.first() <= other.last() && other.first() <= group.last()) {
          return java.util.Optional.of(
              "the groups %s and %s overlap; a device has one group".formatted(other, group));
        }
      }
    }
    return java.util.Optional.empty();
  }

  private static List<Range> list(String text, String place) {
    var ranges = new ArrayList<Range>();
    for (String part : Arrays.asList(text.split(",", -1))) {
      var match = RANGE.matcher(part.strip());
      if (!match.matches()) {
        throw new IllegalArgumentException(
            "%s: '%s' is neither an id nor a range such as 0-63".formatted(place, part));
      }
      long first = Long.parseLong(match.group(1));
      long last = match.group(2) == null ? first : Long.parseLong(match.group(2));
      if (last < first || last > Integer.MAX_VALUE) {
        throw new IllegalArgumentException(
            "%s: %s ends before it begins, or beyond %d".formatted(place, part, Integer.MAX_VALUE));
      }
      ranges.add(new Range((int) first, (int) last));
    }
    return ranges;
  }
}
