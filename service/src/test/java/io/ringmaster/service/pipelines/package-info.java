/** The set-ups for pipelines, executed as far as that is possible without their vendors. */
@NullMarked
package io.ringmaster.service.pipelines;

import org.jspecify.annotations.NullMarked;
