// SPDX-License-Identifier: Apache-2.0
#include "raw.h"

#include "raw_structs.h"

#define SAME(name, value) static_assert(LFFN_##name == value, #name);
ABI_CONSTANTS(SAME)
#undef SAME

int32_t native_version() { return static_cast<int32_t>(lffn_version()); }
const char* native_isa() { return lffn_isa(); }
const char* last_error(int32_t status) {
  return status == LFFN_ERROR_OUT_OF_MEMORY ? "out of memory" : lffn_last_error();
}
int64_t live_handles() { return lffn_live_handles(); }

lffn_status layer_load(const char* path, const int32_t* options, const lffn_runtime* runtime, const int32_t* cancel,
                       lffn_file_progress_callback progress, void* progress_user, lffn_layer** out) {
  const lffn_load_options given = load_options(options, runtime, cancel, progress, progress_user);
  return lffn_layer_load(path, &given, out);
}

lffn_status layer_load_memory(const void* data, size_t size, const int32_t* options, const lffn_runtime* runtime,
                              const int32_t* cancel, lffn_file_progress_callback progress, void* progress_user,
                              lffn_layer** out) {
  const lffn_load_options given = load_options(options, runtime, cancel, progress, progress_user);
  return lffn_layer_load_memory(data, size, &given, out);
}

lffn_status layer_random(int32_t hidden_size, int32_t output_size, int32_t num_tables, int32_t table_size,
                         int32_t projection, int32_t block_size, int32_t activation, int32_t num_probes,
                         int32_t layer_norm, float decay_coeff, float layer_norm_eps, int64_t seed,
                         const int32_t* options, const lffn_runtime* runtime, lffn_layer** out) {
  lffn_layer_config config;
  lffn_layer_config_init(&config);
  config.hidden_size = hidden_size;
  config.output_size = output_size;
  config.num_tables = num_tables;
  config.table_size = table_size;
  config.projection = projection;
  config.block_size = block_size;
  config.activation = activation;
  config.num_probes = num_probes;
  config.layer_norm = layer_norm;
  config.decay_coeff = decay_coeff;
  config.layer_norm_eps = layer_norm_eps;
  config.seed = static_cast<uint64_t>(seed);
  const lffn_load_options given = load_options(options, runtime, nullptr, nullptr, nullptr);
  return lffn_layer_create(&config, nullptr, 0, &given, out);
}

lffn_status layer_save(const lffn_layer* layer, const char* path, const int32_t* cancel,
                       lffn_file_progress_callback progress, void* progress_user) {
  const lffn_save_options given = save_options(cancel, progress, progress_user);
  return lffn_layer_save(layer, path, &given);
}

lffn_status layer_info(const lffn_layer* layer, int64_t* numbers) {
  lffn_layer_info info;
  lffn_layer_info_init(&info);
  const lffn_status status = lffn_layer_get_info(layer, &info);
  if (status != LFFN_OK) return status;
#define COPY(place, member) numbers[INFO_##place] = number_of(info.member);
  LAYER_INFO_FIELDS(COPY)
#undef COPY
  return LFFN_OK;
}

void layer_free(lffn_layer* layer) { lffn_layer_free(layer); }

lffn_status layer_forward(const lffn_layer* layer, const float* x, int64_t x_offset, int64_t n_tokens, float* y,
                          int64_t y_offset, int32_t flags, const int32_t* cancel) {
  if (flags == 0 && cancel == nullptr) return lffn_layer_forward(layer, x + x_offset, n_tokens, y + y_offset);
  lffn_layer_run_args args;
  lffn_layer_run_args_init(&args);
  args.x = x + x_offset;
  args.y = y + y_offset;
  args.n_tokens = n_tokens;
  args.flags = static_cast<uint32_t>(flags);
  args.cancel = cancel;
  return lffn_layer_run(layer, &args);
}

lffn_status layer_hash(const lffn_layer* layer, const float* x, int64_t n_tokens, int32_t* codes, float* scores) {
  return lffn_layer_hash(layer, x, n_tokens, codes, scores);
}

lffn_status runtime_create(int32_t num_threads, const char* isa, lffn_parallel_for_callback parallel,
                           void* parallel_user, lffn_log_callback log, void* log_user, lffn_runtime** out) {
  lffn_runtime_options options;
  lffn_runtime_options_init(&options);
  options.num_threads = num_threads;
  options.isa = isa;
  options.parallel_for = parallel;
  options.parallel_user = parallel_user;
  options.log = log;
  options.log_user = log_user;
  return lffn_runtime_create(&options, out);
}

void runtime_free(lffn_runtime* runtime) { lffn_runtime_free(runtime); }
const char* runtime_isa(const lffn_runtime* runtime) { return lffn_runtime_isa(runtime); }
void set_log(lffn_log_callback process_log, void* process_log_user) {
  lffn_set_default_log(process_log, process_log_user);
}
void trim() { lffn_trim(); }

lffn_status result_create(lffn_result** out) { return lffn_result_create(out); }
void result_free(lffn_result* result) { lffn_result_free(result); }

namespace {

// One of a result's arrays; all members are zero if the call did not make it.
lffn_array array_of(const lffn_result* result, int32_t output) {
  lffn_array array = {};
  return lffn_result_array(result, output, &array) == LFFN_OK ? array : lffn_array{};
}

}  // namespace

const void* result_array(const lffn_result* result, int32_t what) { return array_of(result, what).data; }

int64_t result_size(const lffn_result* result, int32_t what) {
  switch (what) {
    case RESULT_SIZE_SEQUENCES:
      return array_of(result, LFFN_OUT_TOKEN_OFFSETS).rows - 1;
    case RESULT_SIZE_TEXTS:
      return array_of(result, LFFN_OUT_WINDOW_OFFSETS).rows - 1;
    case RESULT_SIZE_TOKENS: {
      const lffn_array offsets = array_of(result, LFFN_OUT_TOKEN_OFFSETS);
      return offsets.data == nullptr ? 0 : static_cast<const int64_t*>(offsets.data)[offsets.rows - 1];
    }
    case RESULT_SIZE_EMBEDDING: {
      // For embeddings in bits this counts the room in whole bytes, 8 numbers in each.
      const int32_t numbers = array_of(result, LFFN_OUT_EMBEDDINGS).columns;
      const int32_t bytes = numbers != 0 ? numbers : array_of(result, LFFN_OUT_INT8_EMBEDDINGS).columns;
      return bytes != 0 ? bytes : 8 * array_of(result, LFFN_OUT_BIT_EMBEDDINGS).columns;
    }
    case RESULT_SIZE_TOKEN_VECTOR: {
      const int32_t numbers = array_of(result, LFFN_OUT_TOKEN_VECTORS).columns;
      return numbers != 0 ? numbers : array_of(result, LFFN_OUT_INT8_TOKEN_VECTORS).columns;
    }
    default:
      return 0;
  }
}

const char* result_message(const lffn_result* result, int64_t text) {
  const lffn_array messages = array_of(result, LFFN_OUT_MESSAGES);
  const lffn_array offsets = array_of(result, LFFN_OUT_MESSAGE_OFFSETS);
  if (messages.data == nullptr || offsets.data == nullptr || text < 0 || text >= offsets.rows - 1) return "";
  return static_cast<const char*>(messages.data) + static_cast<const int64_t*>(offsets.data)[text];
}
