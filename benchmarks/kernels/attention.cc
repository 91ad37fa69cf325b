// SPDX-License-Identifier: Apache-2.0
// Attention itself in floats and in whole numbers: microseconds a token and layer on one thread, in turns, and the
// median of the turns' ratios.
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "kernels/kernels.h"
#include "runtime/memory.h"

namespace {

using lffn::Memory;

double thread_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> numbers) {
  std::nth_element(numbers.begin(), numbers.begin() + static_cast<int64_t>(numbers.size() / 2), numbers.end());
  return numbers[numbers.size() / 2];
}

// As many texts of a length as a batch of a model has, with queries, keys and values of all heads side by side.
class Texts {
 public:
  Texts(int64_t length, int64_t heads, int64_t head_size)
      : length_(length), texts_(std::max<int64_t>(1, 128 / length)), heads_(heads), head_size_(head_size) {
    const int64_t a = heads * head_size;
    stride_ = 3 * a + 16;
    in_ = Memory(static_cast<size_t>(tokens() * stride_) * sizeof(float));
    out_ = Memory(static_cast<size_t>(tokens() * a) * sizeof(float));
    std::mt19937 random(1);
    std::normal_distribution<float> draw(0.0f, 1.3f);
    for (int64_t i = 0; i < tokens() * stride_; ++i) in_.as<float>()[i] = draw(random);
    const lffn::Kernels& kernels = lffn::kernels();
    scratch_ = Memory(
        std::max(kernels.attention_scratch(length, head_size, 0), kernels.attention_int8_scratch(length, head_size)));
  }
  int64_t tokens() const { return length_ * texts_; }

  void attend(bool int8) const {
    const int64_t a = heads_ * head_size_;
    for (int64_t text = 0; text < texts_; ++text) {
      for (int64_t head = 0; head < heads_; ++head) {
        lffn::AttentionPlan plan = {};
        plan.queries = in_.as<float>() + text * length_ * stride_ + head * head_size_;
        plan.keys = plan.queries + a;
        plan.values = plan.keys + a;
        plan.stride = stride_;
        plan.num_queries = plan.num_keys = length_;
        plan.head_size = head_size_;
        plan.scale = 1 / std::sqrt(static_cast<float>(head_size_));
        plan.out = out_.as<float>() + text * length_ * a + head * head_size_;
        plan.out_stride = a;
        int8 ? lffn::kernels().attend_int8(plan, scratch_.data()) : lffn::kernels().attend(plan, scratch_.data());
      }
    }
  }
  // Microseconds a token.
  double time(bool int8) const {
    constexpr double kSeconds = 0.002;
    int64_t times = 0;
    const double start = thread_seconds();
    double now = start;
    for (; now < start + kSeconds; ++times, now = thread_seconds()) attend(int8);
    return (now - start) * 1e6 / static_cast<double>(times * tokens());
  }

 private:
  int64_t length_, texts_, heads_, head_size_, stride_;
  Memory in_, out_, scratch_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc > 4) {
    std::fprintf(stderr, "usage: %s [TURNS] [HEADS] [HEAD SIZE]\n", argv[0]);
    return 2;
  }
  const int turns = argc > 1 ? std::atoi(argv[1]) : 51;
  const int64_t heads = argc > 2 ? std::atoi(argv[2]) : 12, head_size = argc > 3 ? std::atoi(argv[3]) : 32;
  std::printf("%s\ntokens   float32    int8   ratio\n", lffn::kernels().name);
  for (const int64_t length : {8, 16, 32, 64, 128, 256, 512, 2048}) {
    const Texts texts(length, heads, head_size);
    std::vector<double> floats, bytes, ratios;
    for (int turn = 0; turn < turns; ++turn) {
      floats.push_back(texts.time(false));
      bytes.push_back(texts.time(true));
      ratios.push_back(floats.back() / bytes.back());
    }
    std::printf("%6lld %9.2f %7.2f %7.2f\n", static_cast<long long>(length), median(floats), median(bytes),
                median(ratios));
  }
  return 0;
}
