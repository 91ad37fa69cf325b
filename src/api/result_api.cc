// SPDX-License-Identifier: Apache-2.0
// The functions on results.
#include <mutex>

#include "api/boundary.h"
#include "api/handles.h"
#include "api/structs.h"

using namespace lffn;

namespace {

[[noreturn]] void refuse() {
  fail(LFFN_ERROR_INVALID_ARGUMENT, "another call is filling result; each thread needs a result of its own");
}

lffn_result& claim(lffn_result& result) {
  const std::lock_guard<ShortLock> lock(result.lock);
  if (result.is_filling) refuse();
  result.is_filling = true;
  return result;
}

}  // namespace

Filling::Filling(lffn_result& result) : Filling(claim(result), Claimed()) {
  result.call.shown.asked = 0;
  const uint32_t trims = AnyIdlePool::trims();
  if (result.trims != trims || result.call.memory.is_large()) result.call.memory = CallMemory();
  result.trims = trims;
}

Filling::~Filling() {
  const std::lock_guard<ShortLock> lock(result_.lock);
  result_.is_filling = false;
}

extern "C" {

lffn_status lffn_result_create(lffn_result** out) {
  return guarded([&] {
    need(out, "out");
    *out = new lffn_result;
    count_handle(1);
  });
}

void lffn_result_free(lffn_result* result) { free_handle(result); }

lffn_status lffn_result_array(const lffn_result* result, int32_t what, lffn_array* array) {
  return guarded([&] {
    need(result, "result");
    need(array, "array");
    if (!is_output(what)) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "what is %d, expected an LFFN_OUT_ value", what);
    }
    const std::lock_guard<ShortLock> lock(result->lock);
    if (result->is_filling) refuse();
    const ShownOutputs& shown = result->call.shown;
    if ((shown.asked & set_of(what)) == 0) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "result has no %s: the last call that used it did not ask for them",
           output_kind(what).name);
    }
    *array = shown.arrays[static_cast<size_t>(what)];
  });
}

}  // extern "C"
