package io.ringmaster.service.submissions;

import io.ringmaster.service.jobs.DeviceRequest;
import io.ringmaster.service.problems.RequestError.Kind;
import io.ringmaster.service.problems.RequestErrors;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads device lists. Every fault names the position. */
final class DeviceLists {

  /** Longest list that is judged id by id. */
  static final int MOST_IDS = 65_536;

  private static final int MOST_LISTS = 256;
  private static final Pattern INTEGER = Pattern.compile("-?[0-9]+");
  private static final String EXAMPLE =
      "Give ids such as [0,1,2,3], a number such as \"auto:4\", or a list of such, one for each"
          + " run.";

  private final RequestErrors errors;

  DeviceLists(RequestErrors errors) {
    this.errors = errors;
  }

  /** A list of ids or {@code auto:4}, or a list of such. */
  List<DeviceRequest> several(Json value, String pointer) {
    if (value instanceof Json.Items(List<Json> items)
        && items.stream().anyMatch(DeviceLists::isRequest)) {
      if (items.size() > MOST_LISTS) {
        errors.body(
            pointer,
            Kind.TOO_MANY,
            "There are %,d device lists; a job has at most %d runs."
                .formatted(items.size(), MOST_LISTS));
        return List.of();
      }
      var lists = new ArrayList<DeviceRequest>();
      for (int i = 0; i < items.size(); i++) {
        lists.add(request(items.get(i), pointer + "/" + i));
      }
      refuseRepeated(lists, pointer);
      return lists;
    }
    return List.of(request(value, pointer));
  }

  private static boolean isRequest(Json item) {
    return item instanceof Json.Items || isAuto(item);
  }

  private static boolean isAuto(Json item) {
    return item instanceof Json.Text(String text) && text.startsWith(DeviceRequest.AUTO);
  }

  private DeviceRequest request(Json value, String pointer) {
    if (!(value instanceof Json.Text(String text)) || !isAuto(value)) {
      return new DeviceRequest.Ids(one(value, pointer));
    }
    return DeviceRequest.auto(text, MOST_IDS)
        .orElseGet(
            () -> {
              errors.body(
                  pointer,
                  Kind.BAD_VALUE,
                  "A number of devices is written auto:4, from auto:1 to auto:%d, got %s."
                      .formatted(MOST_IDS, value.described()));
              return new DeviceRequest.Count(1);
            });
  }

  private void refuseRepeated(List<DeviceRequest> lists, String pointer) {
    var first = new HashMap<DeviceRequest, Integer>();
    for (int i = 0; i < lists.size(); i++) {
      var earlier = first.putIfAbsent(lists.get(i), i);
      if (earlier != null && lists.get(i).ranks() > 0) {
        errors.body(
            pointer + "/" + i,
            Kind.DUPLICATE,
            "List %d is the same as list %d; submit two jobs to run twice."
                .formatted(i + 1, earlier + 1));
      }
    }
  }

  /** A list of ids; empty when something is wrong with it. */
  List<Integer> one(Json value, String pointer) {
    if (!(value instanceof Json.Items(List<Json> items))) {
      errors.body(
          pointer,
          Kind.WRONG_TYPE,
          "devices must be a list, got %s. %s".formatted(value.described(), EXAMPLE));
      return List.of();
    }
    if (items.isEmpty()) {
      errors.body(pointer, Kind.BAD_VALUE, "The device list is empty. " + EXAMPLE);
      return List.of();
    }
    if (items.size() > MOST_IDS) {
      errors.body(
          pointer,
          Kind.TOO_MANY,
          "The device list has %,d ids; it may have at most %,d."
              .formatted(items.size(), MOST_IDS));
      return List.of();
    }
    var positions = new LinkedHashMap<Integer, Integer>();
    for (int i = 0; i < items.size(); i++) {
      int position = i;
      id(items.get(i), pointer + "/" + i)
          .ifPresent(
              id -> {
                var earlier = positions.putIfAbsent(id, position);
                if (earlier != null) {
                  errors.body(
                      pointer + "/" + position,
                      Kind.DUPLICATE,
                      "Device %d is named twice, at positions %d and %d; ids must be distinct."
                          .formatted(id, earlier, position));
                }
              });
    }
    return positions.size() == items.size() ? List.copyOf(positions.keySet()) : List.of();
  }

  /** 0.0 and 1e3 are whole, but somebody who computes with ids has made a mistake. */
  private Optional<Integer> id(Json value, String pointer) {
    if (!(value instanceof Json.Numeral(String text)) || !INTEGER.matcher(text).matches()) {
      errors.body(
          pointer,
          Kind.WRONG_TYPE,
          "Device ids are integers, written like 0 or 17; the one at %s is %s."
              .formatted(pointer, value.described()));
      return Optional.empty();
    }
    var id = Fields.whole(text).filter(number -> number >= 0 && number <= Integer.MAX_VALUE);
    if (id.isEmpty()) {
      errors.body(
          pointer,
          Kind.OUT_OF_RANGE,
          "The device id at %s must be from 0 to %d, got %s."
              .formatted(pointer, Integer.MAX_VALUE, value.described()));
    }
    return id.map(Long::intValue);
  }
}
