// The calling thread's treatment of denormal numbers, set for a scope.
#pragma once

#include <cstdint>

namespace lffn {

class FlushDenormals {
 public:
  explicit FlushDenormals(bool enable);
  ~FlushDenormals();
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  bool enabled_;
  uint64_t saved_ = 0;
};

}  // namespace lffn
