/** The service over real HTTP, on both databases. */
@NullMarked
package io.ringmaster.service.http;

import org.jspecify.annotations.NullMarked;
