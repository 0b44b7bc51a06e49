package io.ringmaster.worker.job;

/** What produced a report. */
public final class Versions {

  private Versions() {}

  /** The product's version, from the jar's manifest. */
  public static String product() {
    String version = Versions.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }
}
