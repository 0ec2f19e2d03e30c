/* time LIBRARY NAME..: prints the time of a call of each external function in microseconds: the least of 400
   runs of half a millisecond, as programs beside it slow others down. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef long long Index;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void* find(void* library, const char* name, const char* ending) {
  char symbol[1000];
  snprintf(symbol, sizeof symbol, "%s%s", name, ending);
  void* found = dlsym(library, symbol);
  if (!found) exit((fprintf(stderr, "there is no %s\n", symbol), 1));
  return found;
}
static Index entries(const Index* pattern) {
  return pattern[2] == 1 ? pattern[0] * pattern[1] : pattern[2 + pattern[1]];
}

int main(int argc, char** argv) {
  void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0;
  if (!library) return fprintf(stderr, "%s\n", argc > 1 ? dlerror() : "time LIBRARY NAME..") > 0;
  for (int k = 2; k < argc; ++k) {
    int (*f)(const double**, double**, Index*, double*, int);
    int (*work)(Index*, Index*, Index*, Index*);
    Index (*count[2])(void);
    const Index* (*pattern[2])(Index);
    const char *sides[] = {"_n_in", "_n_out"}, *patterns[] = {"_sparsity_in", "_sparsity_out"};
    *(void**)&f = find(library, argv[k], ""), *(void**)&work = find(library, argv[k], "_work");
    for (int side = 0; side < 2; ++side)
      *(void**)&count[side] = find(library, argv[k], sides[side]),
      *(void**)&pattern[side] = find(library, argv[k], patterns[side]);
    Index arguments, results, integers, reals;
    work(&arguments, &results, &integers, &reals);
    double* arrays[2][200] = {{0}};
    for (int side = 0; side < 2; ++side)
      for (Index i = 0; i < count[side](); ++i) {
        const Index n = entries(pattern[side](i));
        arrays[side][i] = calloc((size_t)n + 1, sizeof(double));
        for (Index j = 0; j < n; ++j) arrays[side][i][j] = sin(1.0 + (double)(10 * i + j));
      }
    double* memory = calloc((size_t)reals + 1, sizeof(double));
    Index* whole = calloc((size_t)integers + 1, sizeof(Index));
    double best = INFINITY;
    for (int run = 0, calls = 10; run < 400; ++run, calls = (int)(5e-4 / best) + 1) {
      const double begin = now();
      for (int i = 0; i < calls; ++i) f((const double**)arrays[0], arrays[1], whole, memory, 0);
      best = fmin(best, (now() - begin) / calls);
    }
    printf("%.3g ", 1e6 * best);
  }
  return puts("") < 0;
}
