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
  result.view = {};
  const uint32_t trims = AnyIdlePool::trims();
  if (result.trims != trims || result.memory.is_large()) result.memory = RunMemory();
  result.trims = trims;
}

Filling::~Filling() {
  const std::lock_guard<ShortLock> lock(result_.lock);
  result_.is_filling = false;
}

extern "C" {

void lffn_result_view_init_sized(lffn_result_view* view, size_t struct_size) { init_struct(view, struct_size); }

lffn_status lffn_result_create(lffn_result** out) {
  return guarded([&] {
    need(out, "out");
    *out = new lffn_result;
    count_handle(1);
  });
}

void lffn_result_free(lffn_result* result) { free_handle(result); }

lffn_status lffn_result_get(const lffn_result* result, lffn_result_view* view) {
  return guarded([&] {
    need(result, "result");
    const std::lock_guard<ShortLock> lock(result->lock);
    if (result->is_filling) refuse();
    write_struct(result->view, view, "view");
  });
}

}  // extern "C"
