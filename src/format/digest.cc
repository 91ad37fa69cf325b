// SPDX-License-Identifier: Apache-2.0
#include "format/digest.h"

#include <algorithm>
#include <cstring>

namespace lffn {
namespace {

// The digits of e; odd, and with bits everywhere.
constexpr uint64_t kMultipliers[4] = {0xb7e151628aed2a6b, 0xbf7158809cf4f3c7, 0x62e7160f38b4da57, 0xa784d9045190cfef};

// Both halves of a product depend on all bits of both numbers.
uint64_t fold(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t rotate(uint64_t x, int bits) { return x << bits | x >> (64 - bits); }

uint64_t word_at(const uint8_t* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof word);  // as files have it: little-endian
  return word;
}

}  // namespace

// Each word goes into two lanes, so that 128 bits depend on it. The old lane is added to the product, which may be 0.
void Digest::take_block(const uint8_t* block) {
  uint64_t words[kWords];
  for (size_t i = 0; i < kWords; ++i) words[i] = word_at(block + i * sizeof(uint64_t));
  for (size_t i = 0; i < kWords; ++i) {
    lanes_[i] = rotate(lanes_[i], 29) + fold(lanes_[i] ^ words[i], kMultipliers[i] ^ words[(i + 1) % kWords]);
  }
}

void Digest::add(const void* bytes, size_t size) {
  const auto* from = static_cast<const uint8_t*>(bytes);
  size_t held = size_ % kBlock;
  size_ += size;
  if (held != 0) {
    const size_t count = std::min(size, kBlock - held);
    std::memcpy(rest_ + held, from, count);
    if (held + count < kBlock) return;
    take_block(rest_);
    from += count;
    size -= count;
  }
  for (; size >= kBlock; from += kBlock, size -= kBlock) take_block(from);
  if (size != 0) std::memcpy(rest_, from, size);
}

void Digest::add_number(uint64_t number) { add(&number, sizeof number); }

void Digest::add_text(std::string_view text) {
  add_number(text.size());
  add(text.data(), text.size());
}

std::array<uint8_t, Digest::kBytes> Digest::value() const {
  Digest last = *this;
  const size_t held = size_ % kBlock;
  std::fill(last.rest_ + held, last.rest_ + kBlock, uint8_t{0});
  last.take_block(last.rest_);
  std::memset(last.rest_, 0, kBlock);
  std::memcpy(last.rest_, &size_, sizeof size_);
  // After three more blocks each lane depends on all others.
  for (int round = 0; round < 3; ++round) {
    last.take_block(last.rest_);
    std::memcpy(last.rest_, last.lanes_, kBlock);
  }
  const uint64_t halves[2] = {last.lanes_[0] ^ rotate(last.lanes_[2], 32), last.lanes_[1] ^ rotate(last.lanes_[3], 32)};
  std::array<uint8_t, kBytes> result;
  std::memcpy(result.data(), halves, kBytes);
  return result;
}

}  // namespace lffn
