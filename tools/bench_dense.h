// SPDX-License-Identifier: Apache-2.0
// A plain vanilla FFN with which `lookupffn bench` compares a layer: y = gelu(x W1 + b1) W2 + b2. It is blocked for the
// caches and for the registers of SSE2, AVX2 or AVX-512, in C++ without a line of assembly. Dense engines with
// hand-made kernels may be faster; benchmarks/compare measures those.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lffn::tools {

// The instruction sets that this CPU has, slowest first.
std::vector<std::string> dense_versions();

class DenseFfn {
 public:
  // Random weights. `version` is one of dense_versions().
  DenseFfn(int64_t hidden_size, int64_t intermediate_size, const std::string& version);

  void forward(const float* x, int64_t num_tokens, int32_t num_threads, float* y) const;

  const std::vector<float>& w1() const { return w1_; }  // [hidden, intermediate]
  const std::vector<float>& b1() const { return b1_; }
  const std::vector<float>& w2() const { return w2_; }  // [intermediate, hidden]
  const std::vector<float>& b2() const { return b2_; }

  struct Version;  // the same code for one instruction set

 private:
  int64_t hidden_, intermediate_;
  const Version* version_;
  std::vector<float> w1_, b1_, w2_, b2_;
  std::vector<float> panels1_, panels2_;  // the weights in the order in which the products read them
};

}  // namespace lffn::tools
