/** Reports against the contract. */
@NullMarked
package io.ringmaster.service.fleet;

import org.jspecify.annotations.NullMarked;
