// Scratch memory of one handle, kept between calls so that a steady state allocates nothing.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "runtime/memory.h"

namespace lffn {

// Without a lock: a child that is forked while another thread holds one would wait for it forever.
class ScratchPool {
 public:
  ScratchPool() = default;
  ~ScratchPool();
  ScratchPool(const ScratchPool&) = delete;
  ScratchPool& operator=(const ScratchPool&) = delete;

  // At least `size` bytes until the lease ends.
  class Lease {
   public:
    Lease(ScratchPool& pool, size_t size) : pool_(pool), memory_(pool.take(size)) {}
    ~Lease() { pool_.give_back(std::move(memory_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    uint8_t* data() const { return memory_->as<uint8_t>(); }

   private:
    ScratchPool& pool_;
    std::unique_ptr<Memory> memory_;
  };

 private:
  static constexpr int kMostKept = 64;  // blocks of more calls at once are freed as they end

  std::unique_ptr<Memory> take(size_t size);
  void give_back(std::unique_ptr<Memory> memory) noexcept;

  std::atomic<Memory*> idle_[kMostKept] = {};
};

}  // namespace lffn
