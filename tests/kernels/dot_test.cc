// SPDX-License-Identifier: Apache-2.0
// The integer products of one instruction set against plain arithmetic, at the ends of their ranges too. Compiled once
// for each instruction set, with its flags; ends with 77 where this CPU has not got it.
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "kernels/simd/simd.h"

// The names of the instruction set are checked by code that is compiled without its flags.
extern "C" int lffn_cpu_runs(const char* isa);

namespace lffn {
namespace {

uint32_t random_word(uint32_t* state) {
  *state = *state * 1664525u + 1013904223u;
  return *state ^ *state >> 15;
}

int32_t add(int32_t a, int32_t b) { return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b)); }

int failures = 0;

void expect(const char* what, const int32_t* got, const int32_t* wanted) {
  if (std::memcmp(got, wanted, kLanes * sizeof(int32_t)) == 0) return;
  std::printf("%s: lane 0 is %d, expected %d\n", what, got[0], wanted[0]);
  ++failures;
}

void check(const uint8_t* counts, const int8_t* values, const int32_t* start) {
  int32_t words[2][kLanes], wanted[kLanes], got[kLanes];
  std::memcpy(words[0], counts, sizeof words[0]);
  std::memcpy(words[1], values, sizeof words[1]);
  bool small = true;
  for (int lane = 0; lane < kLanes; ++lane) {
    wanted[lane] = start[lane];
    for (int i = lane * 4; i < lane * 4 + 4; ++i) {
      wanted[lane] = add(wanted[lane], counts[i] * values[i]);
      small = small && counts[i] < 128;
    }
  }
  dot_bytes(I32::load(start), I32::load(words[0]), I32::load(words[1])).store(got);
  expect("dot_bytes", got, wanted);
  if (!small) return;
  dot_quads(I32::load(start), I32::load(words[0]), I32::load(words[1])).store(got);
  expect("dot_quads", got, wanted);
}

int run() {
  uint8_t counts[4 * kLanes];
  int8_t values[4 * kLanes];
  int32_t start[kLanes];
  uint32_t state = 1;
  for (int round = 0; round < 2000; ++round) {
    const uint32_t mask = round % 2 == 0 ? 255 : 127;
    for (int i = 0; i < 4 * kLanes; ++i) {
      counts[i] = static_cast<uint8_t>(random_word(&state) & mask);
      values[i] = static_cast<int8_t>(random_word(&state) & 255);
      if (round % 5 == 0) counts[i] = static_cast<uint8_t>(random_word(&state) % 2 == 0 ? mask : 0);
      if (round % 3 == 0) values[i] = static_cast<int8_t>(random_word(&state) % 2 == 0 ? -128 : 127);
    }
    for (int32_t& one : start) one = static_cast<int32_t>(random_word(&state));
    check(counts, values, start);
  }
  constexpr int kCounts[] = {0, 127, 128, 255}, kValues[] = {-128, -127, 127};
  for (const int count : kCounts) {
    for (const int value : kValues) {
      std::memset(counts, count, sizeof counts);
      std::memset(values, value, sizeof values);
      std::memset(start, 0, sizeof start);
      check(counts, values, start);
    }
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace lffn

int main() {
  if (lffn_cpu_runs(LFFN_ISA_NAME) == 0) return 77;
  return lffn::run();
}
