// SPDX-License-Identifier: Apache-2.0
// Linear layers of few inputs or outputs beside wide ones: what a multiplication costs in each, as a share of what it
// costs in the widest. The rows' way to bytes, which costs the same for any number of outputs, is told apart.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "kernels/kernels.h"
#include "runtime/memory.h"

namespace {

using lffn::kPanel;
using lffn::Memory;
using lffn::round_up;

constexpr int64_t kHidden = 384, kWidest = 1536;

double thread_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <typename Number>
Memory filled(int64_t count, Number (*number)(int64_t i)) {
  Memory memory(static_cast<size_t>(count) * sizeof(Number));
  for (int64_t i = 0; i < count; ++i) memory.as<Number>()[i] = number(i);
  return memory;
}
float small(int64_t i) { return static_cast<float>(i * 7919 % 1009) / 500.0f - 1.0f; }
int8_t byte(int64_t i) { return static_cast<int8_t>(i * 7919 % 251 - 125); }

class Product {
 public:
  Product(const char* name, bool int8, int64_t rows, int64_t inputs, int64_t outputs, lffn::Activation activation,
          bool add)
      : name_(name), int8_(int8), rows_(rows), inputs_(inputs), outputs_(outputs) {
    const int64_t padded = round_up(outputs, kPanel), stride = round_up(std::max(inputs, outputs), 16) + 16;
    row_cells_ = lffn::kRowHeader + round_up((inputs + 1) / 2, 16);
    in_ = filled<float>(rows * stride, small);
    out_ = filled<float>(rows * stride, small);
    floats_ = filled<float>(2 * padded, small);
    sums_ = Memory(static_cast<size_t>(padded) * sizeof(int32_t));
    std::fill_n(sums_.as<int32_t>(), padded, 0);
    packed_ = Memory(static_cast<size_t>(rows * row_cells_) * sizeof(int32_t));
    weights_ = int8 ? filled<int8_t>(padded * round_up(inputs, 4), byte) : filled<float>(padded * inputs, small);
    lffn::LinearPlan& plan = plan_.linear;
    plan.in = in_.as<float>();
    plan.in_stride = plan.out_stride = stride;
    plan.rows = rows;
    plan.inputs = inputs;
    plan.weights = weights_.as<float>();
    plan.bias = floats_.as<float>();
    plan.outputs = outputs;
    plan.activation = activation;
    plan.add = add;
    plan.out = out_.as<float>();
    plan_.in = packed_.as<int32_t>();
    plan_.in_stride = row_cells_;
    plan_.weights = weights_.as<int8_t>();
    plan_.weight_scales = floats_.as<float>() + padded;
    plan_.weight_sums = sums_.as<int32_t>();
    plan_.sums_stride = padded;
    quantise();
  }

  void quantise() const {
    if (!int8_) return;
    lffn::kernels().quantise_rows(in_.as<float>(), plan_.linear.in_stride, rows_, inputs_, packed_.as<int32_t>(),
                                  row_cells_, lffn::RowBits::kEight);
  }
  void multiply() const { int8_ ? lffn::kernels().linear_int8(plan_) : lffn::kernels().linear(plan_.linear); }

  // What each takes, the least of several turns.
  void time() {
    const auto least = [](double& so_far, const std::function<void()>& action, int64_t times) {
      const double start = thread_seconds();
      for (int64_t i = 0; i < times; ++i) action();
      so_far = std::min(so_far, (thread_seconds() - start) / static_cast<double>(times));
    };
    const int64_t times = std::max<int64_t>(1, (int64_t{40} << 20) / (rows_ * inputs_ * outputs_));
    least(
        multiply_, [&] { multiply(); }, times);
    least(
        quantise_, [&] { quantise(); }, times);
  }
  double multiplications() const { return static_cast<double>(rows_ * inputs_ * outputs_); }
  void print(const Product& widest) const {
    const double rate = widest.multiply_ / widest.multiplications();
    const double all = (widest.multiply_ + widest.quantise_) / widest.multiplications();
    const double per_row = 1e9 / static_cast<double>(rows_);
    std::printf("%-5s %-4s %5lld %5lld %5lld %9.1f %9.1f %9.2f %9.2f\n", name_.c_str(), int8_ ? "int8" : "f32",
                static_cast<long long>(rows_), static_cast<long long>(inputs_), static_cast<long long>(outputs_),
                multiply_ * per_row, quantise_ * per_row, multiply_ / multiplications() / rate,
                (multiply_ + quantise_) / multiplications() / all);
  }

 private:
  std::string name_;
  bool int8_;
  int64_t rows_, inputs_, outputs_, row_cells_ = 0;
  double multiply_ = 1e9, quantise_ = 1e9;
  Memory in_, out_, floats_, sums_, packed_, weights_;
  lffn::LinearInt8Plan plan_ = {};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2) {
    std::fprintf(stderr, "usage: %s [TURNS]\n", argv[0]);
    return 2;
  }
  const int turns = argc == 2 ? std::atoi(argv[1]) : 30;
  std::printf("%s\npart  type  rows    in   out    ns/row  quant/row     share   with it\n", lffn::kernels().name);
  for (const bool int8 : {true, false}) {
    for (const int64_t rows : {int64_t{16}, lffn::kLinearRows}) {
      for (const char* name : {"up", "down", "qkv", "out"}) {
        const std::string part = name;
        const bool attention = part == "qkv" || part == "out", from_hidden = part == "up" || part == "qkv";
        // The widest comes first.
        const std::vector<int64_t> sizes = attention
                                               ? std::vector<int64_t>{12, 1, 2, 4, 6, 8}
                                               : std::vector<int64_t>{kWidest, 64, 96, 128, 192, 256, 384, 512, 768};
        std::vector<Product> products;
        for (const int64_t size : sizes) {
          const int64_t narrow = attention ? size * 32 * (from_hidden ? 3 : 1) : size;
          products.emplace_back(name, int8, rows, from_hidden ? kHidden : narrow, from_hidden ? narrow : kHidden,
                                part == "up" ? lffn::Activation::kGelu : lffn::Activation::kNone, !from_hidden);
        }
        for (int turn = 0; turn < turns; ++turn) {
          for (Product& product : products) product.time();
        }
        for (const Product& product : products) product.print(products.front());
      }
    }
  }
  return 0;
}
