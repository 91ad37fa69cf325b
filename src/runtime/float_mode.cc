// SPDX-License-Identifier: Apache-2.0
#include "runtime/float_mode.h"

#include <cfenv>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace lffn {
namespace {

#if defined(__SSE__)
constexpr uint64_t kDefault = 0x1f80;  // of MXCSR: every exception masked
constexpr uint64_t kFlush = 0x8040;    // FTZ and DAZ
constexpr uint64_t kRaised = 0x3f;     // which exceptions there were
uint64_t get_mode() { return _mm_getcsr(); }
void set_mode(uint64_t mode) { _mm_setcsr(static_cast<unsigned>(mode)); }
#elif defined(__aarch64__)
constexpr uint64_t kDefault = 0;                // of FPCR
constexpr uint64_t kFlush = uint64_t{1} << 24;  // FZ
constexpr uint64_t kRaised = 0;
uint64_t get_mode() {
  uint64_t mode;
  __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
  return mode;
}
void set_mode(uint64_t mode) { __asm__ volatile("msr fpcr, %0" : : "r"(mode)); }
#else
constexpr uint64_t kDefault = FE_TONEAREST, kFlush = 0, kRaised = 0;  // rounding alone
uint64_t get_mode() { return static_cast<uint64_t>(std::fegetround()); }
void set_mode(uint64_t mode) { std::fesetround(static_cast<int>(mode)); }
#endif

}  // namespace

FloatMode::FloatMode(bool flush_denormals) : saved_(get_mode()) {
  const uint64_t wanted = kDefault | (flush_denormals ? kFlush : 0);
  changed_ = (saved_ & ~kRaised) != wanted;  // setting it costs more than looking
  if (changed_) set_mode(wanted);
}

FloatMode::~FloatMode() {
  if (changed_) set_mode(saved_);
}

}  // namespace lffn
