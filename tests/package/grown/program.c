/* SPDX-License-Identifier: Apache-2.0 */
/* A program and a library of different versions. Compiled with the saved headers for a library whose structs have all
 * grown, and with grown headers (GROWN) for the library as it is. */
#include <lookupffn/lookupffn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                             \
  do {                                                                               \
    if (!(condition)) {                                                              \
      fprintf(stderr, "line %d: %s: %s\n", __LINE__, #condition, lffn_last_error()); \
      exit(1);                                                                       \
    }                                                                                \
  } while (0)

/* Memory that is full of rubbish where the library must not look, and must stay so. */
#define RUBBISH 0xa5
#define GUARD 64
#define STRUCT(type, name, init)                                                       \
  unsigned char name##_bytes[sizeof(type) + GUARD];                                    \
  type* const name = (type*)(void*)memset(name##_bytes, RUBBISH, sizeof name##_bytes); \
  init(name);                                                                          \
  CHECK(name->struct_size == sizeof(type))
#define UNTOUCHED(name) check_untouched(name##_bytes, sizeof name##_bytes, __LINE__)

/* What this version does not know must be refused; zero means as before. */
#ifdef GROWN
#define UNKNOWN_IS_REFUSED(name, call)       \
  do {                                       \
    CHECK((name)->grown_member == 0);        \
    (name)->grown_member = 1;                \
    CHECK((call) == LFFN_ERROR_UNSUPPORTED); \
    (name)->grown_member = 0;                \
  } while (0)
#else
#define UNKNOWN_IS_REFUSED(name, call) \
  do {                                 \
  } while (0)
#endif

static void check_untouched(const unsigned char* bytes, size_t size, int line) {
  for (size_t i = size - GUARD; i < size; ++i) {
    if (bytes[i] == RUBBISH) continue;
    fprintf(stderr, "line %d: byte %zu behind a struct was written\n", line, i - (size - GUARD));
    exit(1);
  }
}

static void* allocate(size_t size, size_t alignment, void* user) {
  ++*(int*)user;
  return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}
static void deallocate(void* memory, size_t size, void* user) {
  (void)size;
  ++*(int*)user;
  free(memory);
}

static void use_layer(void) {
  STRUCT(lffn_layer_config, config, lffn_layer_config_init);
  CHECK(config->projection == 4 && config->num_probes == 1);
  config->hidden_size = 8;
  config->num_tables = 2;
  config->table_size = 4;
  config->block_size = 8;
  STRUCT(lffn_load_options, options, lffn_load_options_init);
  CHECK(options->table_dtype == LFFN_DTYPE_AS_STORED && options->runtime == NULL && options->progress == NULL);
  options->num_threads = 1;

  int calls = 0;
  STRUCT(lffn_allocator, allocator, lffn_allocator_init);
  CHECK(allocator->allocate == NULL && allocator->user == NULL);
  allocator->allocate = allocate;
  allocator->deallocate = deallocate;
  allocator->user = &calls;
  STRUCT(lffn_runtime_options, run, lffn_runtime_options_init);
  run->allocator = allocator;
  lffn_runtime* runtime = NULL;
  UNKNOWN_IS_REFUSED(run, lffn_runtime_create(run, &runtime));
  UNKNOWN_IS_REFUSED(allocator, lffn_runtime_create(run, &runtime));
  CHECK(lffn_runtime_create(run, &runtime) == LFFN_OK);
  options->runtime = runtime;

  lffn_layer* layer = NULL;
  UNKNOWN_IS_REFUSED(config, lffn_layer_create(config, NULL, 0, options, &layer));
  UNKNOWN_IS_REFUSED(options, lffn_layer_create(config, NULL, 0, options, &layer));
  CHECK(lffn_layer_create(config, NULL, 0, options, &layer) == LFFN_OK);
  CHECK(calls > 0);
  lffn_runtime_free(runtime);

  STRUCT(lffn_layer_info, info, lffn_layer_info_init);
  CHECK(lffn_layer_get_info(layer, info) == LFFN_OK);
  CHECK(info->struct_size == sizeof *info && info->hidden_size == 8 && info->num_threads == 1);
  CHECK(info->scratch_bytes > 0);

  float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[8], again[8];
  STRUCT(lffn_layer_run_args, forward, lffn_layer_run_args_init);
  CHECK(forward->flags == 0 && forward->cancel == NULL);
  forward->x = x;
  forward->y = y;
  forward->n_tokens = 1;
  UNKNOWN_IS_REFUSED(forward, lffn_layer_run(layer, forward));
  CHECK(lffn_layer_run(layer, forward) == LFFN_OK);
  CHECK(lffn_layer_forward(layer, x, 1, again) == LFFN_OK);
  CHECK(memcmp(y, again, sizeof y) == 0);
  lffn_layer_free(layer);

  /* An array, which steps by the caller's size. */
  lffn_tensor tensors[2];
  for (int i = 0; i < 2; ++i) {
    lffn_tensor_init(&tensors[i]);
    tensors[i].name = i == 0 ? "first" : "second";
    tensors[i].dtype = LFFN_DTYPE_F32;
    tensors[i].rank = 1;
    tensors[i].shape[0] = 8;
    tensors[i].data = x;
    tensors[i].size = sizeof x;
  }
  layer = NULL;
  CHECK(lffn_layer_create(config, tensors, 2, NULL, &layer) == LFFN_ERROR_INVALID_ARGUMENT);
  CHECK(strstr(lffn_last_error(), "missing") != NULL);
  tensors[1].name = "first";
  CHECK(lffn_layer_create(config, tensors, 2, NULL, &layer) == LFFN_ERROR_INVALID_ARGUMENT);
  CHECK(strstr(lffn_last_error(), "given twice") != NULL);
  UNKNOWN_IS_REFUSED(&tensors[1], lffn_layer_create(config, tensors, 2, NULL, &layer));

  UNTOUCHED(config);
  UNTOUCHED(allocator);
  UNTOUCHED(options);
  UNTOUCHED(run);
  UNTOUCHED(info);
  UNTOUCHED(forward);
}

/* A whole file as a lffn_file. */
static void read_file(const char* folder, const char* name, lffn_file* file) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE* const stream = fopen(path, "rb");
  CHECK(stream != NULL);
  const size_t most = (size_t)4 << 20;
  void* const data = malloc(most);
  CHECK(data != NULL);
  lffn_file_init(file);
  file->name = name;
  file->data = data;
  file->size = fread(data, 1, most, stream);
  fclose(stream);
}

static void use_model(const char* folder) {
  static const char* const names[4] = {"config.json", "model.safetensors", "vocab.json", "merges.txt"};
  lffn_file files[4];
  for (int i = 0; i < 4; ++i) read_file(folder, names[i], &files[i]);
  lffn_model* model = NULL;
  UNKNOWN_IS_REFUSED(&files[3], lffn_model_load_files(files, 4, NULL, &model));
  CHECK(lffn_model_load_files(files, 4, NULL, &model) == LFFN_OK);
  for (int i = 0; i < 4; ++i) free((void*)files[i].data);

  STRUCT(lffn_model_shape, shape, lffn_model_shape_init);
  CHECK(lffn_model_get_shape(model, shape) == LFFN_OK);
  CHECK(shape->struct_size == sizeof *shape && shape->num_layers > 0 && shape->num_threads > 0);
  STRUCT(lffn_model_heads, heads, lffn_model_heads_init);
  CHECK(lffn_model_get_heads(model, heads) == LFFN_OK);
  STRUCT(lffn_model_costs, costs, lffn_model_costs_init);
  CHECK(lffn_model_get_costs(model, costs) == LFFN_OK);
  CHECK(costs->struct_size == sizeof *costs && costs->scratch_bytes > 0);
  STRUCT(lffn_memory_estimate, estimate, lffn_memory_estimate_init);
  CHECK(lffn_model_estimate(folder, NULL, estimate) == LFFN_OK);
  CHECK(estimate->weight_bytes >= costs->memory_bytes);

  const char* const texts[2] = {"The <mask> fox", "x"};
  lffn_result* result = NULL;
  CHECK(lffn_result_create(&result) == LFFN_OK);
  STRUCT(lffn_model_run_args, run, lffn_model_run_args_init);
  run->texts = texts;
  run->n = 2;
  run->result = result;
  const lffn_output outputs[] = {{LFFN_OUT_EMBEDDINGS, 0, NULL, 0}, {LFFN_OUT_TOKEN_OFFSETS, 0, NULL, 0}};
  run->outputs = outputs;
  run->n_outputs = 2;
  UNKNOWN_IS_REFUSED(run, lffn_model_run(model, run));
  CHECK(lffn_model_run(model, run) == LFFN_OK);
  lffn_array embeddings, offsets;
  CHECK(lffn_result_array(result, LFFN_OUT_EMBEDDINGS, &embeddings) == LFFN_OK);
  CHECK(embeddings.rows == 2 && embeddings.columns == heads->embedding_size && embeddings.data != NULL);
  CHECK(lffn_result_array(result, LFFN_OUT_TOKEN_OFFSETS, &offsets) == LFFN_OK);
  CHECK(offsets.rows == 3 && offsets.dtype == LFFN_DTYPE_INT64);

  lffn_tokenizer* tokenizer = NULL;
  CHECK(lffn_model_tokenizer(model, &tokenizer) == LFFN_OK);
  STRUCT(lffn_tokenizer_info, tokens, lffn_tokenizer_info_init);
  CHECK(lffn_tokenizer_get_info(tokenizer, tokens) == LFFN_OK);
  CHECK(tokens->struct_size == sizeof *tokens && tokens->vocab_size > 0);
  STRUCT(lffn_tokenizer_encode_args, tokenize, lffn_tokenizer_encode_args_init);
  CHECK(tokenize->max_tokens == LFFN_MAX_TOKENS_NEVER);
  int64_t counted[2] = {0, 0};
  const lffn_output count = {LFFN_OUT_TOKEN_OFFSETS, 0, counted, 2};
  tokenize->n = 1;
  tokenize->texts = texts;
  tokenize->outputs = &count;
  tokenize->n_outputs = 1;
  UNKNOWN_IS_REFUSED(tokenize, lffn_tokenizer_encode(tokenizer, tokenize));
  CHECK(lffn_tokenizer_encode(tokenizer, tokenize) == LFFN_OK);
  CHECK(counted[1] == ((const int64_t*)offsets.data)[1]);
  lffn_tokenizer_free(tokenizer);
  lffn_result_free(result);
  lffn_model_free(model);
  UNTOUCHED(shape);
  UNTOUCHED(heads);
  UNTOUCHED(costs);
  UNTOUCHED(estimate);
  UNTOUCHED(run);
  UNTOUCHED(tokens);
  UNTOUCHED(tokenize);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  use_layer();
  use_model(argv[1]);
  CHECK(lffn_live_handles() == 0);
  puts("grown: ok");
  return 0;
}
