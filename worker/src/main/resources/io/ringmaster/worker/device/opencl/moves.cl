// Moves of elements, whatever they mean. E is defined ahead of this text: an unsigned type of the
// elements' width.
__kernel void move(__global E *o, __global const E *a, __global const uchar *b, __global int *fault, Job job) {
  PLACE;
  o[AT(job.o)] = a[AT(job.a)];
}

// Writes a pattern of bits where b, a byte for each element, says that nobody wrote.
__kernel void blot(__global E *o, __global const E *a, __global const uchar *b, __global int *fault, Job job) {
  PLACE;
  if (b[AT(job.b)] != 0) o[AT(job.o)] = (E)job.whole;
}
