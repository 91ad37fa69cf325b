// Random weights of a LookupFFN layer whose codes spread over all rows.
#pragma once

#include <lookupffn/lookupffn.h>

#include <vector>

#include "problem.h"

namespace compare {

class LookupWeights {
 public:
  explicit LookupWeights(const Shape& shape);

  // A BH4 layer without layer norm. NULL for element types that the library does not have, see lffn_last_error();
  // throws std::runtime_error for any other failure.
  lffn_layer* make_layer(int32_t table_dtype, int32_t hash_dtype, int threads) const;

 private:
  Shape shape_;
  int64_t padded_, chains_;
  std::vector<float> projection_, projection_bias_, tables_, bias_;
};

// How the codes of a layer spread over the rows of its tables.
struct CodeSpread {
  double entropy_bits;  // mean over the tables; tau at most
  double rows_used;     // share of all rows that at least one token chose
};

CodeSpread measure_code_spread(const lffn_layer* layer, const Problem& problem);

}  // namespace compare
