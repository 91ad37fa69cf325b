#include "layer/scratch.h"

#include <utility>

namespace lffn {

ScratchPool::~ScratchPool() {
  for (std::atomic<Memory*>& place : idle_) delete place.load(std::memory_order_acquire);
}

std::unique_ptr<Memory> ScratchPool::take(size_t size) {
  std::unique_ptr<Memory> small;
  for (std::atomic<Memory*>& place : idle_) {
    if (place.load(std::memory_order_relaxed) == nullptr) continue;
    std::unique_ptr<Memory> found(place.exchange(nullptr, std::memory_order_acquire));
    if (found == nullptr) continue;
    if (found->size() >= size) {
      if (small != nullptr) give_back(std::move(small));
      return found;
    }
    if (small != nullptr) give_back(std::move(small));
    small = std::move(found);
  }
  small.reset();  // too small for today's calls: its successor replaces it
  return std::make_unique<Memory>(size);
}

void ScratchPool::give_back(std::unique_ptr<Memory> memory) noexcept {
  for (std::atomic<Memory*>& place : idle_) {
    Memory* nothing = nullptr;
    if (place.compare_exchange_strong(nothing, memory.get(), std::memory_order_release, std::memory_order_relaxed)) {
      static_cast<void>(memory.release());  // NOLINT(bugprone-unused-return-value)
      return;
    }
  }
}

}  // namespace lffn
