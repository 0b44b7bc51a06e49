/** The kernel IR: sealed types, a printer, a parser of the text form, a verifier. */
@NullMarked
package io.ringmaster.worker.ir;

import org.jspecify.annotations.NullMarked;
