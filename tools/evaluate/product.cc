// SPDX-License-Identifier: Apache-2.0
#include "evaluate/product.h"

#include <cstring>
#include <stdexcept>

namespace lffn::tools {
namespace {

typedef float Row16 __attribute__((vector_size(64)));  // in as many registers as the processor needs for it
static_assert(sizeof(Row16) == kPanelWidth * sizeof(float));

// A tile of rows whose sums stay in registers.
template <int Rows>
[[gnu::always_inline]] inline void tile_product(const float* left, Strides strides, const float* panel, size_t depth,
                                                float* out, size_t out_row) {
  Row16 sums[Rows] = {};
  for (size_t k = 0; k < depth; ++k) {
    Row16 right;
    std::memcpy(&right, panel + k * kPanelWidth, sizeof right);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      sums[r] += left[static_cast<size_t>(r) * strides.row + k * strides.column] * right;
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) std::memcpy(out + static_cast<size_t>(r) * out_row, &sums[r], sizeof sums[r]);
}

template <int Rows>
[[gnu::always_inline]] inline void product(const float* left, Strides strides, size_t rows, const float* panel,
                                           size_t depth, float* out, size_t out_row) {
  size_t m = 0;
  for (; m + Rows <= rows; m += Rows) {
    tile_product<Rows>(left + m * strides.row, strides, panel, depth, out + m * out_row, out_row);
  }
  for (; m < rows; ++m) {
    tile_product<1>(left + m * strides.row, strides, panel, depth, out + m * out_row, out_row);
  }
}

// Vector registers: 32 of 16 floats, 16 of 8, 16 of 4.
#if defined(__x86_64__)
__attribute__((target("avx512f"))) void product_avx512(const float* left, Strides strides, size_t rows,
                                                       const float* panel, size_t depth, float* out, size_t out_row) {
  product<12>(left, strides, rows, panel, depth, out, out_row);
}
__attribute__((target("avx2"))) void product_avx2(const float* left, Strides strides, size_t rows, const float* panel,
                                                  size_t depth, float* out, size_t out_row) {
  product<6>(left, strides, rows, panel, depth, out, out_row);
}
#endif
void product_baseline(const float* left, Strides strides, size_t rows, const float* panel, size_t depth, float* out,
                      size_t out_row) {
  product<3>(left, strides, rows, panel, depth, out, out_row);
}

struct Kernel {
  const char* name;
  void (*run)(const float* left, Strides strides, size_t rows, const float* panel, size_t depth, float* out,
              size_t out_row);
};

std::vector<Kernel> usable_kernels() {
  std::vector<Kernel> kernels = {{"baseline", product_baseline}};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) kernels.push_back({"avx2", product_avx2});
  if (__builtin_cpu_supports("avx512f")) kernels.push_back({"avx512", product_avx512});
#endif
  return kernels;
}

}  // namespace

void panel_product(const float* left, Strides strides, size_t rows, const float* panel, size_t depth, float* out,
                   size_t out_row) {
  static const Kernel best = usable_kernels().back();
  best.run(left, strides, rows, panel, depth, out, out_row);
}

std::vector<std::string> product_kernels() {
  std::vector<std::string> names;
  for (const Kernel& kernel : usable_kernels()) names.emplace_back(kernel.name);
  return names;
}

void panel_product(const std::string& name, const float* left, Strides strides, size_t rows, const float* panel,
                   size_t depth, float* out, size_t out_row) {
  for (const Kernel& kernel : usable_kernels()) {
    if (name == kernel.name) return kernel.run(left, strides, rows, panel, depth, out, out_row);
  }
  throw std::invalid_argument(name + ": no such kernel here");
}

}  // namespace lffn::tools
