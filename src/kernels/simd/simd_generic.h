// SPDX-License-Identifier: Apache-2.0
// The vectors of simd.h as plain arrays, for any CPU.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace lffn {
namespace {

struct I32 {
  static constexpr int kLanes = 4;
  int32_t v[kLanes];
  static I32 load(const int32_t* p) {
    I32 r;
    std::memcpy(r.v, p, sizeof r.v);
    return r;
  }
  static I32 set1(int32_t value) { return {{value, value, value, value}}; }
  void store(int32_t* p) const { std::memcpy(p, v, sizeof v); }
};

struct F32 {
  static constexpr int kLanes = 4;
  float v[kLanes];
  static F32 load(const float* p) {
    F32 r;
    std::memcpy(r.v, p, sizeof r.v);
    return r;
  }
  static F32 set1(float value) { return {{value, value, value, value}}; }
  void store(float* p) const { std::memcpy(p, v, sizeof v); }
};

template <typename V, typename Operation>
inline V lanewise(V a, V b, Operation operation) {
  V r;
  for (int i = 0; i < V::kLanes; ++i) r.v[i] = operation(a.v[i], b.v[i]);
  return r;
}

inline F32 operator+(F32 a, F32 b) {
  return lanewise(a, b, [](float x, float y) { return x + y; });
}
inline F32 operator-(F32 a, F32 b) {
  return lanewise(a, b, [](float x, float y) { return x - y; });
}
inline F32 operator*(F32 a, F32 b) {
  return lanewise(a, b, [](float x, float y) { return x * y; });
}
inline F32 operator/(F32 a, F32 b) {
  return lanewise(a, b, [](float x, float y) { return x / y; });
}
inline I32 operator+(I32 a, I32 b) {
  return lanewise(a, b, [](int32_t x, int32_t y) {
    return static_cast<int32_t>(static_cast<uint32_t>(x) + static_cast<uint32_t>(y));
  });
}
inline I32 operator-(I32 a, I32 b) {
  return lanewise(a, b, [](int32_t x, int32_t y) {
    return static_cast<int32_t>(static_cast<uint32_t>(x) - static_cast<uint32_t>(y));
  });
}
inline I32 operator&(I32 a, I32 b) {
  return lanewise(a, b, [](int32_t x, int32_t y) { return x & y; });
}
inline I32 operator|(I32 a, I32 b) {
  return lanewise(a, b, [](int32_t x, int32_t y) { return x | y; });
}

inline I32 operator^(I32 a, I32 b) {
  return lanewise(a, b, [](int32_t x, int32_t y) { return x ^ y; });
}

inline F32 fma(F32 a, F32 b, F32 c) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  F32 r;
  for (int i = 0; i < F32::kLanes; ++i) r.v[i] = __builtin_fmaf(a.v[i], b.v[i], c.v[i]);
  return r;
#else
  return a * b + c;
#endif
}

// b where a or b is NaN.
inline F32 max(F32 a, F32 b) {
  return lanewise(a, b, [](float x, float y) { return x > y ? x : y; });
}
inline F32 min(F32 a, F32 b) {
  return lanewise(a, b, [](float x, float y) { return x < y ? x : y; });
}
inline F32 abs(F32 a) {
  return lanewise(a, a, [](float x, float) { return std::fabs(x); });
}
inline F32 sqrt(F32 a) {
  return lanewise(a, a, [](float x, float) { return std::sqrt(x); });
}
template <int kBits>
inline I32 shift_left(I32 a) {
  return lanewise(a, a, [](int32_t x, int32_t) { return static_cast<int32_t>(static_cast<uint32_t>(x) << kBits); });
}
// Zeros come from above.
template <int kBits>
inline I32 shift_right(I32 a) {
  return lanewise(a, a, [](int32_t x, int32_t) { return static_cast<int32_t>(static_cast<uint32_t>(x) >> kBits); });
}
inline I32 bits(F32 a) {
  I32 r;
  std::memcpy(r.v, a.v, sizeof r.v);
  return r;
}
inline F32 from_bits(I32 a) {
  F32 r;
  std::memcpy(r.v, a.v, sizeof r.v);
  return r;
}
inline I32 settled(I32 a) { return a; }  // as in simd_xsimd.h
inline F32 to_float(I32 a) {
  F32 r;
  for (int i = 0; i < F32::kLanes; ++i) r.v[i] = static_cast<float>(a.v[i]);
  return r;
}

inline void store_u16(I32 a, uint16_t* p) {
  for (int i = 0; i < I32::kLanes; ++i) p[i] = static_cast<uint16_t>(a.v[i]);
}

// The lowest 8 bits of each.
inline void store_u8(I32 a, uint8_t* p) {
  for (int i = 0; i < I32::kLanes; ++i) p[i] = static_cast<uint8_t>(a.v[i] & 255);
}
inline int32_t largest_lane(I32 a) {
  int32_t largest = a.v[0];
  for (const int32_t lane : a.v) largest = lane > largest ? lane : largest;
  return largest;
}
inline int32_t lane_sum(I32 a) {
  uint32_t sum = 0;
  for (const int32_t lane : a.v) sum += static_cast<uint32_t>(lane);
  return static_cast<int32_t>(sum);
}
inline int32_t first_lane(I32 a) { return a.v[0]; }
inline float first_lane(F32 a) { return a.v[0]; }

// All bits set where a > 0.
inline I32 positive(F32 a) {
  I32 r;
  for (int i = 0; i < F32::kLanes; ++i) r.v[i] = a.v[i] > 0 ? -1 : 0;
  return r;
}

inline int32_t wrapping_add(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}

// a + the sum of the products of the low and of the high int16 halves of b and c.
inline I32 dot_pairs(I32 a, I32 b, I32 c) {
  I32 r;
  for (int i = 0; i < I32::kLanes; ++i) {
    const int32_t low = static_cast<int16_t>(b.v[i]) * static_cast<int16_t>(c.v[i]);
    r.v[i] = wrapping_add(wrapping_add(a.v[i], low), (b.v[i] >> 16) * (c.v[i] >> 16));
  }
  return r;
}

// A vector that stays in a register until its last use.
inline F32 keep(F32 a) { return a; }
inline I32 keep(I32 a) { return a; }

// The low int16 half of the one and the high half of the other.
inline I32 low_and_high(I32 low, I32 high) {
  return lanewise(low, high, [](int32_t x, int32_t y) {
    return static_cast<int32_t>((static_cast<uint32_t>(x) & 0xffff) | (static_cast<uint32_t>(y) & 0xffff0000));
  });
}

// Two bytes for each lane, as its int16 halves.
inline I32 load_pairs(const int8_t* p) {
  I32 r;
  for (int i = 0; i < I32::kLanes; ++i) {
    r.v[i] =
        static_cast<int32_t>((static_cast<uint32_t>(p[2 * i]) & 0xffff) | static_cast<uint32_t>(p[2 * i + 1]) << 16);
  }
  return r;
}

// Bytes 0 and 2, or 1 and 3, of each lane, as its int16 halves.
inline I32 even_bytes(I32 a) {
  for (int32_t& x : a.v) {
    const uint32_t high = static_cast<uint32_t>(static_cast<int8_t>(x >> 16)) << 16;
    x = static_cast<int32_t>(high | (static_cast<uint32_t>(static_cast<int8_t>(x)) & 0xffff));
  }
  return a;
}
inline I32 odd_bytes(I32 a) {
  return even_bytes(lanewise(a, a, [](int32_t x, int32_t) { return x >> 8; }));
}
// Of each four lanes, the second and the third change places.
inline I32 swap_middle(I32 a) { return {{a.v[0], a.v[2], a.v[1], a.v[3]}}; }
// Of each four int16, the second and the third change places.
inline I32 swap_pairs(I32 a) {
  int16_t halves[8];
  std::memcpy(halves, a.v, sizeof halves);
  for (int i = 1; i < 8; i += 4) {
    const int16_t second = halves[i];
    halves[i] = halves[i + 1];
    halves[i + 1] = second;
  }
  std::memcpy(a.v, halves, sizeof halves);
  return a;
}
inline F32 load_bf16(const uint16_t* p) {
  I32 r;
  for (int i = 0; i < I32::kLanes; ++i) r.v[i] = static_cast<int32_t>(static_cast<uint32_t>(p[i]) << 16);
  return from_bits(r);
}

// The least of all lanes, none of them NaN.
inline float least(F32 a) {
  const F32 two = min(a, {{a.v[2], a.v[3], a.v[2], a.v[3]}});
  return two.v[0] < two.v[1] ? two.v[0] : two.v[1];
}
inline I32 operator*(I32 a, I32 b) {
  return lanewise(a, b, [](int32_t x, int32_t y) {
    return static_cast<int32_t>(static_cast<uint32_t>(x) * static_cast<uint32_t>(y));
  });
}

inline I32 max(I32 a, I32 b) {
  return lanewise(a, b, [](int32_t x, int32_t y) { return x > y ? x : y; });
}

// Four rows of bytes -> four vectors of cells, each with a byte of every row; the first holds the cells of bytes 0
// to 3.
inline void interleave_rows(const I32* rows, I32* out) {
  uint8_t in[4][16], cells[4][16];
  for (int i = 0; i < 4; ++i) std::memcpy(in[i], rows[i].v, 16);
  for (int byte = 0; byte < 16; ++byte) {
    for (int i = 0; i < 4; ++i) cells[byte / 4][byte % 4 * 4 + i] = in[i][byte];
  }
  for (int i = 0; i < 4; ++i) std::memcpy(out[i].v, cells[i], 16);
}

// a + the sum of the four products of unsigned bytes and signed bytes in each cell.
inline I32 dot_bytes(I32 a, I32 counts, I32 values) {
  for (int i = 0; i < I32::kLanes; ++i) {
    for (int byte = 0; byte < 4; ++byte) {
      const int32_t count = static_cast<uint8_t>(counts.v[i] >> (8 * byte));
      a.v[i] = wrapping_add(a.v[i], count * static_cast<int8_t>(values.v[i] >> (8 * byte)));
    }
  }
  return a;
}

// The same where the unsigned bytes are below 128.
inline I32 dot_quads(I32 a, I32 weights, I32 values) { return dot_bytes(a, weights, values); }

// What is added to signed bytes for the first factor of dot_bytes.
constexpr bool kByteDot = true;
constexpr int kByteZero = 128;
inline I32 dot_raised(I32 a, I32 raised, I32 values) { return dot_bytes(a, raised, values); }

// The low bytes of four vectors, in the order of a cell's bytes.
inline I32 pack_bytes(I32 a, I32 b, I32 c, I32 d) {
  I32 r;
  for (int i = 0; i < I32::kLanes; ++i) {
    const auto byte = [i](I32 from) { return static_cast<uint32_t>(from.v[i]) & 255; };
    r.v[i] = static_cast<int32_t>(byte(a) | byte(b) << 8 | byte(c) << 16 | byte(d) << 24);
  }
  return r;
}

inline bool any_bit(I32 a) { return (a.v[0] | a.v[1] | a.v[2] | a.v[3]) != 0; }

}  // namespace
}  // namespace lffn
