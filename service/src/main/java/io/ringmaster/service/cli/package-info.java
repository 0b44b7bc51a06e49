/** The command line: one class a command. */
@NullMarked
package io.ringmaster.service.cli;

import org.jspecify.annotations.NullMarked;
