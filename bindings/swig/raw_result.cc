// SPDX-License-Identifier: Apache-2.0
#include "raw.h"
#include "raw_model.h"

lffn_status result_create(lffn_result** out) { return lffn_result_create(out); }
void result_free(lffn_result* result) { lffn_result_free(result); }

const void* result_array(const lffn_result* result, int32_t what) {
  lffn_result_view view;
  lffn_result_view_init(&view);
  if (lffn_result_get(result, &view) != LFFN_OK) return nullptr;
  switch (what) {
#define CASE(place, member) \
  case RESULT_##place:      \
    return view.member;
    RESULT_FIELDS(CASE)
#undef CASE
    default:
      return nullptr;
  }
}

int64_t result_size(const lffn_result* result, int32_t what) {
  lffn_result_view view;
  lffn_result_view_init(&view);
  if (lffn_result_get(result, &view) != LFFN_OK) return 0;
  switch (what) {
#define CASE(place, member) \
  case RESULT_SIZE_##place: \
    return view.member;
    RESULT_SIZES(CASE)
#undef CASE
    default:
      return 0;
  }
}

const char* result_message(const lffn_result* result, int64_t text) {
  lffn_result_view view;
  lffn_result_view_init(&view);
  if (lffn_result_get(result, &view) != LFFN_OK || view.messages == nullptr) return "";
  return text < 0 || text >= view.n_texts ? "" : view.messages[text];
}
