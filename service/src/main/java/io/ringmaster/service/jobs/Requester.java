package io.ringmaster.service.jobs;

import java.util.Optional;

/** Whoever asks for something now, as far as jobs are concerned; logins know. */
public interface Requester {

  /** To whom a job belongs that is submitted now. */
  String name();

  /** Whose jobs are to be seen; empty when everybody's are. */
  Optional<String> seesOnly();
}
