package io.ringmaster.service;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The features of the service stand beside each other without circles. */
class ServiceArchitectureTest {

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.ringmaster.service");

  @Test
  void featuresHaveNoCircles() {
    slices().matching("io.ringmaster.service.(*)..").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void kernelsAreRunThroughTheJobRoomOnly() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.ringmaster.service.cli..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.ringmaster.worker.script..",
            "io.ringmaster.worker.frontend..",
            "io.ringmaster.worker.lowering..",
            "io.ringmaster.worker.codegen..",
            "io.ringmaster.worker.engine..",
            "io.ringmaster.worker.device..")
        .check(CLASSES);
  }
}
