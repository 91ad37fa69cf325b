// SPDX-License-Identifier: Apache-2.0
// Products of matrices of floats, and loops over threads. Each number is summed in the same order, without fused
// multiply-adds, whatever the processor and the number of threads: the same bits everywhere.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace lffn::tools {

constexpr size_t kPanelWidth = 16;

// A matrix whose columns lie in panels: panel p holds [rows][16], with zeros beyond the last column.
class Panels {
 public:
  Panels(size_t rows, size_t columns)
      : rows_(rows), count_((columns + kPanelWidth - 1) / kPanelWidth), numbers_(rows * count_ * kPanelWidth) {}

  size_t rows() const { return rows_; }
  size_t count() const { return count_; }
  const float* panel(size_t p) const { return numbers_.data() + p * rows_ * kPanelWidth; }
  float& at(size_t row, size_t column) {
    return numbers_[(column / kPanelWidth * rows_ + row) * kPanelWidth + column % kPanelWidth];
  }

 private:
  size_t rows_, count_;
  std::vector<float> numbers_;
};

// Where the left matrix of a product lies: element (m, k) is numbers[m * row + k * column].
struct Strides {
  size_t row, column;
};

// out[m * out_row + j] = sum over k < depth of left(m, k) * panel[k * 16 + j], for m < rows and j < 16.
void panel_product(const float* left, Strides strides, size_t rows, const float* panel, size_t depth, float* out,
                   size_t out_row);

// The kernels that this processor runs, and the same product by one of them.
std::vector<std::string> product_kernels();
void panel_product(const std::string& kernel, const float* left, Strides strides, size_t rows, const float* panel,
                   size_t depth, float* out, size_t out_row);

// Calls f(0) to f(count - 1), each once, on so many threads. The first exception goes on to the caller.
template <typename F>
void parallel_for(size_t count, int32_t num_threads, F f) {
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      for (size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) f(i);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      if (failure == nullptr) failure = std::current_exception();
      next.store(count);
    }
  };
  std::vector<std::thread> helpers;
  for (size_t i = 1; i < count && helpers.size() + 1 < static_cast<size_t>(num_threads); ++i)
    helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
  if (failure != nullptr) std::rethrow_exception(failure);
}

}  // namespace lffn::tools
