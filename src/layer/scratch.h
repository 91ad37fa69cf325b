// SPDX-License-Identifier: Apache-2.0
// Scratch memory of one handle, kept between calls so that a steady state allocates nothing.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "runtime/borders.h"
#include "runtime/idle_pool.h"
#include "runtime/memory.h"

namespace lffn {

class ScratchPool {
 public:
  // At least `size` bytes until the lease ends.
  class Lease {
   public:
    Lease(ScratchPool& pool, size_t size) : pool_(pool), memory_(pool.take(size)) {}
    ~Lease() { pool_.idle_.give_back(std::move(memory_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    uint8_t* data() const { return memory_->as<uint8_t>(); }

   private:
    ScratchPool& pool_;
    std::unique_ptr<Memory> memory_;
  };

 private:
  std::unique_ptr<Memory> take(size_t size) {
    std::unique_ptr<Memory> found = idle_.take([&](const Memory& memory) { return memory.size() >= size; });
    return found != nullptr ? std::move(found) : std::make_unique<Memory>(size);
  }

  IdlePool<Memory> idle_;
};

}  // namespace lffn
