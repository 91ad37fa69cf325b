#include "layer/scratch.h"

#include <algorithm>

namespace lffn {

Memory ScratchPool::take(size_t size) {
  Memory found;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    idle_.reserve(idle_.size() + lent_ + 1);  // so that giving back cannot fail
    const auto fits = std::find_if(idle_.begin(), idle_.end(), [&](const Memory& m) { return m.size() >= size; });
    if (fits != idle_.end()) {
      found = std::move(*fits);
      idle_.erase(fits);
    } else if (!idle_.empty()) {
      idle_.pop_back();  // too small for today's calls: its successor replaces it
    }
    ++lent_;
  }
  try {
    if (found.size() < size) found = Memory(size);
  } catch (...) {
    std::lock_guard<std::mutex> lock(mutex_);
    --lent_;
    throw;
  }
  return found;
}

void ScratchPool::give_back(Memory memory) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  --lent_;
  idle_.push_back(std::move(memory));
}

}  // namespace lffn
