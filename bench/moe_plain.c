// What examples/models/moe_dispatch_combine.py does at the full width, as plain loops over arrays: every rank's tokens
// to their experts, a gain on each row, the weighted results back. For the comparison in README.md.
//
//   gcc -O3 -march=native -o moe_plain moe_plain.c && ./moe_plain 4 4096
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TOKENS = 128, TOPK = 6, LOCAL = 16, CAPACITY = 192, RUNS = 31, WARM = 10 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  int ranks = argc > 1 ? atoi(argv[1]) : 4, hidden = argc > 2 ? atoi(argv[2]) : 4096;
  int experts = ranks * LOCAL;
  size_t tokens = (size_t)ranks * TOKENS;
  float *x = malloc(tokens * hidden * sizeof(float)), *y = malloc(tokens * hidden * sizeof(float));
  float *gains = malloc((size_t)experts * hidden * sizeof(float));
  float *rows = calloc((size_t)experts * CAPACITY * hidden, sizeof(float));
  float *weights = malloc(tokens * TOPK * sizeof(float));
  int *routes = malloc(tokens * TOPK * sizeof(int)), *slots = malloc(tokens * TOPK * sizeof(int));
  int *filled = malloc(experts * sizeof(int));
  srand(7);
  for (size_t i = 0; i < tokens * hidden; i++) x[i] = rand() / (float)RAND_MAX;
  for (size_t i = 0; i < (size_t)experts * hidden; i++) gains[i] = rand() / (float)RAND_MAX;
  for (size_t t = 0; t < tokens; t++)
    for (int k = 0; k < TOPK; k++) {
      int again = 1, expert = 0;
      while (again) {
        expert = rand() % experts;
        again = 0;
        for (int j = 0; j < k; j++) again |= routes[t * TOPK + j] == expert;
      }
      routes[t * TOPK + k] = expert;
      weights[t * TOPK + k] = 1.0f / TOPK;
    }
  double times[RUNS];
  for (int run = -WARM; run < RUNS; run++) {
    double start = now();
    memset(filled, 0, experts * sizeof(int));
    for (size_t t = 0; t < tokens; t++)
      for (int k = 0; k < TOPK; k++) {
        int expert = routes[t * TOPK + k], slot = filled[expert]++;
        slots[t * TOPK + k] = slot;
        memcpy(rows + ((size_t)expert * CAPACITY + slot) * hidden, x + t * hidden, hidden * sizeof(float));
      }
    for (int e = 0; e < experts; e++)
      for (int i = 0; i < filled[e]; i++) {
        float *row = rows + ((size_t)e * CAPACITY + i) * hidden, *gain = gains + (size_t)e * hidden;
        for (int h = 0; h < hidden; h++) row[h] *= gain[h];
      }
    for (size_t t = 0; t < tokens; t++) {
      float *out = y + t * hidden;
      for (int h = 0; h < hidden; h++) out[h] = 0;
      for (int k = 0; k < TOPK; k++) {
        float *row = rows + ((size_t)routes[t * TOPK + k] * CAPACITY + slots[t * TOPK + k]) * hidden;
        float weight = weights[t * TOPK + k];
        for (int h = 0; h < hidden; h++) out[h] += row[h] * weight;
      }
    }
    if (run >= 0) times[run] = now() - start;
  }
  qsort(times, RUNS, sizeof(double), ascending);
  printf("moe, %d ranks, %d features, plain loops: median %.3f ms, best %.3f ms (y[0] = %g)\n", ranks, hidden,
         times[RUNS / 2] * 1e3, times[0] * 1e3, y[0]);
  return 0;
}
