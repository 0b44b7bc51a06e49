/** Workers against the contract. */
@NullMarked
package io.ringmaster.service.workers;

import org.jspecify.annotations.NullMarked;
