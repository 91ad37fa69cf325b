#include "api/load_options.h"

#include "api/structs.h"
#include "runtime/threads.h"

namespace lffn {

namespace {

void check_dtype(int32_t dtype, bool bf16, const char* name) {
  const bool known =
      dtype == LFFN_DTYPE_AS_STORED || dtype == LFFN_F32 || dtype == LFFN_INT8 || (bf16 && dtype == LFFN_BF16);
  if (!known) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "options.%s is %d, expected LFFN_F32,%s LFFN_INT8 or LFFN_DTYPE_AS_STORED", name,
         dtype, bf16 ? " LFFN_BF16," : "");
  }
}

}  // namespace

LoadOptions read_options(const lffn_load_options* options) {
  LoadOptions result;
  if (options == nullptr) return result;
  const lffn_load_options given = read_struct(options, "options");
  if (given.num_threads < 0 || given.num_threads > kMaxThreads) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "options.num_threads is %d, expected 0 to %d", given.num_threads, kMaxThreads);
  }
  check_dtype(given.table_dtype, true, "table_dtype");
  check_dtype(given.hash_dtype, false, "hash_dtype");
  check_dtype(given.linear_dtype, false, "linear_dtype");
  check_dtype(given.embedding_dtype, true, "embedding_dtype");
  const uint32_t known = LFFN_LOAD_MMAP | LFFN_LOAD_FLUSH_DENORMALS;
  if ((given.flags & ~known) != 0) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "options.flags is 0x%x, which has bits this version does not know", given.flags);
  }
  result.num_threads = given.num_threads;
  result.table_dtype = given.table_dtype;
  result.hash_dtype = given.hash_dtype;
  result.linear_dtype = given.linear_dtype;
  result.embedding_dtype = given.embedding_dtype;
  result.map_file = (given.flags & LFFN_LOAD_MMAP) != 0;
  result.flush_denormals = (given.flags & LFFN_LOAD_FLUSH_DENORMALS) != 0;
  return result;
}

}  // namespace lffn

extern "C" void lffn_load_options_init_sized(lffn_load_options* options, size_t struct_size) {
  lffn_load_options defaults = {};
  defaults.table_dtype = LFFN_DTYPE_AS_STORED;
  defaults.hash_dtype = LFFN_DTYPE_AS_STORED;
  defaults.linear_dtype = LFFN_DTYPE_AS_STORED;
  defaults.embedding_dtype = LFFN_DTYPE_AS_STORED;
  lffn::init_struct(options, struct_size, defaults);
}
