// SPDX-License-Identifier: Apache-2.0
// Mutates layer files so that most of the results get past the header: its length in front is kept right, numbers
// become other interesting numbers, and now and then the input is a new valid layer.
#include <algorithm>
#include <cstring>
#include <string>

#include "tests/fuzz/layer_maker.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed);

namespace lffn_fuzz {
namespace {

constexpr size_t kPrefix = 8;

std::string mutated(std::string text, size_t room) {
  const size_t size = text.size();
  text.resize(std::max(size + room, size_t{1}));
  text.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(text.data()), size, text.size()));
  return text;
}

// Replaces one of the header's numbers.
void change_number(std::string& header, Random& random) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (header.empty()) return;
  const auto from = header.begin() + below(random, static_cast<uint32_t>(header.size()));
  const auto begin = std::find_if(from, header.end(), is_digit);
  if (begin == header.end()) return;
  const auto end = std::find_if_not(begin, header.end(), is_digit);
  uint64_t value = 0;
  for (auto digit = begin; digit != end; ++digit) value = value * 10 + static_cast<uint64_t>(*digit - '0');
  constexpr const char* kEdges[] = {"0",
                                    "1",
                                    "-1",
                                    "0.5",
                                    "65536",
                                    "1048576",
                                    "2147483647",
                                    "2147483648",
                                    "4294967296",
                                    "9223372036854775807",
                                    "9223372036854775808",
                                    "18446744073709551615"};
  std::string changed;
  switch (below(random, 6)) {
    case 0:
      changed = std::to_string(value + 1);
      break;
    case 1:
      changed = std::to_string(value - 1);
      break;
    case 2:
      changed = std::to_string(value * 2);
      break;
    case 3:
      changed = std::to_string(value / 2);
      break;
    default:
      changed = kEdges[below(random, std::size(kEdges))];
  }
  header.replace(begin, end, changed);
}

// Replaces one element of the data by an edge case: NaN, infinities, the largest and smallest numbers.
void change_element(std::string& data, Random& random) {
  constexpr uint32_t kEdges[] = {0x7fc00000, 0x7f800000, 0xff800000, 0x7f7fffff, 0xff7fffff, 0x00000001,
                                 0x80000000, 0x00800000, 0x7e967699, 0x80808080, 0x7f7f7f7f};
  if (data.size() < 4) return;
  const size_t at = below(random, static_cast<uint32_t>(data.size() / 4)) * 4;
  std::memcpy(&data[at], &kEdges[below(random, std::size(kEdges))], 4);
}

}  // namespace
}  // namespace lffn_fuzz

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  using namespace lffn_fuzz;
  Random random(seed);
  uint64_t header_bytes = 0;
  if (size >= kPrefix) std::memcpy(&header_bytes, data, kPrefix);
  const bool whole = size >= kPrefix && header_bytes <= size - kPrefix;
  std::string file(reinterpret_cast<const char*>(data), size);
  if (below(random, 16) == 0) {
    file = make_layer_file(random);
  } else if (!whole || below(random, 32) == 0) {
    return LLVMFuzzerMutate(data, size, max_size);
  } else {
    std::string header = file.substr(kPrefix, header_bytes);
    std::string rest = file.substr(kPrefix + header_bytes);
    switch (below(random, 8)) {
      case 0:
        header = mutated(header, 64);
        break;
      case 1:
        rest = mutated(rest, 16);
        break;
      case 2:
      case 3:
        change_element(rest, random);
        break;
      case 4: {  // the same size, so that the file stays whole
        const size_t rest_bytes = rest.size();
        rest = mutated(rest, 0);
        rest.resize(rest_bytes);
        break;
      }
      default:
        change_number(header, random);
    }
    file = join_file(header, rest);
  }
  if (file.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, file.data(), file.size());
  return file.size();
}
