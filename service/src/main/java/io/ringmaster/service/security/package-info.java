/** Who may do what: tokens, roles, and whose jobs somebody sees. */
@NullMarked
package io.ringmaster.service.security;

import org.jspecify.annotations.NullMarked;
