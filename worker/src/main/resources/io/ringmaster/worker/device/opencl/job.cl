// What a launch is told, and where its elements are; stands ahead of every program.
// Element x, y, z of an operand lies at [0] + x * [1] + y * [2] + z * [3], counted in elements.
typedef struct {
  long o[4];
  long a[4];
  long b[4];
  long n;        // extent of x
  long length;   // of what is folded
  long step;     // between the folded
  long whole;    // an integer scalar, or a pattern of bits
  long left;     // matrix product: step of the left operand along the folded axis
  long right;    // the same of the right one
  float real;    // a floating-point scalar
  int op;
  int type;      // of the result, or of an accumulator
  int mode;      // rounding, or whether there is a scalar or an accumulator
  int other;     // type of the result of a matrix product
  int unused;
} Job;

#define AT(v) ((v)[0] + x * (v)[1] + y * (v)[2] + z * (v)[3])
#define PLACE \
  const long x = get_global_id(0); \
  if (x >= job.n) return; \
  const long y = get_global_id(1); \
  const long z = get_global_id(2)

