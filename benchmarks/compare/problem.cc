// SPDX-License-Identifier: Apache-2.0
#include "problem.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "lookup_weights.h"

namespace compare {

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      // The paper's.
      {"d512", 512, 2048, 128, 8, 64, false, true, {1, 16, 64, 256, 512, 1024, 4096, 32768}},
      // Small tables, as all-MiniLM-L6-v2 is distilled to.
      {"d384", 384, 1536, 128, 4, 64, true, true, {1, 16, 64, 256, 512, 1024, 4096}},
      // RoBERTa-base.
      {"d768", 768, 3072, 170, 9, 64, false, false, {1, 64, 512, 4096}},
      {"linear-384x384", 384, 384, 0, 0, 0, false, false, {16, 64, 256, 1024, 4096}},
      {"linear-512x512", 512, 512, 0, 0, 0, false, true, {16, 64, 256, 1024, 4096}},
      {"linear-384x1536", 384, 1536, 0, 0, 0, false, false, {16, 64, 256, 1024, 4096}},
  };
  return all;
}

void fill_normal(float* out, int64_t n, double deviation, uint64_t seed) {
  uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
  auto uniform = [&state] {  // splitmix64
    uint64_t v = state += 0x9E3779B97F4A7C15u;
    v = (v ^ (v >> 30)) * 0xBF58476D1CE4E5B9u;
    v = (v ^ (v >> 27)) * 0x94D049BB133111EBu;
    return (static_cast<double>((v ^ (v >> 31)) >> 11) + 0.5) * 0x1p-53;
  };
  for (int64_t i = 0; i < n; i += 2) {  // Box-Muller
    const double radius = deviation * std::sqrt(-2 * std::log(uniform()));
    const double angle = 2 * M_PI * uniform();
    out[i] = static_cast<float>(radius * std::cos(angle));
    if (i + 1 < n) out[i + 1] = static_cast<float>(radius * std::sin(angle));
  }
}

Problem::Problem(const Shape& shape, int64_t max_batch)
    : shape_(shape), max_batch_(max_batch), pool_tokens_(std::max<int64_t>(max_batch, 4096)) {
  const int64_t d = shape.d, t = shape.t;
  bytes_ = sizeof(float) * static_cast<size_t>(2 * d * t + t + d + pool_tokens_ * d + max_batch_ * shape.out_columns());
  char name[] = "/dev/shm/lffn-compare-XXXXXX";
  const int fd = mkstemp(name);
  if (fd < 0 || ftruncate(fd, static_cast<off_t>(bytes_)) != 0)
    throw std::runtime_error("cannot make a file in /dev/shm");
  file_ = name;
  void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (memory == MAP_FAILED) {
    unlink(name);
    throw std::runtime_error("cannot map " + file_);
  }
  base_ = static_cast<float*>(memory);
  fill_normal(w1(), t * d, 1 / std::sqrt(static_cast<double>(d)), 1);
  fill_normal(b1(), t, 0.1, 2);
  fill_normal(w2(), t * d, 1 / std::sqrt(static_cast<double>(t)), 3);
  fill_normal(b2(), d, 0.1, 4);
  fill_normal(x(), pool_tokens_ * d, 1, 5);
}

Problem::~Problem() {
  munmap(base_, bytes_);
  unlink(file_.c_str());
}

const LookupWeights& Problem::lookup_weights() {
  if (lookup_weights_ == nullptr) lookup_weights_ = std::make_unique<LookupWeights>(shape_);
  return *lookup_weights_;
}

}  // namespace compare
