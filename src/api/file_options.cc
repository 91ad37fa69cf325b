// SPDX-License-Identifier: Apache-2.0
#include "api/file_options.h"

#include "api/structs.h"
#include "runtime/threads.h"

namespace lffn {
namespace {

// The element types that a caller may choose, all of them LFFN_DTYPE_AS_STORED by default.
struct ChosenType {
  const char* name;
  int32_t lffn_load_options::*given;
  int32_t ModelLoadOptions::*chosen;
  bool bf16;  // LFFN_DTYPE_BF16 is one of them
  bool int4;  // LFFN_DTYPE_INT4, too
};
constexpr ChosenType kChosenTypes[] = {
    {"table_dtype", &lffn_load_options::table_dtype, &ModelLoadOptions::table_dtype, true, false},
    {"hash_dtype", &lffn_load_options::hash_dtype, &ModelLoadOptions::hash_dtype, false, false},
    {"linear_dtype", &lffn_load_options::linear_dtype, &ModelLoadOptions::linear_dtype, true, false},
    {"embedding_dtype", &lffn_load_options::embedding_dtype, &ModelLoadOptions::embedding_dtype, true, false},
    {"word_row_dtype", &lffn_load_options::word_row_dtype, &ModelLoadOptions::word_dtype, true, true},
    {"attention_dtype", &lffn_load_options::attention_dtype, &ModelLoadOptions::attention_dtype, false, false},
};

ModelLoadOptions read_options(const lffn_load_options& given) {
  ModelLoadOptions result;
  check_threads(given.num_threads, "options.num_threads");
  for (const ChosenType& type : kChosenTypes) {
    const int32_t dtype = given.*type.given;
    if (dtype != LFFN_DTYPE_AS_STORED && dtype != LFFN_DTYPE_F32 && dtype != LFFN_DTYPE_INT8 &&
        !(type.bf16 && dtype == LFFN_DTYPE_BF16) && !(type.int4 && dtype == LFFN_DTYPE_INT4)) {
      fail(LFFN_ERROR_INVALID_ARGUMENT,
           "options.%s is %d, expected LFFN_DTYPE_F32,%s LFFN_DTYPE_INT8%s or LFFN_DTYPE_AS_STORED", type.name, dtype,
           type.bf16 ? " LFFN_DTYPE_BF16," : "", type.int4 ? ", LFFN_DTYPE_INT4" : "");
    }
    result.*type.chosen = dtype;
  }
  check_flags(given.flags, LFFN_LOAD_MMAP | LFFN_LOAD_FLUSH_DENORMALS | LFFN_LOAD_SEVEN_BIT_INPUTS, "options.flags");
  result.num_threads = given.num_threads;
  if (given.adapter != nullptr) result.adapter = given.adapter;
  result.map_file = (given.flags & LFFN_LOAD_MMAP) != 0;
  result.flush_denormals = (given.flags & LFFN_LOAD_FLUSH_DENORMALS) != 0;
  result.seven_bit_inputs = (given.flags & LFFN_LOAD_SEVEN_BIT_INPUTS) != 0;
  return result;
}

}  // namespace

Loading::Loading(const lffn_load_options* options)
    : Loading(options == nullptr ? lffn_load_options{} : read_struct(options, "options")) {}

Loading::Loading(const lffn_load_options& given)
    : options_(read_options(given)),
      runtime_(given.runtime == nullptr ? nullptr : given.runtime->shared),
      hooks_(hooks_of(runtime_)),
      kernels_(runtime_ == nullptr ? usable_kernels() : runtime_->kernels),
      progress_(given.cancel, given.progress, given.progress_user) {
  if (given.cancel != nullptr || given.progress != nullptr) options_.progress = &progress_;
  if (runtime_ == nullptr) return;
  options_.executor = runtime_->executor;
  options_.most_threads = runtime_->num_threads;
}

}  // namespace lffn

extern "C" void lffn_load_options_init_sized(lffn_load_options* options, size_t struct_size) {
  lffn::init_struct(options, struct_size);
}
