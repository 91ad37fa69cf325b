// SPDX-License-Identifier: Apache-2.0
// BERT's normaliser: controls go, blanks become ' ', ideographs stand alone, accents and capitals go.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tokenizer/aligned_text.h"

namespace lffn {

struct NormalizerSettings {
  bool clean_text = false;
  bool separate_chinese = false;
  bool strip_accents = false;
  bool lowercase = false;
};

// Marks that wait until all that stand behind the same character are there to be sorted.
struct WaitingMarks {
  struct Mark {
    uint32_t code_point;
    uint8_t order;
    bool starts;  // the first one of what its character decomposes into
  };
  std::vector<Mark> marks;
  std::vector<TextSpan> from;  // of the characters they came from
};

class Normalizer {
 public:
  explicit Normalizer(const NormalizerSettings& settings);

  const NormalizerSettings& settings() const { return settings_; }

  // Replaces `to`. The text, which must be UTF-8, stands at `begin` in the caller's text. Where text is cut between two
  // characters of which one is a blank of ASCII, both parts become what they become together. Takes linear time.
  void normalize(std::string_view text, size_t begin, bool aligned, AlignedText& to, WaitingMarks& waiting) const;

 private:
  class Run;

  NormalizerSettings settings_;
  uint8_t ascii_[128];  // what each becomes; 0: nothing
  bool is_identity_;
};

}  // namespace lffn
