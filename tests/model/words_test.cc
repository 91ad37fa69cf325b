// SPDX-License-Identifier: Apache-2.0
// The vectors of all words in each element type: looked up, scored, saved.
#include "model/tensors/words.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "format/tensor_numbers.h"
#include "model/tensors/linear.h"
#include "tests/kernels/all_kernels.h"

namespace lffn {
namespace {

constexpr int32_t kTypes[] = {LFFN_DTYPE_F32, LFFN_DTYPE_BF16, LFFN_DTYPE_INT8};

struct Stored {
  Stored(int64_t words, int64_t size) : values(random_floats(words * size, 1, 3)) {
    view.name = "words";
    view.shape = {words, size};
    view.data = reinterpret_cast<const uint8_t*>(values.data());
    view.size = values.size() * sizeof(float);
  }
  std::vector<float> values;
  TensorView view;
};

std::vector<float> read_all(const WordMatrix& words, int64_t count, int64_t size) {
  std::vector<float> all(static_cast<size_t>(count * size));
  for (int64_t w = 0; w < count; ++w) words.read(w, all.data() + w * size);
  return all;
}

std::vector<float> score(const WordMatrix& words, const Kernels& kernels, std::vector<float> in, int64_t rows,
                         const std::vector<float>& bias, int64_t count, int64_t size) {
  const Workers workers = {kernels, 1, false, nullptr};
  std::vector<float> out(static_cast<size_t>(rows * count + 1), 7.0f);
  std::vector<uint8_t> scratch(words.scratch_bytes(rows), 0xff);
  WordMatrix::Call call;
  call.in = {in.data(), size};
  call.rows = rows;
  call.bias = bias.data();
  call.out = {out.data(), count};
  call.scratch = scratch.data();
  words.score(workers, call);
  EXPECT_EQ(out.back(), 7.0f);
  return out;
}

TEST(Words, AreHeldInEveryType) {
  const Stored stored(70, 45);
  for (const int32_t type : kTypes) {
    const WordMatrix words(stored.view, nullptr, type);
    EXPECT_EQ(words.dtype(), type);
    const std::vector<float> read = read_all(words, 70, 45);
    const double slack = type == LFFN_DTYPE_F32 ? 0 : type == LFFN_DTYPE_BF16 ? 1.0 / 256 : 1.001 / 254;
    for (size_t i = 0; i < read.size(); ++i) ASSERT_NEAR(read[i], stored.values[i], slack);
  }
}

TEST(Words, AreScoredInEveryType) {
  for (const int64_t size : {1, 45, 64, 384}) {
    for (const int64_t count : {1, 16, 1100}) {
      const Stored stored(count, size);
      std::vector<float> bias = random_floats(count, 1, 4);
      bias.resize(static_cast<size_t>(count + kPanel), 0.0f);
      for (const int32_t type : kTypes) {
        const WordMatrix words(stored.view, nullptr, type);
        const std::vector<float> held = read_all(words, count, size);
        for (const int64_t rows : {1, 3, 9}) {
          const std::vector<float> in = random_floats(rows * size, 1, 5);
          std::vector<float> first;
          for (const Kernels* kernels : all_kernels()) {
            const std::vector<float> out = score(words, *kernels, in, rows, bias, count, size);
            if (has_fma(*kernels)) {
              if (first.empty()) first = out;
              ASSERT_EQ(out, first) << kernels->name << ", " << count << " words of " << size << ", type " << type;
            }
            for (int64_t r = 0; r < rows; ++r) {
              for (int64_t w = 0; w < count; ++w) {
                double expected = static_cast<double>(bias[static_cast<size_t>(w)]), weights = 0;
                for (int64_t i = 0; i < size; ++i) {
                  const double weight = static_cast<double>(held[static_cast<size_t>(w * size + i)]);
                  expected += weight * static_cast<double>(in[static_cast<size_t>(r * size + i)]);
                  weights += std::fabs(weight);
                }
                // Inputs lie between -1 and 1; for int8 each is off by at most half a step.
                const double slack = (type == LFFN_DTYPE_INT8 ? 1.002 / 254 : 1e-6) * weights + 1e-6;
                ASSERT_NEAR(out[static_cast<size_t>(r * count + w)], expected, slack)
                    << kernels->name << ", " << count << " words of " << size << ", type " << type;
              }
            }
          }
        }
      }
    }
  }
}

TEST(Words, SavedAndReadAgainAreTheSame) {
  const Stored stored(37, 50);
  for (const int32_t type : kTypes) {
    const WordMatrix words(stored.view, nullptr, type);
    std::vector<TensorView> tensors;
    std::vector<Memory> memory;
    words.add_stored("words", tensors, memory);
    ASSERT_EQ(tensors.size(), type == LFFN_DTYPE_INT8 ? 2u : 1u);
    size_t bytes = 0;
    for (const TensorView& tensor : tensors) bytes += tensor.size;
    EXPECT_EQ(static_cast<int64_t>(bytes), words.stored_bytes());
    const WordMatrix again(tensors[0], type == LFFN_DTYPE_INT8 ? &tensors[1] : nullptr, LFFN_DTYPE_AS_STORED);
    EXPECT_EQ(again.dtype(), type);
    EXPECT_EQ(read_all(again, 37, 50), read_all(words, 37, 50));
  }
}

TEST(Words, RowsWithoutNumbersStayInTheirRow) {
  const Stored stored(20, 30);
  const std::vector<float> bias(32, 0.0f), sound = random_floats(90, 1, 6);
  std::vector<float> in = sound;
  in[31] = std::nanf("");
  for (const int32_t type : kTypes) {
    const WordMatrix words(stored.view, nullptr, type);
    for (const Kernels* kernels : all_kernels()) {
      const std::vector<float> out = score(words, *kernels, in, 3, bias, 20, 30);
      const std::vector<float> expected = score(words, *kernels, sound, 3, bias, 20, 30);
      for (size_t i = 0; i < 60; ++i) {
        if (i / 20 == 1) {
          EXPECT_TRUE(std::isnan(out[i])) << kernels->name;
        } else {
          EXPECT_EQ(out[i], expected[i]) << kernels->name;
        }
      }
    }
  }
}

// What is finite in a file stays finite, whatever it is held as.
TEST(Words, HugeScalesGiveNoInfinities) {
  const int8_t integers[] = {-128, -1, 0, 1, 127, 2};
  const float scales[] = {std::numeric_limits<float>::max(), 1e38f};
  TensorView view;
  view.dtype = DType::kI8;
  view.shape = {2, 3};
  view.data = reinterpret_cast<const uint8_t*>(integers);
  view.size = sizeof integers;
  const TensorView scale = view_of("scale", DType::kF32, {2}, scales);
  for (const int32_t type : {LFFN_DTYPE_F32, LFFN_DTYPE_BF16}) {
    for (const float value : read_all(WordMatrix(view, &scale, type), 2, 3)) EXPECT_TRUE(std::isfinite(value)) << type;
  }
}

}  // namespace
}  // namespace lffn
