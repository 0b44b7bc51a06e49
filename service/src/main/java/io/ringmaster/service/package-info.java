/** The service process: submissions in, verdicts out, over HTTP. */
@NullMarked
package io.ringmaster.service;

import org.jspecify.annotations.NullMarked;
