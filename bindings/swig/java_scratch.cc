// SPDX-License-Identifier: Apache-2.0
#include "java_scratch.h"

#include <atomic>
#include <new>

namespace {

// Larger blocks are not kept.
constexpr size_t kKeptBytes = size_t{1} << 20;

// Stands at the beginning of each block and tells how many bytes follow it.
struct Header {
  size_t bytes;
};
static_assert(sizeof(Header) <= kAlignment, "what follows is aligned");

// Not thread-local: thread-local objects with a destructor would keep the library mapped as long as the thread lives,
// and a server's threads outlive the applications deployed on it.
std::atomic<Header*> kept[64];

// Not std::aligned_alloc, which Windows lacks.
Header* made(size_t bytes) {
  const size_t whole = kAlignment + padded(bytes);
  if (whole < bytes) return nullptr;
  auto* block = static_cast<Header*>(::operator new (whole, std::align_val_t{kAlignment}, std::nothrow));
  if (block != nullptr) block->bytes = padded(bytes);
  return block;
}

void freed(Header* block) { ::operator delete (block, std::align_val_t{kAlignment}); }

Header* taken(size_t bytes) {
  for (std::atomic<Header*>& place : kept) {
    if (place.load(std::memory_order_relaxed) == nullptr) continue;
    Header* block = place.exchange(nullptr, std::memory_order_acquire);
    if (block == nullptr) continue;
    if (block->bytes >= bytes) return block;
    freed(block);  // a larger block replaces it
    return nullptr;
  }
  return nullptr;
}

}  // namespace

Scratch::Scratch(size_t bytes) {
  Header* block = bytes <= kKeptBytes ? taken(bytes) : nullptr;
  block_ = block != nullptr ? block : made(bytes);
}

Scratch::~Scratch() {
  auto* block = static_cast<Header*>(block_);
  if (block == nullptr) return;
  if (block->bytes <= kKeptBytes) {
    for (std::atomic<Header*>& place : kept) {
      Header* none = nullptr;
      if (place.load(std::memory_order_relaxed) == nullptr &&
          place.compare_exchange_strong(none, block, std::memory_order_release, std::memory_order_relaxed)) {
        return;
      }
    }
  }
  freed(block);
}

char* Scratch::memory() const { return block_ == nullptr ? nullptr : static_cast<char*>(block_) + kAlignment; }

void free_scratch() {
  for (std::atomic<Header*>& place : kept) freed(place.exchange(nullptr, std::memory_order_acquire));
}
