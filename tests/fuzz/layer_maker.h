// SPDX-License-Identifier: Apache-2.0
// Makes small layer files that are valid, by a program that shares nothing with the library.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace lffn_fuzz {

using Random = std::minstd_rand;

inline uint32_t below(Random& random, uint32_t bound) { return static_cast<uint32_t>(random() % bound); }

// A safetensors file with this header and data; the length in front is the header's.
std::string join_file(const std::string& header, const std::string& data);

// A layer of any projection, activation, element types and sizes up to 12, drawn at random.
std::string make_layer_file(Random& random);

}  // namespace lffn_fuzz
