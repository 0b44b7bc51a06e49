// Moves of elements, whatever they mean. E is defined ahead of this text: an unsigned type of the
// elements' width.
typedef struct {
  long o[4];
  long a[4];
  long b[4];
  long n;
  long length;
  long step;
  long whole;
  long left;
  long right;
  float real;
  int op;
  int type;
  int mode;
  int other;
  int unused;
} Job;

#define AT(v) ((v)[0] + x * (v)[1] + y * (v)[2] + z * (v)[3])
#define PLACE \
  const long x = get_global_id(0); \
  if (x >= job.n) return; \
  const long y = get_global_id(1); \
  const long z = get_global_id(2)

__kernel void move(__global E *o, __global const E *a, __global const uchar *b, __global int *fault, Job job) {
  PLACE;
  o[AT(job.o)] = a[AT(job.a)];
}

// Writes a pattern of bits.
__kernel void fill(__global E *o, __global const E *a, __global const uchar *b, __global int *fault, Job job) {
  PLACE;
  o[AT(job.o)] = (E)job.whole;
}

// Writes a pattern of bits where b, a byte for each element, says that nobody wrote.
__kernel void blot(__global E *o, __global const E *a, __global const uchar *b, __global int *fault, Job job) {
  PLACE;
  if (b[AT(job.b)] != 0) o[AT(job.o)] = (E)job.whole;
}
