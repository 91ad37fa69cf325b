/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the median time in nanoseconds of a forward of one token on a tiny layer, through the C interface:
 *
 *     call_time SECONDS
 *
 * The yardstick for the call overhead of Java and .NET, which make the same layer and count the same way. */
#define _POSIX_C_SOURCE 200809L
#include <lookupffn/lookupffn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { HIDDEN = 16, CALLS = 1000, MOST_SAMPLES = 1000000 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 1;
  lffn_layer_config config;
  lffn_layer_config_init(&config);
  config.hidden_size = HIDDEN;
  config.num_tables = 4;
  config.table_size = 4;
  config.block_size = 16;
  lffn_load_options options;
  lffn_load_options_init(&options);
  options.num_threads = 1;
  lffn_layer* layer = NULL;
  if (lffn_layer_create(&config, NULL, 0, &options, &layer) != LFFN_OK) {
    fprintf(stderr, "%s\n", lffn_last_error());
    return 1;
  }
  static float x[HIDDEN], y[HIDDEN];
  for (int i = 0; i < HIDDEN; ++i) x[i] = (float)i;

  static double samples[MOST_SAMPLES];
  int count = 0;
  const double begin = now();
  for (double before = begin; before < begin + seconds * 1e9 && count < MOST_SAMPLES;) {
    for (int i = 0; i < CALLS; ++i) {
      if (lffn_layer_forward(layer, x, 1, y) != LFFN_OK) return 1;
    }
    const double after = now();
    samples[count++] = (after - before) / CALLS;
    before = after;
  }
  lffn_layer_free(layer);
  qsort(samples, (size_t)count, sizeof *samples, compare);
  printf("%.1f\n", samples[count / 2]);
  return 0;
}
