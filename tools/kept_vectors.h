// SPDX-License-Identifier: Apache-2.0
// A vector for each line of a text, kept in a file that README.md describes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lookupffn/lookupffn.hpp"
#include "text_lines.h"

namespace lffn::tools {

// What vectors depend on besides the texts.
struct VectorsKey {
  int32_t kind = LFFN_VECTORS_F32;  // or LFFN_VECTORS_INT8
  int64_t size = 0;
  std::array<uint8_t, LFFN_FINGERPRINT_SIZE> fingerprint = {};
  uint64_t reading = 0;  // hash of the options that change how lines are read; 0: none is given
};

// The hash that README.md describes.
uint64_t hash_of(const void* bytes, size_t size);

class KeptVectors {
 public:
  KeptVectors(const VectorsKey& key, const TextLines& texts) : key_(key), texts_(texts) {}
  ~KeptVectors();
  KeptVectors(const KeptVectors&) = delete;
  KeptVectors& operator=(const KeptVectors&) = delete;

  // Which kind of vectors a file has; 0 if it cannot be read or has no vectors.
  static int32_t kind_of(const std::string& path);

  // Takes the vectors of the first lines from a file, if it has them. Returns why they cannot be used, "" if they can
  // or if there is no file. Throws InvalidArgument if the file must not be replaced.
  std::string take(const std::string& path);

  // How many lines have been taken or added.
  size_t count() const { return num_taken_ + num_added_; }
  // The next lines' vectors, one after the other.
  void add(const void* rows, size_t count);
  // Says that a line that has been added has no vector. Lines must be named in order.
  void leave_out(size_t line) { left_out_.push_back(static_cast<int64_t>(line)); }
  const std::vector<int64_t>& left_out() const { return left_out_; }

  // Replaces the file completely or not at all. Throws std::system_error.
  void write(const std::string& path) const;

  // The k lines with the highest cosines.
  lookupffn::Nearest find(const lookupffn::Vectors& query, int64_t k, int32_t num_threads) const;

 private:
  size_t row_bytes() const { return static_cast<size_t>(key_.size) * (key_.kind == LFFN_VECTORS_F32 ? 4 : 1); }
  void find_in(const uint8_t* rows, size_t first, size_t count, const lookupffn::Vectors& query,
               lookupffn::SearchOptions options, lookupffn::Nearest& nearest) const;

  VectorsKey key_;
  const TextLines& texts_;
  void* map_ = nullptr;
  size_t map_bytes_ = 0;
  size_t num_taken_ = 0, num_added_ = 0;
  std::vector<uint8_t> added_;
  std::vector<int64_t> left_out_;
};

}  // namespace lffn::tools
