#include "api/load_options.h"

#include <cstddef>

#include "api/boundary.h"
#include "runtime/threads.h"

namespace lffn {

// Programs built before models came do not know linear_dtype.
constexpr size_t kFirstVersion = offsetof(lffn_load_options, linear_dtype);

LoadOptions read_options(const lffn_load_options* options) {
  LoadOptions result;
  if (options == nullptr) return result;
  need_size(options->struct_size, kFirstVersion, "options");
  if (options->num_threads < 0 || options->num_threads > kMaxThreads) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "options.num_threads is %d, expected 0 to %d", options->num_threads, kMaxThreads);
  }
  if (options->table_dtype < LFFN_DTYPE_AS_STORED || options->table_dtype > LFFN_INT8) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "options.table_dtype is %d, expected an LFFN_ element type",
         options->table_dtype);
  }
  if (options->hash_dtype != LFFN_DTYPE_AS_STORED && options->hash_dtype != LFFN_F32 &&
      options->hash_dtype != LFFN_INT8) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "options.hash_dtype is %d, expected LFFN_F32, LFFN_INT8 or LFFN_DTYPE_AS_STORED",
         options->hash_dtype);
  }
  const uint32_t known = LFFN_LOAD_MMAP | LFFN_LOAD_FLUSH_DENORMALS;
  if ((options->flags & ~known) != 0) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "options.flags is 0x%x, which has bits this version does not know",
         options->flags);
  }
  if (options->struct_size > kFirstVersion) {
    result.linear_dtype = options->linear_dtype;
    if (result.linear_dtype != LFFN_DTYPE_AS_STORED && result.linear_dtype != LFFN_F32 &&
        result.linear_dtype != LFFN_INT8) {
      fail(LFFN_ERROR_INVALID_ARGUMENT,
           "options.linear_dtype is %d, expected LFFN_F32, LFFN_INT8 or LFFN_DTYPE_AS_STORED", result.linear_dtype);
    }
  }
  result.num_threads = options->num_threads;
  result.table_dtype = options->table_dtype;
  result.hash_dtype = options->hash_dtype;
  result.map_file = (options->flags & LFFN_LOAD_MMAP) != 0;
  result.flush_denormals = (options->flags & LFFN_LOAD_FLUSH_DENORMALS) != 0;
  return result;
}

}  // namespace lffn

extern "C" void lffn_load_options_init(lffn_load_options* options) {
  if (options == nullptr) return;
  *options = {sizeof(lffn_load_options), 0, LFFN_DTYPE_AS_STORED, LFFN_DTYPE_AS_STORED, 0, LFFN_DTYPE_AS_STORED};
}
