/** One class for each family of operations: how its calls are typed and which rules they obey. */
@NullMarked
package io.ringmaster.worker.frontend.ops;

import org.jspecify.annotations.NullMarked;
