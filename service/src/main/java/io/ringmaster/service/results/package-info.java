/** What runs found out: verdicts, checks, reports. */
@NullMarked
package io.ringmaster.service.results;

import org.jspecify.annotations.NullMarked;
