// SPDX-License-Identifier: Apache-2.0
#include "java_scratch.h"

#include <atomic>
#include <cstdlib>

namespace {

// Larger blocks are not kept.
constexpr size_t kKeptBytes = size_t{1} << 20;

// How much follows it, at the beginning of each block.
struct Header {
  size_t bytes;
};
static_assert(sizeof(Header) <= kAlignment, "what follows is aligned");

// Not kept by threads: what a thread has to destroy keeps the library mapped as long as the thread lives, and threads
// of servers outlive what is deployed.
std::atomic<Header*> kept[64];

Header* taken(size_t bytes) {
  for (std::atomic<Header*>& place : kept) {
    if (place.load(std::memory_order_relaxed) == nullptr) continue;
    Header* block = place.exchange(nullptr, std::memory_order_acquire);
    if (block == nullptr) continue;
    if (block->bytes >= bytes) return block;
    std::free(block);  // a larger one comes back in its stead
    return nullptr;
  }
  return nullptr;
}

}  // namespace

Scratch::Scratch(size_t bytes) {
  Header* block = bytes <= kKeptBytes ? taken(bytes) : nullptr;
  if (block == nullptr) {
    const size_t whole = kAlignment + padded(bytes);
    if (whole < bytes) return;
    block = static_cast<Header*>(std::aligned_alloc(kAlignment, whole));
    if (block == nullptr) return;
    block->bytes = padded(bytes);
  }
  block_ = block;
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
  std::free(block);
}

char* Scratch::memory() const { return block_ == nullptr ? nullptr : static_cast<char*>(block_) + kAlignment; }

void free_scratch() {
  for (std::atomic<Header*>& place : kept) std::free(place.exchange(nullptr, std::memory_order_acquire));
}
