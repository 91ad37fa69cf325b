#include "api/run_memory.h"

#include <utility>

namespace lffn {

std::unique_ptr<RunMemory> RunMemoryPool::take() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    idle_.reserve(idle_.size() + lent_ + 1);  // so that giving back cannot fail
    ++lent_;
    if (!idle_.empty()) {
      std::unique_ptr<RunMemory> found = std::move(idle_.back());
      idle_.pop_back();
      return found;
    }
  }
  try {
    return std::make_unique<RunMemory>();
  } catch (...) {
    std::lock_guard<std::mutex> lock(mutex_);
    --lent_;
    throw;
  }
}

void RunMemoryPool::give_back(std::unique_ptr<RunMemory> memory) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  --lent_;
  idle_.push_back(std::move(memory));
}

}  // namespace lffn
