// SPDX-License-Identifier: Apache-2.0
#include "runtime/seeded_hash.h"

#include <chrono>

#include "runtime/forever.h"
#include "runtime/system.h"

namespace lffn {
namespace {

struct Seed {
  uint64_t seed;
  uint64_t factor;
};

Seed make_seed() {
  Seed seed = {};
  if (!random_bytes(&seed, sizeof seed)) {
    // The clock will do.
    seed.seed =
        static_cast<uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()) * 0xBF58476D1CE4E5B9u;
    seed.factor = seed.seed * 0x94D049BB133111EBu;
  }
  seed.factor |= 1;
  return seed;
}

}  // namespace

SeededHash::SeededHash() {
  static Forever<const Seed> made;
  const Seed& seed = made.get(make_seed);
  seed_ = seed.seed;
  factor_ = seed.factor;
}

}  // namespace lffn
