// SPDX-License-Identifier: Apache-2.0
// A random model in a file of its own, loaded through the C interface.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lookupffn/lookupffn.h"
#include "random_model.h"
#include "tests/format/helpers.h"
#include "tests/support/model_told.h"
#include "tests/support/short_calls.h"

namespace lffn {

// An emulator takes hundreds of times as long: it gets shorter sequences, and fewer of them.
#ifdef LFFN_TEST_EMULATED
constexpr bool kEmulated = true;
#else
constexpr bool kEmulated = false;
#endif

// Sequences of pseudo-random ids, back to back.
struct Sequences {
  std::vector<int32_t> ids;
  std::vector<int64_t> offsets = {0};
  int64_t n() const { return static_cast<int64_t>(offsets.size()) - 1; }
  int64_t tokens() const { return offsets.back(); }
};

inline Sequences sequences(const std::vector<int64_t>& lengths, int32_t vocab_size) {
  Sequences result;
  for (const int64_t length : lengths) {
    for (int64_t t = 0; t < length; ++t) {
      result.ids.push_back(static_cast<int32_t>((t * t * 31 + length * 17 + 5 * t) % vocab_size));
    }
    result.offsets.push_back(result.offsets.back() + length);
  }
  return result;
}

class WithModel : public InFolder {
 protected:
  void TearDown() override {
    lffn_model_free(model_);
    InFolder::TearDown();
  }
  // Replaces model_.
  void load(const RandomModelShape& shape, int32_t threads = 1, int32_t linear_dtype = LFFN_DTYPE_F32,
            uint32_t flags = 0) {
    random_model(shape).write(path("model"));
    lffn_load_options options;
    lffn_load_options_init(&options);
    options.num_threads = threads;
    options.linear_dtype = linear_dtype;
    options.flags = flags;
    lffn_model_free(model_);
    model_ = nullptr;
    ASSERT_EQ(lffn_model_load(path("model").c_str(), &options, &model_), LFFN_OK) << lffn_last_error();
    ASSERT_EQ(model_told::get(model_, info_), LFFN_OK);
  }
  std::vector<float> encode(const Sequences& sequences) const {
    std::vector<float> hidden(static_cast<size_t>(sequences.tokens() * info_.hidden_size), -77.0f);
    EXPECT_EQ(short_calls::encode(model_, sequences.ids.data(), sequences.offsets.data(), sequences.n(), hidden.data()),
              LFFN_OK)
        << lffn_last_error();
    return hidden;
  }

  lffn_model* model_ = nullptr;
  model_told::Info info_ = {};
};

}  // namespace lffn
