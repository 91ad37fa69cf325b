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

lffn_load_options defaults() {
  lffn_load_options options = {};
  options.struct_size = sizeof options;
  options.table_dtype = LFFN_DTYPE_AS_STORED;
  options.hash_dtype = LFFN_DTYPE_AS_STORED;
  options.linear_dtype = LFFN_DTYPE_AS_STORED;
  options.embedding_dtype = LFFN_DTYPE_AS_STORED;
  return options;
}

LoadOptions read_options(const lffn_load_options& given) {
  LoadOptions result;
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

}  // namespace

Loading::Loading(const lffn_load_options* options)
    : Loading(options == nullptr ? defaults() : read_struct(options, "options")) {}

Loading::Loading(const lffn_load_options& given)
    : runtime_(given.runtime == nullptr ? nullptr : given.runtime->shared),
      hooks_(hooks_of(runtime_)),
      kernels_(runtime_ == nullptr ? usable_kernels() : runtime_->kernels),
      progress_(given.cancel, given.progress, given.progress_user),
      options_(read_options(given)) {
  if (given.cancel != nullptr || given.progress != nullptr) options_.progress = &progress_;
  if (runtime_ == nullptr) return;
  options_.executor = runtime_->executor;
  options_.most_threads = runtime_->num_threads;
}

}  // namespace lffn

extern "C" void lffn_load_options_init_sized(lffn_load_options* options, size_t struct_size) {
  lffn::init_struct(options, struct_size, lffn::defaults());
}
