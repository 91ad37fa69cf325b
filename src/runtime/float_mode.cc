#include "runtime/float_mode.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace lffn {
namespace {

#if defined(__SSE__)
constexpr uint64_t kFlush = 0x8040;  // FTZ and DAZ of MXCSR
uint64_t get_mode() { return _mm_getcsr(); }
void set_mode(uint64_t mode) { _mm_setcsr(static_cast<unsigned>(mode)); }
#elif defined(__aarch64__)
constexpr uint64_t kFlush = uint64_t{1} << 24;  // FZ of FPCR
uint64_t get_mode() {
  uint64_t mode;
  __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
  return mode;
}
void set_mode(uint64_t mode) { __asm__ volatile("msr fpcr, %0" : : "r"(mode)); }
#else
constexpr uint64_t kFlush = 0;
uint64_t get_mode() { return 0; }
void set_mode(uint64_t) {}
#endif

}  // namespace

FlushDenormals::FlushDenormals(bool enable) : enabled_(enable) {
  if (!enabled_) return;
  saved_ = get_mode();
  set_mode(saved_ | kFlush);
}

FlushDenormals::~FlushDenormals() {
  if (enabled_) set_mode(saved_);
}

}  // namespace lffn
