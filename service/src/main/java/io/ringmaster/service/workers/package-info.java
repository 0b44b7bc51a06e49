/** The workers inside this process, and the door to what runs a kernel. */
@NullMarked
package io.ringmaster.service.workers;

import org.jspecify.annotations.NullMarked;
