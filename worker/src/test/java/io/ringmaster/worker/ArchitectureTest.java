package io.ringmaster.worker;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.conditions.ArchConditions.be;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * The table of rooms: which package may know about which. A new arrow is a change of this table.
 */
class ArchitectureTest {

  private static final String BASE = "io.ringmaster.worker";

  /** One package below {@link #BASE} and the rooms it may import; {@code below} may be empty. */
  private record Room(String name, List<String> below) {}

  private static final List<Room> ROOMS =
      List.of(
          room("stop"),
          room("source", "stop"),
          room("tensor"),
          room("ir", "tensor", "source", "stop"),
          room("frontend", "source", "ir", "tensor", "stop"),
          room("lowering", "ir", "source", "tensor", "stop"),
          room("fabric", "tensor", "source"),
          room("device", "tensor", "stop"),
          room("codegen", "ir", "fabric", "device", "tensor", "source", "stop"),
          room("engine", "codegen", "fabric", "device", "ir", "tensor", "source", "stop"),
          room("observe", "fabric", "engine", "ir", "tensor", "source"),
          room(
              "trial",
              "observe",
              "engine",
              "lowering",
              "fabric",
              "device",
              "ir",
              "source",
              "tensor"),
          room("golden", "tensor", "stop"),
          room("script", "source", "frontend", "ir", "golden", "tensor", "stop"),
          room("process"),
          room("external", "process"),
          everythingBelow("job"),
          everythingBelow("isolated"),
          everythingBelow("agent"));

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages(BASE);

  @TestFactory
  Stream<DynamicTest> aRoomImportsOnlyTheRoomsBelowIt() {
    return ROOMS.stream()
        .map(room -> dynamicTest(room.name() + " -> " + allowed(room), () -> checkArrows(room)));
  }

  @Test
  void theTableItselfPointsDownOnly() {
    var seen = new ArrayList<String>();
    for (var room : ROOMS) {
      assertThat(seen).as("rooms declared before " + room.name()).containsAll(allowed(room));
      seen.add(room.name());
    }
  }

  @Test
  void everyClassLivesInARoom() {
    classes()
        .should(be(resideInAnyPackage(packages(ROOMS.stream().map(Room::name).toList()))))
        .check(CLASSES);
  }

  @Test
  void thereAreNoCircles() {
    slices()
        .matching(BASE + ".(*)..")
        .should()
        .beFreeOfCycles()
        .allowEmptyShould(true)
        .check(CLASSES);
  }

  @Test
  void nothingBelowTheAgentKnowsSpring() {
    noClasses()
        .that()
        .resideOutsideOfPackage(BASE + ".agent..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.springframework..")
        .allowEmptyShould(true)
        .check(CLASSES);
  }

  private static void checkArrows(Room room) {
    var forbidden =
        ROOMS.stream()
            .map(Room::name)
            .filter(name -> !name.equals(room.name()) && !allowed(room).contains(name))
            .toList();
    if (forbidden.isEmpty()) {
      return;
    }
    noClasses()
        .that()
        .resideInAPackage(BASE + "." + room.name() + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(packages(forbidden))
        .allowEmptyShould(true)
        .check(CLASSES);
  }

  private static String[] packages(List<String> rooms) {
    return rooms.stream().map(name -> BASE + "." + name + "..").toArray(String[]::new);
  }

  /** The rooms {@code room} may import, {@link #everythingBelow} written out. */
  private static List<String> allowed(Room room) {
    if (!room.below().equals(List.of("*"))) {
      return room.below();
    }
    return ROOMS.stream().map(Room::name).takeWhile(name -> !name.equals(room.name())).toList();
  }

  private static Room room(String name, String... below) {
    return new Room(name, List.of(below));
  }

  private static Room everythingBelow(String name) {
    return new Room(name, List.of("*"));
  }
}
