// SPDX-License-Identifier: Apache-2.0
// All that the C interface tells of a model, in one.
#pragma once

#include "lookupffn/lookupffn.h"

namespace model_told {

struct Info : lffn_model_shape, lffn_model_heads, lffn_model_costs {};

inline lffn_status get(const lffn_model* model, Info& info) {
  lffn_model_shape_init(static_cast<lffn_model_shape*>(&info));
  lffn_model_heads_init(static_cast<lffn_model_heads*>(&info));
  lffn_model_costs_init(static_cast<lffn_model_costs*>(&info));
  if (const lffn_status status = lffn_model_get_shape(model, &info)) return status;
  if (const lffn_status status = lffn_model_get_heads(model, &info)) return status;
  return lffn_model_get_costs(model, &info);
}

// Of its tokenizer; all zero where it has none.
inline lffn_tokenizer_info tokenizer_of(const lffn_model* model) {
  lffn_tokenizer_info info;
  lffn_tokenizer_info_init(&info);
  lffn_tokenizer* tokenizer = nullptr;
  if (lffn_model_tokenizer(model, &tokenizer) != LFFN_OK) return info;
  if (lffn_tokenizer_get_info(tokenizer, &info) != LFFN_OK) info = {};
  lffn_tokenizer_free(tokenizer);
  return info;
}

}  // namespace model_told
