/* What the test doubles of drivers answer: a file with lines
 * `TIME GPU NAME VALUE`. From TIME seconds after load_rows(), NAME of device
 * GPU has VALUE. */
#ifndef CARME_TESTS_SLURM_HOOKS_GPU_FAKE_SERIES_H_
#define CARME_TESTS_SLURM_HOOKS_GPU_FAKE_SERIES_H_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kMaxRows = 4096 };

struct row {
  double time;
  int gpu;
  char name[32];
  double value;
  int taken; /* an event is delivered once */
};
static struct row rows[kMaxRows];
static int row_count;
static double start;

static inline double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Of the file that the environment variable names. */
static inline void load_rows(const char* variable) {
  const char* path = getenv(variable);
  FILE* file = path ? fopen(path, "r") : NULL;
  char line[256];
  row_count = 0;
  start = now();
  while (file && row_count < kMaxRows && fgets(line, sizeof line, file)) {
    struct row* r = &rows[row_count];
    memset(r, 0, sizeof *r);
    if (sscanf(line, "%lf %d %31s %lf", &r->time, &r->gpu, r->name,
               &r->value) == 4)
      ++row_count;
  }
  if (file) fclose(file);
}

/* The last row whose time has come. */
static inline const struct row* find(int gpu, const char* name) {
  const double elapsed = now() - start;
  const struct row* found = NULL;
  for (int i = 0; i < row_count; ++i) {
    if (rows[i].gpu == gpu && strcmp(rows[i].name, name) == 0 &&
        rows[i].time <= elapsed)
      found = &rows[i];
  }
  return found;
}

/* The first value of a name, at any time and of any device. */
static inline double first_value(const char* name, double otherwise) {
  for (int i = 0; i < row_count; ++i) {
    if (strcmp(rows[i].name, name) == 0) return rows[i].value;
  }
  return otherwise;
}

static inline void sleep_ms(long ms) {
  struct timespec t = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&t, NULL);
}

#endif /* CARME_TESTS_SLURM_HOOKS_GPU_FAKE_SERIES_H_ */
