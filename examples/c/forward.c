/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a layer, runs it on made-up tokens with the residual added, and tells what it did.
 *
 *     cc forward.c $(pkg-config --cflags --libs lookupffn) -o forward
 *     ./forward layer.safetensors 1000
 */
#include <inttypes.h>
#include <lookupffn/lookupffn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int fail(const char* what, lffn_status status) {
  fprintf(stderr, "%s: %s: %s\n", what, lffn_status_name(status), lffn_last_error());
  return EXIT_FAILURE;
}

/* Numbers between -1 and 1, the same in every run. */
static void fill(float* x, int64_t count) {
  uint32_t state = 1;
  int64_t i;
  for (i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    x[i] = (float)(state >> 8) / 8388608.0f - 1.0f;
  }
}

/* y = layer(x), then y = x + layer(x) where the sizes allow it. */
static lffn_status run(const lffn_layer* layer, const lffn_layer_info* info, float* x, int64_t n_tokens, float* y) {
  lffn_layer_run_args args;
  lffn_status status = lffn_layer_forward(layer, x, n_tokens, y);
  if (status != LFFN_OK || info->hidden_size != info->output_size) return status;
  lffn_layer_run_args_init(&args);
  args.x = x;
  args.y = x;
  args.n_tokens = n_tokens;
  args.flags = LFFN_LAYER_RUN_ADD;
  return lffn_layer_run(layer, &args);
}

int main(int argc, char** argv) {
  lffn_layer* layer = NULL;
  lffn_layer_info info;
  lffn_status status;
  int64_t n_tokens;
  float* x;
  float* y;
  clock_t start;

  if (argc != 3 || (n_tokens = strtol(argv[2], NULL, 10)) <= 0) {
    fprintf(stderr, "usage: %s LAYER.safetensors N_TOKENS\n", argv[0]);
    return 2;
  }
  status = lffn_layer_load(argv[1], NULL, &layer);
  if (status != LFFN_OK) return fail(argv[1], status);
  lffn_layer_info_init(&info);
  status = lffn_layer_get_info(layer, &info);
  if (status != LFFN_OK) {
    lffn_layer_free(layer);
    return fail("info", status);
  }

  x = malloc((size_t)n_tokens * (size_t)info.hidden_size * sizeof *x);
  y = malloc((size_t)n_tokens * (size_t)info.output_size * sizeof *y);
  if (x == NULL || y == NULL) {
    fprintf(stderr, "no memory for %" PRId64 " tokens\n", n_tokens);
    status = LFFN_ERROR_OUT_OF_MEMORY;
  } else {
    fill(x, n_tokens * info.hidden_size);
    start = clock();
    status = run(layer, &info, x, n_tokens, y);
    if (status != LFFN_OK) {
      fail("forward", status);
    } else {
      printf("%" PRId64 " tokens of %d floats in, of %d floats out\n", n_tokens, (int)info.hidden_size,
             (int)info.output_size);
      printf("kernels %s, %d threads, %" PRId64 " FLOP per token, %.3f s of processor time\n", lffn_isa(),
             (int)info.num_threads, info.flop_per_token, (double)(clock() - start) / CLOCKS_PER_SEC);
      printf("y starts with %g\n", (double)y[0]);
    }
  }
  free(x);
  free(y);
  lffn_layer_free(layer);
  return status == LFFN_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
