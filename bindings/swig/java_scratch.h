// SPDX-License-Identifier: Apache-2.0
// Aligned memory of calls, some of which is kept for later ones, so that small calls allocate nothing.
#ifndef LOOKUPFFN_BINDINGS_JAVA_SCRATCH_H
#define LOOKUPFFN_BINDINGS_JAVA_SCRATCH_H

#include <cstddef>

constexpr size_t kAlignment = 64;

inline size_t padded(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// Memory for the length of one call; memory() is null if there is none.
class Scratch {
 public:
  explicit Scratch(size_t bytes);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  char* memory() const;

 private:
  void* block_ = nullptr;
};

// Frees what is kept, once no call is left.
void free_scratch();

#endif  // LOOKUPFFN_BINDINGS_JAVA_SCRATCH_H
