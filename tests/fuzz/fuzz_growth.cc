// SPDX-License-Identifier: Apache-2.0
// The first byte chooses a reader, the others are what it reads. What that costs in memory must stay in proportion to
// them; libFuzzer is told the cost of a byte, so that it keeps inputs that cost more than those before.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "format/json_object.h"
#include "format/torch_file.h"
#include "runtime/error.h"
#include "tests/fuzz/require.h"
#include "tests/growth/counted_memory.h"
#include "tests/support/torch_maker.h"
#include "texts/chat_template.h"
#include "tokenizer/tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr size_t kBuckets = 64;
#ifdef __linux__
__attribute__((section("__libfuzzer_extra_counters")))
#endif
uint8_t costs[2 * kBuckets];  // whether an input had so much memory for a byte, and took so much in all

// Four for each doubling.
size_t bucket_of(size_t cost, size_t size) {
  double each = static_cast<double>(cost) / static_cast<double>(size + 1);
  size_t bucket = 0;
  for (; each > 1 && bucket + 1 < kBuckets; each /= 1.19) ++bucket;
  return bucket;
}

void read_weights(const std::string& file, const char* name) {
  lffn::parse_weights(lffn::BorrowedBytes(file.data(), file.size()), name);
}

// A reader, and what it may take beside its share of the input.
struct Reader {
  void (*read)(const std::string& input);
  size_t fixed;
};

constexpr size_t kMiB = size_t{1} << 20;
const Reader kReaders[] = {
    {[](const std::string& input) { read_weights(input, "model.safetensors"); }, kMiB},
    {[](const std::string& input) {
       read_weights(torch_maker::zip_of({{"a/data.pkl", input}, {"a/data/0", std::string(64, '\1')}}), "a.bin");
     },
     kMiB},
    {[](const std::string& input) { lffn::JsonObject(input, "it").drop_nulls(); }, kMiB},
    // The highest id alone makes a table of 16 MiB.
    {[](const std::string& input) { lffn::Tokenizer::from_tokenizer_json(input); }, 64 * kMiB},
    {[](const std::string& input) {
       lffn::ChatTemplate(input).render({{"system", "Is it so?"}, {"query", "a b"}, {"document", "c"}});
     },
     4 * kMiB},
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Reader& reader = kReaders[data[0] % (sizeof kReaders / sizeof *kReaders)];
  const size_t before = counted_memory::handed_out();
  const size_t peak = counted_memory::peak_of([&] {
    try {
      reader.read(input);
    } catch (const lffn::Error&) {
    }
  });
  constexpr size_t kTimes = 512;
  require(peak <= reader.fixed + kTimes * size, "memory grows with the input");
  costs[bucket_of(peak, size)] = 1;
  costs[kBuckets + bucket_of(counted_memory::handed_out() - before, size)] = 1;
  return 0;
}
