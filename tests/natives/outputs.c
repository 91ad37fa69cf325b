/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a hash of what layers and models compute, a line for each file, so that libraries for different systems can be
 * compared bit by bit:
 *
 *     natives_outputs LAYER_FILE|MODEL_FOLDER...
 *
 * It also sees that an error is a status with a text, not the end of the process. */
#include <lookupffn/lookupffn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void die(const char* what, const char* why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

static void check(lffn_status status, const char* what) {
  if (status != LFFN_OK) die(what, lffn_last_error());
}

static void* allocate(size_t size) {
  void* memory = malloc(size + 1);
  if (memory == NULL) die("malloc", "no memory");
  return memory;
}

/* FNV-1a */
static uint64_t hash;
static void add(const void* data, size_t size) {
  for (size_t i = 0; data != NULL && i < size; ++i) hash = (hash ^ ((const unsigned char*)data)[i]) * 0x100000001b3u;
}

/* The same numbers everywhere, in [-2, 2). */
static float* inputs(int64_t count) {
  float* x = allocate((size_t)count * 4);
  uint64_t state = 1;
  for (int64_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    x[i] = (float)(int32_t)(state >> 40) * 0x1p-22f - 2.0f;
  }
  return x;
}

static const lffn_load_options* options_of(int quantised) {
  static lffn_load_options options;
  lffn_load_options_init(&options);
  options.num_threads = 3;
  if (quantised)
    options.table_dtype = options.hash_dtype = options.linear_dtype = options.embedding_dtype = LFFN_DTYPE_INT8;
  return &options;
}

static void run_layer(const char* path, int quantised) {
  enum { kTokens = 300 };
  lffn_layer* layer = NULL;
  check(lffn_layer_load(path, options_of(quantised), &layer), path);
  lffn_layer_info info;
  lffn_layer_info_init(&info);
  check(lffn_layer_get_info(layer, &info), path);
  const size_t outputs = (size_t)info.output_size * kTokens;
  const size_t entries = (size_t)info.num_tables * (size_t)info.num_probes * kTokens;
  float* x = inputs((int64_t)info.hidden_size * kTokens);
  float* y = allocate(outputs * 4);
  int32_t* codes = allocate(entries * 4);
  float* scores = allocate(entries * 4);
  check(lffn_layer_forward(layer, x, kTokens, y), path);
  check(lffn_layer_hash(layer, x, kTokens, codes, scores), path);
  add(y, outputs * 4);
  add(codes, entries * 4);
  add(scores, entries * 4);
  free(x);
  free(y);
  free(codes);
  free(scores);
  lffn_layer_free(layer);
}

static lffn_array array_of(const lffn_result* result, int32_t what, const char* path) {
  lffn_array array;
  check(lffn_result_array(result, what, &array), path);
  return array;
}

// Numbers of four bytes each.
static void add_array(const lffn_result* result, int32_t what, const char* path) {
  const lffn_array array = array_of(result, what, path);
  add(array.data, (size_t)array.rows * (size_t)array.columns * 4);
}

static void add_scores(const lffn_model* model, const lffn_result* result, const char* path) {
  const lffn_array raw = array_of(result, LFFN_OUT_CLASS_SCORES, path);
  const size_t count = (size_t)raw.rows * (size_t)raw.columns;
  float* scores = allocate(count * 4);
  for (int32_t kind = LFFN_SCORES_RAW; kind <= LFFN_SCORES_MODEL; ++kind) {
    check(lffn_model_activate_scores(model, kind, raw.data, raw.rows, scores), path);
    add(scores, count * 4);
  }
  free(scores);
}

static void run_model(const char* path, int quantised) {
  static const char* const texts[] = {"In the beginning God created the <mask> and the [MASK].",
                                      "Na\xc3\xafve caf\xc3\xa9, 42 \xe6\xbc\xa2\xe5\xad\x97 \xf0\x9f\x98\x80!", ""};
  lffn_model* model = NULL;
  check(lffn_model_load(path, options_of(quantised), &model), path);
  lffn_model_heads heads;
  lffn_model_heads_init(&heads);
  check(lffn_model_get_heads(model, &heads), path);
  lffn_result* result = NULL;
  check(lffn_result_create(&result), path);
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  args.n = sizeof texts / sizeof *texts;
  args.texts = texts;
  args.max_tokens = LFFN_MAX_TOKENS_MODEL;
  args.result = result;
  lffn_output outputs[6] = {
      {LFFN_OUT_TOKEN_IDS, 0, NULL, 0}, {LFFN_OUT_HIDDEN, 0, NULL, 0}, {LFFN_OUT_EMBEDDINGS, 0, NULL, 0}};
  int n = 3;
  lffn_tokenizer* tokenizer = NULL;
  check(lffn_model_tokenizer(model, &tokenizer), path);
  lffn_tokenizer_info tokens;
  lffn_tokenizer_info_init(&tokens);
  check(lffn_tokenizer_get_info(tokenizer, &tokens), path);
  lffn_tokenizer_free(tokenizer);
  const int fills = heads.has_lm_head && tokens.mask_id >= 0;
  if (fills) {
    args.top_k = 5;
    outputs[n++].what = LFFN_OUT_FILLING_IDS;
    outputs[n++].what = LFFN_OUT_FILLING_PROBABILITIES;
  }
  if (heads.num_classes > 0) outputs[n++].what = LFFN_OUT_CLASS_SCORES;
  args.outputs = outputs;
  args.n_outputs = n;
  check(lffn_model_run(model, &args), path);
  add_array(result, LFFN_OUT_TOKEN_IDS, path);
  add_array(result, LFFN_OUT_HIDDEN, path);
  add_array(result, LFFN_OUT_EMBEDDINGS, path);
  if (fills) add_array(result, LFFN_OUT_FILLING_IDS, path);
  if (fills) add_array(result, LFFN_OUT_FILLING_PROBABILITIES, path);
  if (heads.num_classes > 0) add_scores(model, result, path);
  lffn_result_free(result);
  lffn_model_free(model);
}

int main(int argc, char** argv) {
  lffn_layer* none = NULL;
  if (lffn_layer_load("no such file", NULL, &none) != LFFN_ERROR_IO ||
      strstr(lffn_last_error(), "no such file") == NULL) {
    die("no such file", "was found");
  }
  for (int i = 1; i < argc; ++i) {
    const char* slash = strrchr(argv[i], '/');
    hash = 0xcbf29ce484222325u;
    for (int quantised = 0; quantised <= 1; ++quantised) {
      (strstr(argv[i], ".safetensors") != NULL ? run_layer : run_model)(argv[i], quantised);
    }
    printf("%08lx%08lx %s\n", (unsigned long)(hash >> 32), (unsigned long)(hash & 0xffffffffu),
           slash == NULL ? argv[i] : slash + 1);
  }
  return argc < 2;
}
