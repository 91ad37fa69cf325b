#include "raw.h"

#include <cstring>

#define SAME(ours, theirs) static_assert(static_cast<int>(ours) == static_cast<int>(theirs), #ours)
SAME(STATUS_OK, LFFN_OK);
SAME(STATUS_INVALID_ARGUMENT, LFFN_ERROR_INVALID_ARGUMENT);
SAME(STATUS_OUT_OF_MEMORY, LFFN_ERROR_OUT_OF_MEMORY);
SAME(STATUS_IO, LFFN_ERROR_IO);
SAME(STATUS_BAD_MODEL, LFFN_ERROR_BAD_MODEL);
SAME(STATUS_UNSUPPORTED, LFFN_ERROR_UNSUPPORTED);
SAME(STATUS_CANCELLED, LFFN_ERROR_CANCELLED);
SAME(STATUS_INTERNAL, LFFN_ERROR_INTERNAL);
SAME(DTYPE_AS_STORED, LFFN_DTYPE_AS_STORED);
SAME(DTYPE_F32, LFFN_F32);
SAME(DTYPE_BF16, LFFN_BF16);
SAME(DTYPE_INT8, LFFN_INT8);
SAME(ACTIVATION_GELU, LFFN_ACTIVATION_GELU);
SAME(ACTIVATION_SIGMOID, LFFN_ACTIVATION_SIGMOID);
SAME(LOAD_MMAP, LFFN_LOAD_MMAP);
SAME(LOAD_FLUSH_DENORMALS, LFFN_LOAD_FLUSH_DENORMALS);
SAME(FORWARD_ADD, LFFN_FORWARD_ADD);
#undef SAME

namespace {

int64_t bits_of(float value) {
  int32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

lffn_load_options options_of(int32_t num_threads, int32_t table_dtype, int32_t hash_dtype, int32_t flags) {
  lffn_load_options options;
  lffn_load_options_init(&options);
  options.num_threads = num_threads;
  options.table_dtype = table_dtype;
  options.hash_dtype = hash_dtype;
  options.flags = static_cast<uint32_t>(flags);
  return options;
}

}  // namespace

int32_t native_version() { return static_cast<int32_t>(lffn_version()); }
const char* native_isa() { return lffn_isa(); }
const char* last_error(int32_t status) {
  return status == LFFN_ERROR_OUT_OF_MEMORY ? "out of memory" : lffn_last_error();
}
int64_t live_handles() { return lffn_live_handles(); }

lffn_status layer_load(const char* path, int32_t num_threads, int32_t table_dtype, int32_t hash_dtype, int32_t flags,
                       lffn_layer** out) {
  const lffn_load_options options = options_of(num_threads, table_dtype, hash_dtype, flags);
  return lffn_layer_load(path, &options, out);
}

lffn_status layer_load_memory(const void* data, size_t size, int32_t num_threads, int32_t table_dtype,
                              int32_t hash_dtype, int32_t flags, lffn_layer** out) {
  const lffn_load_options options = options_of(num_threads, table_dtype, hash_dtype, flags);
  return lffn_layer_load_memory(data, size, &options, out);
}

lffn_status layer_random(int32_t hidden_size, int32_t output_size, int32_t num_tables, int32_t table_size,
                         int32_t projection, int32_t block_size, int32_t activation, int32_t num_probes,
                         int32_t layer_norm, float decay_coeff, float layer_norm_eps, int64_t seed, int32_t num_threads,
                         int32_t table_dtype, int32_t hash_dtype, int32_t flags, lffn_layer** out) {
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
  const lffn_load_options options = options_of(num_threads, table_dtype, hash_dtype, flags);
  return lffn_layer_create(&config, nullptr, 0, &options, out);
}

lffn_status layer_save(const lffn_layer* layer, const char* path) { return lffn_layer_save(layer, path); }

lffn_status layer_info(const lffn_layer* layer, int64_t* numbers) {
  lffn_layer_info info;
  lffn_layer_info_init(&info);
  const lffn_status status = lffn_layer_get_info(layer, &info);
  if (status != LFFN_OK) return status;
  numbers[INFO_HIDDEN_SIZE] = info.hidden_size;
  numbers[INFO_OUTPUT_SIZE] = info.output_size;
  numbers[INFO_NUM_TABLES] = info.num_tables;
  numbers[INFO_TABLE_SIZE] = info.table_size;
  numbers[INFO_CODE_BITS] = info.code_bits;
  numbers[INFO_PROJECTION] = info.projection;
  numbers[INFO_BLOCK_SIZE] = info.block_size;
  numbers[INFO_NUM_CHAINS] = info.num_chains;
  numbers[INFO_ACTIVATION] = info.activation;
  numbers[INFO_NUM_PROBES] = info.num_probes;
  numbers[INFO_LAYER_NORM] = info.layer_norm;
  numbers[INFO_DECAY_COEFF_BITS] = bits_of(info.decay_coeff);
  numbers[INFO_LAYER_NORM_EPS_BITS] = bits_of(info.layer_norm_eps);
  numbers[INFO_TABLE_DTYPE] = info.table_dtype;
  numbers[INFO_HASH_DTYPE] = info.hash_dtype;
  numbers[INFO_NUM_THREADS] = info.num_threads;
  numbers[INFO_FLOP_PER_TOKEN] = info.flop_per_token;
  numbers[INFO_NUM_PARAMETERS] = info.num_parameters;
  numbers[INFO_FILE_BYTES] = static_cast<int64_t>(info.file_bytes);
  numbers[INFO_MEMORY_BYTES] = static_cast<int64_t>(info.memory_bytes);
  numbers[INFO_SCRATCH_BYTES] = static_cast<int64_t>(info.scratch_bytes);
  return LFFN_OK;
}

void layer_free(lffn_layer* layer) { lffn_layer_free(layer); }

lffn_status layer_forward(const lffn_layer* layer, const float* x, int64_t x_offset, int64_t n_tokens, float* y,
                          int64_t y_offset, int32_t flags, const int32_t* cancel) {
  if (flags == 0 && cancel == nullptr) return lffn_layer_forward(layer, x + x_offset, n_tokens, y + y_offset);
  lffn_forward_args args;
  lffn_forward_args_init(&args);
  args.x = x + x_offset;
  args.y = y + y_offset;
  args.n_tokens = n_tokens;
  args.flags = static_cast<uint32_t>(flags);
  args.cancel = cancel;
  return lffn_layer_forward_ex(layer, &args);
}

lffn_status layer_hash(const lffn_layer* layer, const float* x, int64_t n_tokens, int32_t* codes, float* scores) {
  return lffn_layer_hash(layer, x, n_tokens, codes, scores);
}
