// SPDX-License-Identifier: Apache-2.0
#include "bench_dense.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "random_tokens.h"
#include "runtime/threads.h"

namespace lffn::tools {
namespace {

constexpr int64_t kChunkTokens = 192;  // their inputs to one block of a product stay in the L2 cache
constexpr int64_t kBlockInputs = 128;  // weights of a panel that stay in the L1 cache

typedef float Float4 __attribute__((vector_size(16)));
typedef float Float8 __attribute__((vector_size(32)));
typedef float Float16 __attribute__((vector_size(64)));
template <int Lanes>
struct VectorOf;
template <>
struct VectorOf<4> {
  using Type = Float4;
};
template <>
struct VectorOf<8> {
  using Type = Float8;
};
template <>
struct VectorOf<16> {
  using Type = Float16;
};

int64_t panels(int64_t size, int64_t width) { return (size + width - 1) / width; }

// sums[rows, 2 vectors] of inputs[depth][Rows] and a panel of weights [depth][2 vectors], added to what is there unless
// this is the first block.
template <int Lanes, int Rows>
[[gnu::always_inline]] inline void product_tile(const float* inputs, const float* weights, int64_t depth, bool first,
                                                float* sums, int64_t stride) {
  using Vector = typename VectorOf<Lanes>::Type;
  constexpr size_t kBytes = sizeof(Vector);  // memcpy reads and writes rows, which need not be aligned
  Vector tile[Rows][2];
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
    Vector left = {}, right = {};
    if (!first) {
      std::memcpy(&left, sums + r * stride, kBytes);
      std::memcpy(&right, sums + r * stride + Lanes, kBytes);
    }
    tile[r][0] = left;
    tile[r][1] = right;
  }
  for (int64_t k = 0; k < depth; ++k) {
    Vector left, right;
    std::memcpy(&left, weights + k * 2 * Lanes, kBytes);
    std::memcpy(&right, weights + k * 2 * Lanes + Lanes, kBytes);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      const float input = inputs[k * Rows + r];
      tile[r][0] += input * left;
      tile[r][1] += input * right;
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
    const Vector left = tile[r][0], right = tile[r][1];
    std::memcpy(sums + r * stride, &left, kBytes);
    std::memcpy(sums + r * stride + Lanes, &right, kBytes);
  }
}

template <int Rows>
[[gnu::always_inline]] inline void pack_inputs(const float* x, int64_t stride, int64_t rows, int64_t depth,
                                               float* packed) {
  for (int64_t k = 0; k < depth; ++k) {
    for (int64_t r = 0; r < Rows; ++r) packed[k * Rows + r] = r < rows ? x[r * stride + k] : 0.0f;
  }
}

// sums[tokens, panels of outputs] = x[tokens, inputs] * weights. Room for whole tiles of rows is needed in sums.
template <int Lanes, int Rows>
[[gnu::always_inline]] inline void product(const float* x, int64_t x_stride, int64_t tokens, int64_t inputs,
                                           const float* weights, int64_t num_panels, float* packed, float* sums) {
  constexpr int64_t kWidth = 2 * Lanes;
  const int64_t stride = num_panels * kWidth;
  for (int64_t k = 0; k < inputs; k += kBlockInputs) {
    const int64_t depth = std::min(kBlockInputs, inputs - k);
    for (int64_t t = 0; t < tokens; t += Rows) {
      pack_inputs<Rows>(x + t * x_stride + k, x_stride, std::min<int64_t>(Rows, tokens - t), depth, packed + t * depth);
    }
    for (int64_t p = 0; p < num_panels; ++p) {
      const float* panel = weights + (p * inputs + k) * kWidth;
      for (int64_t t = 0; t < tokens; t += Rows) {
        product_tile<Lanes, Rows>(packed + t * depth, panel, depth, k == 0, sums + t * stride + p * kWidth, stride);
      }
    }
  }
}

// Adds the bias, then applies GELU with the erf of Abramowitz and Stegun 7.1.28, which is off by at most 3e-7.
[[gnu::always_inline]] inline void bias_gelu(float* v, const float* bias, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float x = v[i] + bias[i];
    const float a = std::fabs(x) * 0.707106781f;
    float p = 4.30638e-5f;
    p = p * a + 2.765672e-4f;
    p = p * a + 1.520143e-4f;
    p = p * a + 9.2705272e-3f;
    p = p * a + 4.22820123e-2f;
    p = p * a + 7.05230784e-2f;
    p = p * a + 1.0f;
    p *= p;
    p *= p;
    p *= p;
    p *= p;
    const float erf = 1.0f - 1.0f / p;
    v[i] = 0.5f * (x + std::fabs(x) * erf);
  }
}

struct Part {
  const float* x;
  float* y;
  int64_t tokens, hidden, intermediate;
  const float *panels1, *b1, *panels2, *b2;
};

template <int Lanes, int Rows>
[[gnu::always_inline]] inline void ffn_rows(const Part& part, float* packed, float* middle, float* sums) {
  constexpr int64_t kWidth = 2 * Lanes;
  const int64_t panels1 = panels(part.intermediate, kWidth), panels2 = panels(part.hidden, kWidth);
  product<Lanes, Rows>(part.x, part.hidden, part.tokens, part.hidden, part.panels1, panels1, packed, middle);
  for (int64_t t = 0; t < part.tokens; ++t) bias_gelu(middle + t * panels1 * kWidth, part.b1, part.intermediate);
  product<Lanes, Rows>(middle, panels1 * kWidth, part.tokens, part.intermediate, part.panels2, panels2, packed, sums);
  for (int64_t t = 0; t < part.tokens; ++t) {
    for (int64_t i = 0; i < part.hidden; ++i) {
      part.y[t * part.hidden + i] = sums[t * panels2 * kWidth + i] + part.b2[i];
    }
  }
}

// Up to kChunkTokens tokens; few of them do not fill a tile.
template <int Lanes, int Rows>
[[gnu::always_inline]] inline void ffn(const Part& part, float* packed, float* middle, float* sums) {
  if (part.tokens < Rows / 2) {
    ffn_rows<Lanes, 1>(part, packed, middle, sums);
  } else {
    ffn_rows<Lanes, Rows>(part, packed, middle, sums);
  }
}

// Rows * 2 sums and two weights fill the vector registers: 32 of AVX-512 and NEON, 16 of the others.
#if defined(__x86_64__)
__attribute__((target("avx512f,avx512dq,avx512vl,avx512bw"))) void ffn_avx512(const Part& part, float* packed,
                                                                              float* middle, float* sums) {
  ffn<16, 12>(part, packed, middle, sums);
}
__attribute__((target("avx2,fma"))) void ffn_avx2(const Part& part, float* packed, float* middle, float* sums) {
  ffn<8, 6>(part, packed, middle, sums);
}
void ffn_baseline(const Part& part, float* packed, float* middle, float* sums) {
  ffn<4, 6>(part, packed, middle, sums);
}
#else
void ffn_baseline(const Part& part, float* packed, float* middle, float* sums) {
  ffn<4, 12>(part, packed, middle, sums);
}
#endif

std::vector<float> make_panels(const std::vector<float>& weights, int64_t inputs, int64_t outputs, int64_t width) {
  std::vector<float> result(static_cast<size_t>(panels(outputs, width) * inputs * width));
  for (int64_t k = 0; k < inputs; ++k) {
    for (int64_t o = 0; o < outputs; ++o) {
      result[static_cast<size_t>((o / width * inputs + k) * width + o % width)] =
          weights[static_cast<size_t>(k * outputs + o)];
    }
  }
  return result;
}

}  // namespace

struct DenseFfn::Version {
  const char* name;
  int64_t width;  // of a panel
  int64_t rows;   // of a tile
  void (*run)(const Part& part, float* packed, float* middle, float* sums);
};

namespace {

std::vector<const DenseFfn::Version*> usable_versions() {
#if defined(__x86_64__)
  static const DenseFfn::Version baseline = {"baseline", 8, 6, ffn_baseline};
  static const DenseFfn::Version avx2 = {"avx2", 16, 6, ffn_avx2};
  static const DenseFfn::Version avx512 = {"avx512", 32, 12, ffn_avx512};
  std::vector<const DenseFfn::Version*> result = {&baseline};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) result.push_back(&avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw")) {
    result.push_back(&avx512);
  }
  return result;
#else
  static const DenseFfn::Version baseline = {"baseline", 8, 12, ffn_baseline};
  return {&baseline};
#endif
}

}  // namespace

std::vector<std::string> dense_versions() {
  std::vector<std::string> names;
  for (const DenseFfn::Version* version : usable_versions()) names.emplace_back(version->name);
  return names;
}

DenseFfn::DenseFfn(int64_t hidden_size, int64_t intermediate_size, const std::string& version)
    : hidden_(hidden_size), intermediate_(intermediate_size), version_(nullptr) {
  for (const Version* usable : usable_versions()) {
    if (version == usable->name) version_ = usable;
  }
  if (version_ == nullptr) throw std::invalid_argument(version + ": this build has no such version of the vanilla FFN");
  const auto deviation = [](int64_t inputs) { return 1.0f / std::sqrt(static_cast<float>(inputs)); };
  w1_ = normal_numbers(hidden_ * intermediate_, deviation(hidden_), 1);
  b1_ = normal_numbers(intermediate_, 0.1f, 2);
  w2_ = normal_numbers(intermediate_ * hidden_, deviation(intermediate_), 3);
  b2_ = normal_numbers(hidden_, 0.1f, 4);
  panels1_ = make_panels(w1_, hidden_, intermediate_, version_->width);
  panels2_ = make_panels(w2_, intermediate_, hidden_, version_->width);
}

void DenseFfn::forward(const float* x, int64_t num_tokens, int32_t num_threads, float* y) const {
  if (num_tokens == 0) return;
  const int64_t rows = version_->rows, width = version_->width;
  const int64_t share = panels(panels(num_tokens, num_threads), rows) * rows;
  const int64_t chunk = std::min(share, kChunkTokens);
  const int64_t room1 = panels(intermediate_, width) * width, room2 = panels(hidden_, width) * width;
  parallel_for(panels(num_tokens, chunk), num_threads, [&](int64_t item, int32_t) {
    // Kept from call to call, so that no timing includes page faults.
    thread_local std::vector<float> packed, middle, sums;
    packed.resize(static_cast<size_t>(chunk * kBlockInputs));
    middle.resize(static_cast<size_t>(chunk * room1));
    sums.resize(static_cast<size_t>(chunk * room2));
    const int64_t first = item * chunk;
    const Part part = {x + first * hidden_,
                       y + first * hidden_,
                       std::min(chunk, num_tokens - first),
                       hidden_,
                       intermediate_,
                       panels1_.data(),
                       b1_.data(),
                       panels2_.data(),
                       b2_.data()};
    version_->run(part, packed.data(), middle.data(), sums.data());
  });
}

}  // namespace lffn::tools
