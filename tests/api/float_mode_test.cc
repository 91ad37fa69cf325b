// SPDX-License-Identifier: Apache-2.0
// Results do not depend on how the host does float arithmetic, and its mode is as before after each call.
#include <gtest/gtest.h>

#include <cfenv>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "lookupffn/lookupffn.hpp"
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace {

using Floats = std::vector<float>;

// What a host may have set, and how to tell that it still is.
struct Mode {
  const char* name;
  void (*set)();
};

#if defined(__SSE__)
constexpr unsigned kFlush = 0x8040;         // denormals in and out are zero
constexpr unsigned kTrapInvalid = 1u << 7;  // masked unless cleared
unsigned mode_now() { return _mm_getcsr() & ~0x3fu; }
#else
int mode_now() { return std::fegetround(); }
#endif

const Mode kModes[] = {
    {"upward", [] { std::fesetround(FE_UPWARD); }},
    {"towards zero", [] { std::fesetround(FE_TOWARDZERO); }},
#if defined(__SSE__)
    {"denormals are zero", [] { _mm_setcsr(_mm_getcsr() | kFlush); }},
    {"invalid operations trap", [] { _mm_setcsr(_mm_getcsr() & ~kTrapInvalid); }},
#endif
};

// A layer without biases, so that denormal inputs decide codes, and inputs with some and a NaN.
struct Case {
  lookupffn::LayerConfig config;
  Floats x, hash_weight, tables, zeros;

  Case() {
    config.hidden_size = 48;
    config.num_tables = 24;
    config.table_size = 16;
    config.projection = LFFN_PROJECTION_DENSE;
    config.layer_norm = 0;
    const auto number = [](int i) { return static_cast<float>((i * 7919) % 1009 - 504) / 300.0f; };
    for (int i = 0; i < 48 * 70; ++i) x.push_back(i < 48 * 35 ? number(i) : number(i) * 1e-39f);
    x[3] = std::numeric_limits<float>::quiet_NaN();
    for (int i = 0; i < 96 * 48; ++i) hash_weight.push_back(number(i + 5));
    for (int i = 0; i < 24 * 16 * 48; ++i) tables.push_back(number(i + 11));
    zeros.resize(96);
  }
  // Made and run in the mode that holds: what is added up, and the codes.
  Floats run(const lookupffn::LoadOptions& options) const {
    const std::vector<lookupffn::Tensor> tensors = {
        {"hash.projection.weight", hash_weight, {96, 48}},
        {"hash.projection.bias", zeros, {96}},
        {"tables", tables, {24, 16, 48}},
        {"bias", lookupffn::Span<const float>(zeros.data(), 48), {48}},
    };
    const lookupffn::Layer layer = lookupffn::Layer::create(config, tensors, options);
    Floats y = layer.forward(x);
    for (const std::int32_t code : layer.hash(x).codes) y.push_back(static_cast<float>(code));
    return y;
  }
};

lookupffn::LoadOptions options_of(std::int32_t dtype, std::int32_t threads) {
  lookupffn::LoadOptions options;
  options.num_threads = threads;
  options.table_dtype = options.hash_dtype = dtype;
  return options;
}

// NaN is equal to NaN here.
bool same_bits(const Floats& a, const Floats& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST(FloatMode, OfTheHostChangesNothing) {
  const Case layer;
  for (const int32_t dtype : {LFFN_DTYPE_F32, LFFN_DTYPE_INT8}) {
    for (const int32_t threads : {1, 3}) {
      const Floats expected = layer.run(options_of(dtype, threads));
      for (const Mode& mode : kModes) {
        std::fenv_t usual;
        std::fegetenv(&usual);
        mode.set();
        const auto before = mode_now();
        const Floats got = layer.run(options_of(dtype, threads));
        const bool kept = mode_now() == before;
        std::fesetenv(&usual);
        EXPECT_TRUE(kept) << mode.name;
        EXPECT_TRUE(same_bits(got, expected)) << mode.name << ", dtype " << dtype << ", threads " << threads;
      }
    }
  }
}

TEST(FloatMode, OfTheHostsThreadsChangesNothing) {
  const Case layer;
  const Floats expected = layer.run(options_of(LFFN_DTYPE_F32, 1));
  lookupffn::RuntimeOptions options;
  options.parallel_for = [](void*, int64_t n, void (*run)(void*, int64_t), void* context) {
    std::fenv_t usual;
    std::fegetenv(&usual);
    std::fesetround(FE_UPWARD);
    for (int64_t item = n; item-- > 0;) run(context, item);
    std::fesetenv(&usual);
  };
  const lookupffn::Runtime runtime(options);
  lookupffn::LoadOptions with = options_of(LFFN_DTYPE_F32, 4);
  with.runtime = runtime.get();
  EXPECT_TRUE(same_bits(layer.run(with), expected));
}

TEST(FloatMode, FlushesDenormalsWhereThatIsAsked) {
  const Case layer;
  lookupffn::LoadOptions options = options_of(LFFN_DTYPE_F32, 1);
  const Floats kept = layer.run(options);
  options.flags = LFFN_LOAD_FLUSH_DENORMALS;
  const auto before = mode_now();
  const Floats flushed = layer.run(options);
  EXPECT_EQ(mode_now(), before);
#if defined(__SSE__) || defined(__aarch64__)
  EXPECT_FALSE(same_bits(kept, flushed));
#endif
}

}  // namespace
