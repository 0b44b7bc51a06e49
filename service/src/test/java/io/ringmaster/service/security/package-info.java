/** Logins. */
@NullMarked
package io.ringmaster.service.security;

import org.jspecify.annotations.NullMarked;
