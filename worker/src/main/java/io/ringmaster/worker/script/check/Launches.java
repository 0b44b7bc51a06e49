package io.ringmaster.worker.script.check;

import java.util.ArrayList;
import java.util.List;

/** The launches that a script has made, in order. */
public final class Launches {

  /** A script that launches without end must not fill the memory: later ones aren't told of. */
  private static final int MOST = 100_000;

  private final List<Launch> all = new ArrayList<>();

  /** Notes a launch that is about to begin. */
  public Launch begin(ProgramText program, int ranks, int line, Reads inputs, String test) {
    Launch launch = new Launch(program, ranks, line, inputs, test);
    if (all.size() < MOST) {
      all.add(launch);
    }
    return launch;
  }

  public List<Launch> all() {
    return all;
  }
}
