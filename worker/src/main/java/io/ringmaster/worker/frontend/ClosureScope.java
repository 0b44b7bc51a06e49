package io.ringmaster.worker.frontend;

import java.util.Optional;

/**
 * What a decorated function can see outside itself: the globals and locals of the frame in which
 * its decorator ran. Values are {@link ClosureValue}s.
 */
@FunctionalInterface
public interface ClosureScope {

  Optional<ClosureValue> lookup(String name);
}
