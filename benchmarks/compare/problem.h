// SPDX-License-Identifier: Apache-2.0
// The sizes, weights and inputs that all engines share within one cell of the comparison.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace compare {

// A feed-forward layer, or a linear layer alone.
struct Shape {
  std::string name;
  int64_t d, t;     // vanilla: d -> t -> d; a linear layer: d -> t
  int32_t h, tau;   // lookup: h tables of 2^tau rows; 0 for a linear layer
  int32_t block;    // lookup: block size of BH4
  bool with_dense;  // also measured with a dense hash
  bool in_quick;    // takes part in a quick run
  std::vector<int64_t> batches;

  bool is_linear() const { return h == 0; }
  int64_t out_columns() const { return is_linear() ? t : d; }
};

class LookupWeights;

// The shapes that can be asked for by name.
const std::vector<Shape>& shapes();

// Everything lies in one shared mapping backed by a file, so that an engine in another process can work on it too.
class Problem {
 public:
  Problem(const Shape& shape, int64_t max_batch);
  ~Problem();
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;

  const Shape& shape() const { return shape_; }
  const std::string& file() const { return file_; }
  int64_t pool_tokens() const { return pool_tokens_; }
  int64_t max_batch() const { return max_batch_; }

  // In the file one after the other in this order, all float32. A linear layer is w1 and b1 alone.
  float* w1() const { return base_; }                         // [t, d]
  float* b1() const { return w1() + shape_.t * shape_.d; }    // [t]
  float* w2() const { return b1() + shape_.t; }               // [d, t]
  float* b2() const { return w2() + shape_.d * shape_.t; }    // [d]
  float* x() const { return b2() + shape_.d; }                // [pool_tokens, d]
  float* y() const { return x() + pool_tokens_ * shape_.d; }  // [max_batch, out_columns]

  // Made when first asked for.
  const LookupWeights& lookup_weights();

  // The input of batch number i of n tokens: the batches walk through the pool, so that no engine lives off rows that
  // the batch before left in its cache.
  const float* batch(int64_t i, int64_t n) const { return x() + i % (pool_tokens_ / n) * n * shape_.d; }

 private:
  Shape shape_;
  int64_t max_batch_, pool_tokens_;
  std::string file_;
  float* base_ = nullptr;
  size_t bytes_ = 0;
  std::unique_ptr<LookupWeights> lookup_weights_;
};

// Fills with normal numbers of the given standard deviation, the same on every machine.
void fill_normal(float* out, int64_t n, double deviation, uint64_t seed);

}  // namespace compare
