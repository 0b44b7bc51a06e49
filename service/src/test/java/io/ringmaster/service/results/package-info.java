/** Reports against the contract. */
@NullMarked
package io.ringmaster.service.results;

import org.jspecify.annotations.NullMarked;
