// SPDX-License-Identifier: Apache-2.0
// LookupFFN layers with random weights whose codes spread over all rows.
#pragma once

#include <lookupffn/lookupffn.h>

#include <functional>
#include <string>
#include <vector>

#include "problem.h"

namespace compare {

// The calls of liblookupffn that make and run a layer: of the library that is linked in, or of another build of it.
struct Library {
  decltype(&lffn_version) version;
  decltype(&lffn_isa) isa;
  decltype(&lffn_last_error) last_error;
  std::function<void(lffn_tensor*)> tensor_init;
  std::function<void(lffn_layer_config*)> layer_config_init;
  std::function<void(lffn_load_options*)> load_options_init;
  decltype(&lffn_layer_create) layer_create;
  decltype(&lffn_layer_forward) layer_forward;
  decltype(&lffn_layer_free) layer_free;

  std::string version_text() const;

  static const Library& linked();
  // The one that LFFN_BEFORE names. NULL with `why` filled in when there is none.
  static const Library* before(std::string* why);
};

struct LayerKind {
  int32_t table_dtype, hash_dtype;
  bool dense_hash;
};

class LookupWeights {
 public:
  explicit LookupWeights(const Shape& shape);

  // A layer with a BH4 or a dense hash, without layer norm. NULL for element types that the library does not have, see
  // lffn_last_error(); throws std::runtime_error for any other failure.
  lffn_layer* make_layer(const LayerKind& kind, int threads) const;
  // The same in another build of the library.
  lffn_layer* make_layer(const LayerKind& kind, int threads, const Library& library) const;

 private:
  Shape shape_;
  int64_t padded_, chains_;
  std::vector<float> projection_, dense_projection_, projection_bias_, tables_, bias_;
};

// How the codes of a layer spread over the rows of its tables.
struct CodeSpread {
  double entropy_bits;  // mean over the tables; tau at most
  double rows_used;     // share of all rows that at least one token chose
};

CodeSpread measure_code_spread(const lffn_layer* layer, const Problem& problem);

}  // namespace compare
