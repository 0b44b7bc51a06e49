/** Tests of what jobs can ask for. */
@NullMarked
package io.ringmaster.service.platforms;

import org.jspecify.annotations.NullMarked;
