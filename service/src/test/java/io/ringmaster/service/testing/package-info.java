/** What the tests of the service share: a running service, a client that knows the contract. */
@NullMarked
package io.ringmaster.service.testing;

import org.jspecify.annotations.NullMarked;
