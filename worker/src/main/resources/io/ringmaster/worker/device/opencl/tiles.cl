// Tile operations. T is defined ahead of this text: the code of the element type that a program is
// compiled for. What an operation means stands in the simulator; this text computes the same, step
// by step: FP16 and BF16 are stored in two bytes and computed in single precision, with one
// rounding after each operation, and integers are computed in 64 bits and wrap.
#pragma OPENCL FP_CONTRACT OFF
#ifdef FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define FP32 0
#define FP16 1
#define BF16 2
#define INT64 3
#define INT32 4
#define INT16 5
#define INT8 6
#define UINT64 7
#define UINT32 8
#define UINT16 9
#define UINT8 10
#define BOOL 11
#define IS_FLOAT(t) ((t) <= BF16)

typedef __global uchar *Out;
typedef __global const uchar *In;

float from_half(ushort h) {
  uint sign = (uint)(h & 0x8000) << 16;
  uint exponent = (h >> 10) & 31;
  uint fraction = h & 0x3ff;
  if (exponent == 31) return as_float(sign | 0x7f800000u | (fraction << 13));
  if (exponent == 0) return as_float(sign | as_uint((float)fraction * 0x1p-24f));
  return as_float(sign | ((exponent + 112) << 23) | (fraction << 13));
}

// To the nearest, ties to even.
ushort to_half(float value) {
  uint bits = as_uint(value);
  uint sign = (bits >> 16) & 0x8000;
  uint size = bits & 0x7fffffff;
  if (size > 0x7f800000u) return (ushort)(sign | 0x7e00);
  if (size >= 0x477ff000u) return (ushort)(sign | 0x7c00);
  if (size < 0x38800000u) return (ushort)(sign | (uint)rint(as_float(size) * 0x1p24f));
  size += 0xfff + ((size >> 13) & 1);
  return (ushort)(sign | ((size - 0x38000000u) >> 13));
}

float from_bfloat(ushort b) { return as_float((uint)b << 16); }

ushort to_bfloat(float value) {
  uint bits = as_uint(value);
  if ((bits & 0x7fffffff) > 0x7f800000u) return (ushort)((bits >> 16) | 0x40);
  return (ushort)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

float round_to(float value, int t) {
  switch (t) {
    case FP16: return from_half(to_half(value));
    case BF16: return from_bfloat(to_bfloat(value));
    default: return value;
  }
}

long wrap_to(long value, int t) {
  switch (t) {
    case INT32: return (int)value;
    case INT16: return (short)value;
    case INT8: return (char)value;
    case UINT32: return (uint)value;
    case UINT16: return (ushort)value;
    case UINT8: return (uchar)value;
    case BOOL: return value != 0;
    default: return value;
  }
}

float real_at(In p, long i, int t) {
  switch (t) {
    case FP16: return from_half(((__global const ushort *)p)[i]);
    case BF16: return from_bfloat(((__global const ushort *)p)[i]);
    default: return ((__global const float *)p)[i];
  }
}

void put_real(Out p, long i, float value, int t) {
  switch (t) {
    case FP16: ((__global ushort *)p)[i] = to_half(value); break;
    case BF16: ((__global ushort *)p)[i] = to_bfloat(value); break;
    default: ((__global float *)p)[i] = value;
  }
}

long whole_at(In p, long i, int t) {
  switch (t) {
    case INT32: return ((__global const int *)p)[i];
    case INT16: return ((__global const short *)p)[i];
    case INT8: return ((__global const char *)p)[i];
    case UINT32: return ((__global const uint *)p)[i];
    case UINT16: return ((__global const ushort *)p)[i];
    case UINT8: return p[i];
    case BOOL: return p[i] != 0;
    default: return ((__global const long *)p)[i];
  }
}

void put_whole(Out p, long i, long value, int t) {
  switch (t) {
    case INT32: case UINT32: ((__global int *)p)[i] = (int)value; break;
    case INT16: case UINT16: ((__global short *)p)[i] = (short)value; break;
    case INT8: case UINT8: ((__global char *)p)[i] = (char)value; break;
    case BOOL: p[i] = value != 0; break;
    default: ((__global long *)p)[i] = value;
  }
}

float divided(float a, float b) {
#if defined(EXACT) || !defined(FP64)
  return a / b;
#else
  return (float)((double)a / (double)b);
#endif
}

// NaN wins, and -0 is below +0.
float larger(float a, float b) {
  if (isnan(a)) return a;
  if (isnan(b)) return b;
  if (a == b) return as_float(as_int(a) & as_int(b));
  return a > b ? a : b;
}

float smaller(float a, float b) {
  if (isnan(a)) return a;
  if (isnan(b)) return b;
  if (a == b) return as_float(as_int(a) | as_int(b));
  return a < b ? a : b;
}

float reals(int op, float a, float b) {
  switch (op) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return divided(a, b);
    case 4: return larger(a, b);
    default: return smaller(a, b);
  }
}

// A division by zero is noted in fault[0] and gives 0.
long wholes(int op, long a, long b, int t, __global int *fault) {
  switch (op) {
    case 0: return (long)((ulong)a + (ulong)b);
    case 1: return (long)((ulong)a - (ulong)b);
    case 2: return (long)((ulong)a * (ulong)b);
    case 3:
      if (b == 0) {
        fault[0] = 1;
        return 0;
      }
      if (t == UINT64) return (long)((ulong)a / (ulong)b);
      return b == -1 ? (long)(0 - (ulong)a) : a / b;
    case 4: return (t == UINT64 ? (ulong)a >= (ulong)b : a >= b) ? a : b;
    default: return (t == UINT64 ? (ulong)a <= (ulong)b : a <= b) ? a : b;
  }
}

#ifdef FP64
#define WIDE(f) (float)f((double)a)
#else
#define WIDE(f) f(a)
#endif

float function(int op, float a) {
  switch (op) {
    case 0: return WIDE(exp);
    case 1: return WIDE(log);
    case 2: return WIDE(sqrt);
#ifdef FP64
    case 3: return (float)(1.0 / sqrt((double)a));
#else
    case 3: return rsqrt(a);
#endif
    case 4: return -a;
    case 5: return fabs(a);
    case 6: return divided(1.0f, a);
    case 7: return WIDE(sin);
    default: return WIDE(cos);
  }
}

// Rounding: 0 none, 1 rint, 2 round, 3 floor, 4 ceil, 5 trunc, 6 odd.
float whole_number(float value, int mode) {
  switch (mode) {
    case 2: return round(value);
    case 3: return floor(value);
    case 4: return ceil(value);
    case 5: return trunc(value);
    case 6: {
      float down = floor(value);
      return down == value || fabs(fmod(down, 2.0f)) == 1.0f ? down : down + 1.0f;
    }
    default: return rint(value);
  }
}

long lowest(int t) {
  switch (t) {
    case INT32: return -2147483648L;
    case INT16: return -32768;
    case INT8: return -128;
    case INT64: return (long)0x8000000000000000UL;
    default: return 0;
  }
}

long highest(int t) {
  switch (t) {
    case INT32: return 2147483647L;
    case INT16: return 32767;
    case INT8: return 127;
    case UINT32: return 4294967295L;
    case UINT16: return 65535;
    case UINT8: return 255;
    case BOOL: return 1;
    default: return 0x7fffffffffffffffL;
  }
}

long whole_of(float value, int t, int mode) {
  if (isnan(value)) return 0;
  if (t == BOOL) return value != 0.0f;
  float rounded = whole_number(value, mode);
  if (t == UINT64) {
    if (rounded <= 0.0f) return 0;
    return rounded >= 0x1p64f ? -1L : (long)(ulong)rounded;
  }
  long inside = rounded >= 0x1p63f ? highest(INT64) : rounded < -0x1p63f ? lowest(INT64) : (long)rounded;
  return min(max(inside, lowest(t)), highest(t));
}

float real_of(long value, int t) {
  if (t == UINT64 && value < 0) {
#ifdef FP64
    return (float)((double)(long)((ulong)value >> 1) * 2.0);
#else
    return (float)(ulong)value;
#endif
  }
  return (float)value;
}

uint bits_of(float value, int t) { return t == FP16 ? to_half(value) : to_bfloat(value); }

float of_bits(uint bits, int t) {
  return t == FP16 ? from_half((ushort)bits) : from_bfloat((ushort)bits);
}

// The next value of a two-byte type up or down.
float neighbour(float value, bool up, int t) {
  if (value == 0.0f) return up ? of_bits(1, t) : -of_bits(1, t);
  return of_bits(bits_of(value, t) + ((value > 0.0f) == up ? 1 : -1), t);
}

float narrowed(float value, int t, int mode) {
  float nearest = round_to(value, t);
  if (nearest == value || isnan(value) || t == FP32) return nearest;
  switch (mode) {
    case 2: {
      float other = neighbour(nearest, nearest < value, t);
#ifdef FP64
      double below = fabs((double)value - (double)nearest);
      double above = fabs((double)other - (double)value);
#else
      float below = fabs(value - nearest);
      float above = fabs(other - value);
#endif
      return below == above && fabs(other) > fabs(nearest) ? other : nearest;
    }
    case 3: return nearest > value ? neighbour(nearest, false, t) : nearest;
    case 4: return nearest < value ? neighbour(nearest, true, t) : nearest;
    case 5: return fabs(nearest) > fabs(value) ? neighbour(nearest, nearest < 0.0f, t) : nearest;
    case 6: {
      float other = neighbour(nearest, nearest < value, t);
      return (bits_of(nearest, t) & 1) == 1 ? nearest : other;
    }
    default: return nearest;
  }
}

// o = a op b, or a op the scalar of the job if mode is 1.
__kernel void binary(Out o, In a, In b, __global int *fault, Job job) {
  PLACE;
#if IS_FLOAT(T)
  float u = real_at(a, AT(job.a), T);
  float v = job.mode == 1 ? job.real : real_at(b, AT(job.b), T);
  put_real(o, AT(job.o), reals(job.op, u, v), T);
#else
  long u = whole_at(a, AT(job.a), T);
  long v = job.mode == 1 ? job.whole : whole_at(b, AT(job.b), T);
  put_whole(o, AT(job.o), wholes(job.op, u, v, T, fault), T);
#endif
}

// As binary, for operands that lie in one piece: 16 elements for each work item, so that compilers
// use vectors. Addition, subtraction and multiplication only.
__kernel void flat(Out o, In a, In b, __global int *fault, Job job) {
#if T == FP32
  const long from = (long)get_global_id(0) * 16;
  if (from >= job.n) return;
  __global float *to = (__global float *)o + job.o[0] + from;
  __global const float *u = (__global const float *)a + job.a[0] + from;
  __global const float *v = (__global const float *)b + job.b[0] + from;
  if (from + 16 <= job.n) {
    const float16 left = vload16(0, u);
    const float16 right = vload16(0, v);
    vstore16(job.op == 0 ? left + right : job.op == 1 ? left - right : left * right, 0, to);
  } else {
    for (long i = 0; from + i < job.n; i++) to[i] = reals(job.op, u[i], v[i]);
  }
#endif
}

__kernel void unary(Out o, In a, In b, __global int *fault, Job job) {
  PLACE;
#if IS_FLOAT(T)
  put_real(o, AT(job.o), function(job.op, real_at(a, AT(job.a), T)), T);
#else
  long value = whole_at(a, AT(job.a), T);
  put_whole(o, AT(job.o), job.op == 4 || value < 0 ? (long)(0 - (ulong)value) : value, T);
#endif
}

// From T to the type of the job.
__kernel void convert(Out o, In a, In b, __global int *fault, Job job) {
  PLACE;
#if IS_FLOAT(T)
  float value = real_at(a, AT(job.a), T);
  if (IS_FLOAT(job.type)) {
    put_real(o, AT(job.o), narrowed(value, job.type, job.mode), job.type);
  } else {
    put_whole(o, AT(job.o), whole_of(value, job.type, job.mode), job.type);
  }
#else
  long value = whole_at(a, AT(job.a), T);
  if (IS_FLOAT(job.type)) {
    put_real(o, AT(job.o), real_of(value, T), job.type);
  } else {
    put_whole(o, AT(job.o), value, job.type);
  }
#endif
}

// Folds in ascending order: 0 sum, 1 maximum, 2 minimum, 3 product.
__kernel void fold(Out o, In a, In b, __global int *fault, Job job) {
  PLACE;
  long at = AT(job.a);
  int op = job.op == 0 ? 0 : job.op == 1 ? 4 : job.op == 2 ? 5 : 2;
#if IS_FLOAT(T)
  float sum = real_at(a, at, T);
  for (long k = 1; k < job.length; k++) {
    sum = round_to(reals(op, sum, real_at(a, at + k * job.step, T)), T);
  }
  put_real(o, AT(job.o), sum, T);
#else
  long sum = whole_at(a, at, T);
  for (long k = 1; k < job.length; k++) {
    sum = wrap_to(wholes(op, sum, whole_at(a, at + k * job.step, T), T, fault), T);
  }
  put_whole(o, AT(job.o), sum, T);
#endif
}

// Sums of products of the folded axis, onto an accumulator that lies as the result does if mode
// is 1.
__kernel void product(Out o, In a, In b, __global int *start, Job job) {
  PLACE;
  long to = AT(job.o);
  float sum = 0.0f;
  long whole = 0;
  if (job.mode == 1) {
    if (IS_FLOAT(job.type)) {
      sum = real_at((In)start, to, job.type);
    } else {
      whole = whole_at((In)start, to, job.type);
    }
  }
  long l = AT(job.a);
  long r = AT(job.b);
  for (long k = 0; k < job.length; k++, l += job.left, r += job.right) {
#if IS_FLOAT(T)
    sum += real_at(a, l, T) * real_at(b, r, T);
#else
    whole = (long)((ulong)whole + (ulong)whole_at(a, l, T) * (ulong)whole_at(b, r, T));
#endif
  }
  if (IS_FLOAT(job.other)) {
    put_real(o, to, IS_FLOAT(T) ? sum : (float)whole, job.other);
  } else {
    put_whole(o, to, whole, job.other);
  }
}
