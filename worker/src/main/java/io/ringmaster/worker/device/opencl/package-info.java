/** Accelerators through OpenCL, bound with the foreign function interface of the JDK. */
@NullMarked
package io.ringmaster.worker.device.opencl;

import org.jspecify.annotations.NullMarked;
