/* SPDX-License-Identifier: Apache-2.0 */
/* Writes down what the C interface computes for the golden inputs, for the Java and .NET tests to compare bit by bit:
 *
 *     golden_cases GOLDEN_DIRECTORY OUTPUT_DIRECTORY
 *
 * For each NAME.model.safetensors and each choice of element types a file NAME@TYPES.case: as int64 the types of tables
 * and hash in the load options, the tokens, the floats per input token, the floats per output token and the codes per
 * token; then x, y, y after adding to an array of 0.5, the codes and their scores. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
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

static char* read_all(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) die(path, "cannot be opened");
  if (fseek(file, 0, SEEK_END) != 0) die(path, "cannot be read");
  *size = (size_t)ftell(file);
  rewind(file);
  char* data = allocate(*size);
  if (fread(data, 1, *size, file) != *size) die(path, "cannot be read");
  fclose(file);
  data[*size] = 0;
  return data;
}

/* Copies the tensor "x" out of a safetensors file. Enough of a reader for files that are known to be good. */
static float* read_x(const char* path, int64_t hidden_size, int64_t* n_tokens) {
  size_t size;
  char* file = read_all(path, &size);
  uint64_t header_size;
  memcpy(&header_size, file, 8);
  const char* entry = strstr(file + 8, "\"x\"");
  const char* offsets = entry == NULL ? NULL : strstr(entry, "\"data_offsets\"");
  offsets = offsets == NULL ? NULL : strchr(offsets, '[');
  long long begin, end;
  if (offsets == NULL || sscanf(offsets, "[%lld,%lld]", &begin, &end) != 2) die(path, "has no tensor x");
  *n_tokens = (end - begin) / (4 * hidden_size);
  float* x = allocate((size_t)(end - begin));
  memcpy(x, file + 8 + header_size + begin, (size_t)(end - begin));
  free(file);
  return x;
}

static void put(FILE* out, const void* data, size_t size) {
  if (fwrite(data, 1, size, out) != size) die("fwrite", "failed");
}

struct types {
  const char* name;
  int32_t table, hash;
};

static void write_case(const char* golden, const char* name, const struct types* types, const char* directory) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.model.safetensors", golden, name);
  lffn_load_options options;
  lffn_load_options_init(&options);
  options.table_dtype = types->table;
  options.hash_dtype = types->hash;
  lffn_layer* layer = NULL;
  check(lffn_layer_load(path, &options, &layer), path);
  lffn_layer_info info;
  lffn_layer_info_init(&info);
  check(lffn_layer_get_info(layer, &info), path);

  int64_t n_tokens;
  snprintf(path, sizeof path, "%s/%s.io.safetensors", golden, name);
  float* x = read_x(path, info.hidden_size, &n_tokens);
  const size_t y_count = (size_t)(n_tokens * info.output_size);
  const size_t code_count = (size_t)n_tokens * (size_t)info.num_tables * (size_t)info.num_probes;
  float* y = allocate(y_count * 4);
  float* added = allocate(y_count * 4);
  int32_t* codes = allocate(code_count * 4);
  float* scores = allocate(code_count * 4);
  check(lffn_layer_forward(layer, x, n_tokens, y), path);
  for (size_t i = 0; i < y_count; ++i) added[i] = 0.5f;
  lffn_layer_run_args args;
  lffn_layer_run_args_init(&args);
  args.x = x;
  args.y = added;
  args.n_tokens = n_tokens;
  args.flags = LFFN_LAYER_RUN_ADD;
  check(lffn_layer_run(layer, &args), path);
  check(lffn_layer_hash(layer, x, n_tokens, codes, scores), path);

  snprintf(path, sizeof path, "%s/%s@%s.case", directory, name, types->name);
  FILE* out = fopen(path, "wb");
  if (out == NULL) die(path, "cannot be opened");
  const int64_t sizes[] = {types->table,     types->hash,      n_tokens,
                           info.hidden_size, info.output_size, (int64_t)info.num_tables * info.num_probes};
  put(out, sizes, sizeof sizes);
  put(out, x, (size_t)(n_tokens * info.hidden_size) * 4);
  put(out, y, y_count * 4);
  put(out, added, y_count * 4);
  put(out, codes, code_count * 4);
  put(out, scores, code_count * 4);
  if (fclose(out) != 0) die(path, "cannot be written");
  free(x);
  free(y);
  free(added);
  free(codes);
  free(scores);
  lffn_layer_free(layer);
}

static const struct types kTypes[] = {
    {"stored", LFFN_DTYPE_AS_STORED, LFFN_DTYPE_AS_STORED},
    {"bf16", LFFN_DTYPE_BF16, LFFN_DTYPE_F32},
    {"int8", LFFN_DTYPE_INT8, LFFN_DTYPE_F32},
    {"all-int8", LFFN_DTYPE_INT8, LFFN_DTYPE_INT8},
};

int main(int argc, char** argv) {
  if (argc != 3) die(argv[0], "expects a golden and an output directory");
  DIR* golden = opendir(argv[1]);
  if (golden == NULL) die(argv[1], "cannot be opened");
  int cases = 0;
  for (struct dirent* entry; (entry = readdir(golden)) != NULL;) {
    char name[256];
    snprintf(name, sizeof name, "%s", entry->d_name);
    char* suffix = strstr(name, ".model.safetensors");
    if (suffix == NULL) continue;
    *suffix = 0;
    for (size_t i = 0; i < sizeof kTypes / sizeof *kTypes; ++i, ++cases) write_case(argv[1], name, &kTypes[i], argv[2]);
  }
  closedir(golden);
  printf("%d cases\n", cases);
  return cases == 0;
}
