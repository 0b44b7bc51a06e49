/** The stand-ins for the world outside. */
@NullMarked
package io.ringmaster.service.config;

import org.jspecify.annotations.NullMarked;
