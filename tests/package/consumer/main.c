/* SPDX-License-Identifier: Apache-2.0 */
/* A program in plain C99 that calls every function of the installed header.
 * usage: consumer MODEL COPY */
#include <lookupffn/lookupffn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                             \
  do {                                                                               \
    if (!(condition)) {                                                              \
      fprintf(stderr, "line %d: %s: %s\n", __LINE__, #condition, lffn_last_error()); \
      return EXIT_FAILURE;                                                           \
    }                                                                                \
  } while (0)

/* The numbers that programs were compiled with; no debug information tells of them. */
#define PINNED(name, value) typedef char name##_is_pinned[(name) == (value) ? 1 : -1]
PINNED(LFFN_OK, 0);
PINNED(LFFN_ERROR_INVALID_ARGUMENT, 1);
PINNED(LFFN_ERROR_OUT_OF_MEMORY, 2);
PINNED(LFFN_ERROR_IO, 3);
PINNED(LFFN_ERROR_BAD_MODEL, 4);
PINNED(LFFN_ERROR_UNSUPPORTED, 5);
PINNED(LFFN_ERROR_CANCELLED, 6);
PINNED(LFFN_ERROR_INTERNAL, 7);
PINNED(LFFN_ERROR_TOO_SMALL, 8);
PINNED(LFFN_ERROR_BAD_TEXT, 9);
PINNED(LFFN_ERROR_TOO_LONG, 10);
PINNED(LFFN_ERROR_NULL_TEXT, 11);
PINNED(LFFN_MAX_TOKENS_MODEL, 0);
PINNED(LFFN_MAX_TOKENS_NEVER, -1);
PINNED(LFFN_DTYPE_AS_STORED, 0);
PINNED(LFFN_DTYPE_F32, 1);
PINNED(LFFN_DTYPE_BF16, 2);
PINNED(LFFN_DTYPE_INT8, 3);
PINNED(LFFN_DTYPE_F16, 4);
PINNED(LFFN_LOAD_MMAP, 1);
PINNED(LFFN_LOAD_FLUSH_DENORMALS, 2);
PINNED(LFFN_LOAD_SEVEN_BIT_INPUTS, 4);
PINNED(LFFN_PROJECTION_DENSE, 0);
PINNED(LFFN_ACTIVATION_GELU, 0);
PINNED(LFFN_ACTIVATION_SIGMOID, 1);
PINNED(LFFN_LAYER_RUN_ADD, 1);
PINNED(LFFN_LOG_ERROR, 0);
PINNED(LFFN_LOG_WARNING, 1);
PINNED(LFFN_LOG_INFO, 2);

static void on_log(int32_t level, const char* message, void* user) {
  (void)level;
  (void)message;
  ++*(int*)user;
}

/* malloc with the address of the block in front of what is returned. */
static void* allocate(size_t size, size_t alignment, void* user) {
  char* block = malloc(size + alignment + sizeof block);
  char* memory;
  if (block == NULL) return NULL;
  memory = block + sizeof block;
  memory += (alignment - (size_t)memory % alignment) % alignment;
  memcpy(memory - sizeof block, &block, sizeof block);
  ++*(int*)user;
  return memory;
}

static void deallocate(void* memory, size_t size, void* user) {
  char* block;
  (void)size;
  memcpy(&block, (char*)memory - sizeof block, sizeof block);
  free(block);
  --*(int*)user;
}

static int use_file(const char* path, const char* copy) {
  enum { tokens = 3 };
  lffn_load_options options;
  lffn_layer_info info;
  lffn_layer_run_args args;
  lffn_layer* layer = NULL;
  lffn_layer* again = NULL;
  float *x, *y, *y2, *scores;
  int32_t* codes;
  size_t n_x, n_y, n_codes, i;

  lffn_load_options_init(&options);
  CHECK(lffn_layer_load(path, &options, &layer) == LFFN_OK);
  lffn_layer_info_init(&info);
  CHECK(lffn_layer_get_info(layer, &info) == LFFN_OK);
  n_x = tokens * (size_t)info.hidden_size;
  n_y = tokens * (size_t)info.output_size;
  n_codes = (size_t)tokens * (size_t)info.num_tables * (size_t)info.num_probes;
  x = calloc(n_x, sizeof *x);
  y = calloc(n_y, sizeof *y);
  y2 = calloc(n_y, sizeof *y2);
  codes = calloc(n_codes, sizeof *codes);
  scores = calloc(n_codes, sizeof *scores);
  CHECK(x != NULL && y != NULL && y2 != NULL && codes != NULL && scores != NULL);
  for (i = 0; i < n_x; ++i) x[i] = (float)(i * 37 % 101) / 50.0f - 1.0f;

  CHECK(lffn_layer_forward(layer, x, tokens, y) == LFFN_OK);
  CHECK(y[0] != 0.0f && y[0] == y[0]);
  CHECK(lffn_layer_hash(layer, x, tokens, codes, scores) == LFFN_OK);
  for (i = 0; i < n_codes; ++i) CHECK(codes[i] >= 0 && codes[i] < info.table_size);

  CHECK(lffn_layer_save(layer, copy, NULL) == LFFN_OK);
  CHECK(lffn_layer_load(copy, NULL, &again) == LFFN_OK);
  lffn_layer_run_args_init(&args);
  args.x = x;
  args.y = y2;
  args.n_tokens = tokens;
  CHECK(lffn_layer_run(again, &args) == LFFN_OK);
  CHECK(memcmp(y, y2, n_y * sizeof *y) == 0);

  lffn_layer_free(again);
  lffn_layer_free(layer);
  free(x);
  free(y);
  free(y2);
  free(codes);
  free(scores);
  return EXIT_SUCCESS;
}

static int use_tensors(void) {
  lffn_layer_config config;
  lffn_tensor tensor;
  lffn_layer* layer = NULL;
  lffn_layer_config_init(&config);
  config.hidden_size = 8;
  config.num_tables = 2;
  config.table_size = 4;
  config.block_size = 8;
  CHECK(lffn_layer_create(&config, NULL, 0, NULL, &layer) == LFFN_OK);
  lffn_layer_free(layer);

  layer = NULL;
  lffn_tensor_init(&tensor);
  tensor.name = "no such tensor";
  CHECK(lffn_layer_create(&config, &tensor, 1, NULL, &layer) != LFFN_OK);
  CHECK(layer == NULL && lffn_last_error()[0] != '\0');
  CHECK(lffn_layer_load_memory("", 0, NULL, &layer) != LFFN_OK);
  return EXIT_SUCCESS;
}

int main(int argc, char** argv) {
  int messages = 0;
  int blocks = 0;
  lffn_allocator allocator;
  if (argc != 3) return 2;
  lffn_allocator_init(&allocator);
  allocator.allocate = allocate;
  allocator.deallocate = deallocate;
  allocator.user = &blocks;

  CHECK(lffn_version() == LFFN_VERSION_MAJOR * 10000 + LFFN_VERSION_MINOR * 100 + LFFN_VERSION_PATCH);
  CHECK(lffn_isa()[0] != '\0');
  CHECK(strcmp(lffn_status_name(LFFN_ERROR_IO), "LFFN_ERROR_IO") == 0);
  lffn_set_default_log(on_log, &messages);
  CHECK(lffn_set_default_allocator(&allocator) == LFFN_OK);
  if (use_file(argv[1], argv[2]) != EXIT_SUCCESS || use_tensors() != EXIT_SUCCESS) return EXIT_FAILURE;
  CHECK(lffn_set_default_allocator(NULL) == LFFN_OK);
  lffn_set_default_log(NULL, NULL);
  lffn_shutdown_threads();
  CHECK(lffn_live_handles() == 0);
  CHECK(blocks == 0);
  puts("consumer: ok");
  return EXIT_SUCCESS;
}
