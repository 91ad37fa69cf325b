// SPDX-License-Identifier: Apache-2.0
// A vanilla FFN on OpenBLAS: sgemm, our bias and GELU, sgemm.
#include <cblas.h>
#include <omp.h>

#include <algorithm>
#include <cstring>

#include "engine.h"

namespace compare {
namespace {

// Tokens whose hidden values are worked on together: fewer made the products slower, more gained nothing.
constexpr int64_t kChunk = 1024;
// From this many tokens per thread on, threads that each take some tokens beat threads that share one product.
constexpr int64_t kSplitTokens = 32;

class OpenBlasEngine : public Engine {
 public:
  OpenBlasEngine(Problem& problem, int threads)
      : w_(problem), d_(problem.shape().d), t_(problem.shape().t), threads_(threads) {
    hidden_.resize(static_cast<size_t>(kChunk * t_ * threads));
    openblas_set_num_threads(threads);
  }

  void run(const float* x, int64_t n, float* y) override {
    if (threads_ == 1 || n < kSplitTokens * threads_) {
      for (int64_t i = 0; i < n; i += kChunk) {
        chunk(x + i * d_, std::min(kChunk, n - i), y + i * d_, hidden_.data(), threads_);
      }
      return;
    }
    // Inside a parallel region OpenBLAS (in its OpenMP build) computes each product in the thread that asks for it.
#pragma omp parallel num_threads(threads_)
    {
      const int64_t per = std::min(kChunk, (n + threads_ - 1) / threads_);
      float* hidden = hidden_.data() + omp_get_thread_num() * kChunk * t_;
#pragma omp for schedule(static)
      for (int64_t i = 0; i < n; i += per) chunk(x + i * d_, std::min(per, n - i), y + i * d_, hidden, 1);
    }
  }

 private:
  void chunk(const float* x, int64_t n, float* y, float* hidden, int threads) const {
    const int d = static_cast<int>(d_), t = static_cast<int>(t_), rows = static_cast<int>(n);
    if (n == 1) {
      cblas_sgemv(CblasRowMajor, CblasNoTrans, t, d, 1, w_.w1(), d, x, 1, 0, hidden, 1);
    } else {
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, t, d, 1, x, d, w_.w1(), d, 0, hidden, t);
    }
    if (threads == 1 || n < threads) {
      for (int64_t i = 0; i < n; ++i) activate(hidden, y, i);
    } else {
#pragma omp parallel for num_threads(threads) schedule(static)
      for (int64_t i = 0; i < n; ++i) activate(hidden, y, i);
    }
    if (n == 1) {
      cblas_sgemv(CblasRowMajor, CblasNoTrans, d, t, 1, w_.w2(), t, hidden, 1, 1, y, 1);
    } else {
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, d, t, 1, hidden, t, w_.w2(), t, 1, y, d);
    }
  }

  void activate(float* hidden, float* y, int64_t i) const {
    add_bias_gelu(hidden + i * t_, w_.b1(), t_);
    std::memcpy(y + i * d_, w_.b2(), sizeof(float) * static_cast<size_t>(d_));
  }

  Problem& w_;
  int64_t d_, t_;
  int threads_;
  std::vector<float> hidden_;
};

}  // namespace

std::unique_ptr<Engine> make_openblas(Problem& problem, int threads, std::string*) {
  return std::make_unique<OpenBlasEngine>(problem, threads);
}

std::string openblas_version() { return openblas_get_config(); }

}  // namespace compare
