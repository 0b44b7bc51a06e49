/** Test files as scripts: collecting, selecting and running the cases of {@code pytest}. */
@NullMarked
package io.ringmaster.worker.script.pytest;

import org.jspecify.annotations.NullMarked;
