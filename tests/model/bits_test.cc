// SPDX-License-Identifier: Apache-2.0
// A sequence's results are the same bits alone or among others, on any number of threads and any instruction set.
#include <algorithm>
#include <cstdlib>

#include "kernels/kernels.h"
#include "layer/layer.h"
#include "model/model.h"
#include "model_fixture.h"
#include "tests/support/short_calls.h"

namespace lffn {
namespace {

class ModelBits : public WithModel, public testing::WithParamInterface<const Family*> {
 protected:
  void SetUp() override {
    WithModel::SetUp();
    shape_.family = GetParam();
    if (shape_.family->norms == NormPlace::kAfter) shape_.ffn_kinds = "wvlw";
  }
  RandomModelShape shape_;
};

INSTANTIATE_TEST_SUITE_P(Families, ModelBits, testing::Values(&kAuthors, &kBert, &kMpnet, &kElectra, &kDebertaV2),
                         [](const auto& test) {
                           std::string name = test.param->name;
                           name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
                           return name;
                         });

// How linear layers compute.
struct Arithmetic {
  int32_t dtype;
  uint32_t flags;
};
constexpr Arithmetic kExact = {LFFN_DTYPE_F32, 0}, kHalf = {LFFN_DTYPE_BF16, 0}, kEightBits = {LFFN_DTYPE_INT8, 0},
                     kSevenBits = {LFFN_DTYPE_INT8, LFFN_LOAD_SEVEN_BIT_INPUTS};

using Lengths = std::vector<int64_t>;
const Lengths kLengths =
    kEmulated ? Lengths{7, 1, 0, 16, 67, 2, 3, 24, 130} : Lengths{7, 1, 0, 16, 130, 2, 3, 5, 257, 24, 600, 64, 12, 300};

TEST_P(ModelBits, AloneAndAmongOthers) {
  for (const int32_t threads : {1, 3, 4, 2}) {
    const Arithmetic arithmetic = threads == 4 ? kEightBits : threads == 2 ? kSevenBits : kExact;
    load(shape_, threads, arithmetic.dtype, arithmetic.flags);
    const std::vector<float> together = encode(sequences(kLengths, info_.vocab_size));
    auto at = together.begin();
    for (const int64_t length : kLengths) {
      const std::vector<float> alone = encode(sequences({length}, info_.vocab_size));
      EXPECT_TRUE(std::equal(alone.begin(), alone.end(), at)) << length << " tokens, " << threads << " threads";
      at += length * info_.hidden_size;
    }
  }
}

// More tokens than go through the layers, or through attention, at once.
TEST_P(ModelBits, ManyChunks) {
  RandomModelShape shape = shape_;
  shape.hidden_size = 16;
  shape.num_heads = 2;
  shape.head_size = 8;
  shape.intermediate_size = 24;
  load(shape, 2);
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < 40; ++i) lengths.push_back(i % 2 == 0 ? 37 : 471);
  const std::vector<float> together = encode(sequences(lengths, info_.vocab_size));
  const std::vector<float> pair = encode(sequences({37, 471}, info_.vocab_size));
  for (size_t i = 0; i < together.size(); i += pair.size()) {
    ASSERT_TRUE(std::equal(pair.begin(), pair.end(), together.begin() + static_cast<int64_t>(i))) << i;
  }
}

// Rows, or outputs, or both, are shared out, by how many rows there are.
TEST_P(ModelBits, AnyThreadsAnyRows) {
  for (const auto& [dtype, flags] : {kExact, kHalf, kEightBits, kSevenBits}) {
    for (const int64_t rows : kEmulated ? Lengths{100, 145} : Lengths{100, 143, 144, 145, 217, 256, 383, 385}) {
      std::vector<float> hidden;
      for (const int32_t threads : {1, 2, 3, 5}) {
        load(shape_, threads, dtype, flags);
        const std::vector<float> again = encode(sequences({rows / 2, rows - rows / 2}, info_.vocab_size));
        if (threads == 1) hidden = again;
        EXPECT_EQ(again, hidden) << rows << " rows, " << threads << " threads, type " << dtype;
      }
    }
  }
}

TEST_P(ModelBits, AnyThreads) {
  load(shape_, 1);
  const Sequences input = sequences(kLengths, info_.vocab_size);
  std::vector<int64_t> positions;
  for (int64_t t = input.tokens() - 1; t >= 0; t -= 3) positions.push_back(t);
  std::vector<float> hidden, logits;
  for (const int32_t threads : {1, 2, 3, 8}) {
    load(shape_, threads);
    std::vector<float> again(positions.size() * static_cast<size_t>(info_.vocab_size));
    ASSERT_EQ(short_calls::logits(model_, input.ids.data(), input.offsets.data(), input.n(), positions.data(),
                                  static_cast<int64_t>(positions.size()), again.data()),
              LFFN_OK);
    if (threads == 1) {
      hidden = encode(input);
      logits = again;
    }
    EXPECT_EQ(encode(input), hidden) << threads << " threads";
    EXPECT_EQ(again, logits) << threads << " threads";
    for (size_t i = 0; i < positions.size(); i += 17) {  // one at a time: some among all sequences, all in their own
      std::vector<float> row(static_cast<size_t>(info_.vocab_size));
      const auto check = [&](int64_t first, const std::vector<int64_t>& offsets) {
        const int64_t position = positions[i] - first;
        ASSERT_EQ(short_calls::logits(model_, input.ids.data() + first, offsets.data(),
                                      static_cast<int64_t>(offsets.size()) - 1, &position, 1, row.data()),
                  LFFN_OK);
        EXPECT_TRUE(std::equal(row.begin(), row.end(), logits.begin() + static_cast<int64_t>(i * row.size()))) << i;
      };
      const auto end = std::upper_bound(input.offsets.begin(), input.offsets.end(), positions[i]);
      check(end[-1], {0, *end - end[-1]});
      if (i % 119 == 0) check(0, input.offsets);
    }
  }
}

// Sizes that are no multiple of anything.
TEST_P(ModelBits, AnyInstructionSet) {
  RandomModelShape shape = shape_;
  shape.hidden_size = 45;
  shape.num_heads = 3;
  shape.head_size = 13;
  shape.intermediate_size = 71;
  random_model(shape).write(path("model"));
  const std::string file = content_of(path("model"));
  const Sequences input = sequences({130, 1, 29, 257}, shape.vocab_size);
  for (const auto& [dtype, flags] : {kExact, kHalf, kEightBits, kSevenBits}) {
    std::vector<float> first;
    const BorrowedBytes bytes(file.data(), file.size());
    for (const char* name : {"avx2", "avxvnni", "avx512", "avx512vnni", "avx512vbmi", "neon", "neondot", "neoni8mm"}) {
      const Kernels* kernels = find_kernels(name);
      if (kernels == nullptr) continue;
      ModelLoadOptions options;
      options.num_threads = 1;
      options.linear_dtype = dtype;
      options.seven_bit_inputs = flags == LFFN_LOAD_SEVEN_BIT_INPUTS;
      const std::unique_ptr<const Model> model = load_model_file(bytes, options, *kernels);
      std::vector<float> logits(static_cast<size_t>(4 * shape.vocab_size));
      std::vector<float> scores(static_cast<size_t>(4 * shape.num_classes));
      std::vector<float> hidden(static_cast<size_t>(input.tokens() * shape.hidden_size));
      const int64_t positions[] = {416, 0, 130, 7};
      ModelCall call;
      call.ids = input.ids.data();
      call.offsets = input.offsets.data();
      call.num_sequences = input.n();
      call.hidden = hidden.data();
      call.positions = positions;
      call.num_positions = 4;
      call.logits = logits.data();
      call.class_scores = scores.data();
      model->run(call);
      hidden.insert(hidden.end(), logits.begin(), logits.end());
      hidden.insert(hidden.end(), scores.begin(), scores.end());
      if (first.empty()) first = hidden;
      EXPECT_EQ(hidden, first) << name << ", element type " << dtype;
    }
    if (first.empty()) GTEST_SKIP() << "this CPU has no fused multiply-add";
  }
}

}  // namespace
}  // namespace lffn
