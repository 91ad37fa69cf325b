// Scratch memory of one handle, kept between calls so that a steady state allocates nothing.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "runtime/memory.h"

namespace lffn {

class ScratchPool {
 public:
  // At least `size` bytes until the lease ends.
  class Lease {
   public:
    Lease(ScratchPool& pool, size_t size) : pool_(pool), memory_(pool.take(size)) {}
    ~Lease() { pool_.give_back(std::move(memory_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    uint8_t* data() const { return memory_.as<uint8_t>(); }

   private:
    ScratchPool& pool_;
    Memory memory_;
  };

 private:
  Memory take(size_t size);
  void give_back(Memory memory) noexcept;

  std::mutex mutex_;
  std::vector<Memory> idle_;
  size_t lent_ = 0;
};

}  // namespace lffn
