// SPDX-License-Identifier: Apache-2.0
// What skipping inner neurons gives on a CPU: a vanilla FFN, one that runs as SLIDE and MONGOOSE do, and LookupFFNs, in
// microseconds per token by one thread, medians of interleaved rounds.
//
//     bench-sparse-ffn [ROUNDS]
//
// A token runs those neurons that share a bucket with it in one of several hash tables. MONGOOSE's tables are SLIDE's
// with learned hyperplanes: a call does the same. Each neuron's weights lie whole, both those into and those out of it.
#include <lookupffn/lookupffn.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ffns.h"

namespace {

constexpr int kTokens = 4096;

float dot(const float* a, const float* b) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < kSize; ++i) sum += a[i] * b[i];
  return sum;
}

class Slide {
 public:
  Slide(int tables, int bits)
      : tables_(tables),
        bits_(bits),
        planes_(normal(static_cast<size_t>(tables * bits) * kSize, 1)),
        up_(normal(size_t{kInner} * kSize, 0.04f)),
        down_(up_),
        buckets_(static_cast<size_t>(tables) << bits),
        last_seen_(kInner, 0) {
    for (int neuron = 0; neuron < kInner; ++neuron) {
      const float* weights = up_.data() + static_cast<size_t>(neuron) * kSize;
      for (int table = 0; table < tables_; ++table) buckets_[bucket(table, weights)].push_back(neuron);
    }
  }

  void forward(const float* x, int64_t tokens, float* y) {
    for (int64_t token = 0; token < tokens; ++token, x += kSize, y += kSize) {
      std::fill(y, y + kSize, 0.0f);
      ++now_;
      ++tokens_;
      for (int table = 0; table < tables_; ++table) {
        for (const int neuron : buckets_[bucket(table, x)]) {
          if (last_seen_[static_cast<size_t>(neuron)] == now_) continue;
          last_seen_[static_cast<size_t>(neuron)] = now_;
          ++run_;
          add(static_cast<size_t>(neuron) * kSize, x, y);
        }
      }
    }
  }

  double share() const { return static_cast<double>(run_) / static_cast<double>(tokens_) / kInner; }

 private:
  size_t bucket(int table, const float* of) const {
    size_t code = 0;
    for (int bit = 0; bit < bits_; ++bit) {
      const float* plane = planes_.data() + static_cast<size_t>(table * bits_ + bit) * kSize;
      code = code << 1 | (dot(plane, of) > 0 ? 1u : 0u);
    }
    return (static_cast<size_t>(table) << bits_) + code;
  }
  void add(size_t row, const float* x, float* y) const {
    const float in = dot(up_.data() + row, x);
    const float weight = in * 0.5f * std::erfc(in * -0.70710678f);
    const float* out = down_.data() + row;
#pragma omp simd
    for (int i = 0; i < kSize; ++i) y[i] += weight * out[i];
  }

  int tables_, bits_;
  std::vector<float> planes_, up_, down_;
  std::vector<std::vector<int>> buckets_;
  std::vector<uint64_t> last_seen_;
  uint64_t now_ = 0;
  int64_t tokens_ = 0, run_ = 0;
};

struct Row {
  std::string name;
  std::function<void(const float* x, int64_t tokens, float* y)> forward;
  std::function<std::string()> share;
};

std::vector<Row> rows() {
  std::vector<Row> rows;
  const auto vanilla = std::make_shared<Vanilla>();
  rows.push_back({"vanilla", [vanilla](auto... call) { vanilla->forward(call...); }, [] { return "1"; }});
  for (const auto& [tables, bits] : {std::pair{4, 4}, std::pair{4, 6}, std::pair{4, 8}, std::pair{16, 8}}) {
    const auto slide = std::make_shared<Slide>(tables, bits);
    rows.push_back({std::to_string(tables) + " tables of " + std::to_string(bits) + " bits",
                    [slide](auto... call) { slide->forward(call...); },
                    [slide] {
                      char text[32];
                      std::snprintf(text, sizeof text, "%.3f", slide->share());
                      return std::string(text);
                    }});
  }
  for (const bool int8 : {false, true}) {
    const std::shared_ptr<lffn_layer> layer(lookup(int8), lffn_layer_free);
    rows.push_back({int8 ? "lookup, int8" : "lookup, float32",
                    [layer](const float* x, int64_t tokens, float* y) {
                      if (lffn_layer_forward(layer.get(), x, tokens, y) != LFFN_OK) std::exit(1);
                    },
                    [] { return "-"; }});
  }
  return rows;
}

// All tokens once, in calls of so many.
double microseconds(const Row& row, const std::vector<float>& x, int64_t tokens, std::vector<float>& y) {
  const auto start = std::chrono::steady_clock::now();
  for (int64_t first = 0; first + tokens <= kTokens; first += tokens) {
    row.forward(x.data() + first * kSize, tokens, y.data());
  }
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / kTokens;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 7;
  const std::vector<float> x = normal(size_t{kTokens} * kSize, 1);
  std::vector<float> y(size_t{256} * kSize);
  const std::vector<Row> all = rows();
  const int64_t sizes[] = {1, 16, 256};
  std::vector<std::vector<double>> times(all.size() * 3);
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < times.size(); ++i) {
      times[i].push_back(microseconds(all[i / 3], x, sizes[i % 3], y));
    }
  }
  std::printf("| FFN | share of neurons | 1 token a call | 16 | 256 |\n|---|---|---|---|---|\n");
  for (size_t i = 0; i < all.size(); ++i) {
    std::printf("| %s | %s |", all[i].name.c_str(), all[i].share().c_str());
    for (size_t size = 0; size < 3; ++size) {
      std::vector<double>& of = times[i * 3 + size];
      std::nth_element(of.begin(), of.begin() + rounds / 2, of.end());
      std::printf(" %.1f |", of[static_cast<size_t>(rounds / 2)]);
    }
    std::printf("\n");
  }
  return 0;
}
