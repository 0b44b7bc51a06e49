// Median time of MPI_Allreduce over float sums, for the comparison in README.md. Times are taken on rank 0
// between two barriers. Build and run (4 processes, shared memory):
//
//   mpicc -O2 -o allreduce_mpi allreduce_mpi.c && mpirun --oversubscribe -n 4 ./allreduce_mpi 1048576 16777216
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int a = 1; a < argc; a++) {
    size_t count = strtoul(argv[a], NULL, 10) / sizeof(float);
    float *in = malloc(count * sizeof(float)), *out = malloc(count * sizeof(float));
    for (size_t i = 0; i < count; i++) {
      in[i] = (float)(rank + i % 61);
      out[i] = 0;
    }
    int warm = 10, runs = 31;
    double times[31];
    for (int run = -warm; run < runs; run++) {
      MPI_Barrier(MPI_COMM_WORLD);
      double start = MPI_Wtime();
      MPI_Allreduce(in, out, (int)count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
      MPI_Barrier(MPI_COMM_WORLD);
      if (run >= 0) times[run] = MPI_Wtime() - start;
    }
    qsort(times, runs, sizeof(double), ascending);
    if (rank == 0)
      printf("allreduce of %zu bytes a rank, %d ranks: median %.3f ms, best %.3f ms\n", count * sizeof(float), size,
             times[runs / 2] * 1e3, times[0] * 1e3);
    free(in);
    free(out);
  }
  MPI_Finalize();
  return 0;
}
