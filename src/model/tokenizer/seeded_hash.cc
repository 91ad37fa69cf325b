#include "model/tokenizer/seeded_hash.h"

#include <linux/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

#include "runtime/forever.h"

namespace lffn {
namespace {

struct Seed {
  uint64_t seed;
  uint64_t factor;
};

Seed make_seed() {
  Seed seed = {};
  // Not the function: an old glibc lacks it.
  if (syscall(SYS_getrandom, &seed, sizeof seed, GRND_NONBLOCK) != static_cast<long>(sizeof seed)) {
    // Early in a machine's life there is no randomness yet; the clock will do.
    timespec now = {};
    clock_gettime(CLOCK_REALTIME, &now);
    seed.seed = static_cast<uint64_t>(now.tv_nsec) * 0xBF58476D1CE4E5B9u + static_cast<uint64_t>(now.tv_sec);
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
