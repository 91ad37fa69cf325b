// SPDX-License-Identifier: Apache-2.0
// Makes texts alike before they are cut: BERT's normaliser, and chains of normalisers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/aligned_text.h"
#include "tokenizer/character_map.h"
#include "tokenizer/pattern.h"
#include "tokenizer/unicode.h"

namespace lffn {

// BERT's normaliser: removes controls, makes all blanks ' ', sets ideographs apart, removes accents and capitals.
struct NormalizerSettings {
  bool clean_text = false;
  bool separate_chinese = false;
  bool strip_accents = false;
  bool lowercase = false;
};

// Marks that wait to be sorted until all marks behind the same character are there.
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

  // Replaces `to`. The text, which must be UTF-8, stands at `begin` in the caller's text. A text may be cut beside any
  // ASCII blank: its parts become what they become together. Takes linear time. Throws as NormalizerChain::normalize().
  void normalize(std::string_view text, size_t begin, bool aligned, AlignedText& to, WaitingMarks& waiting,
                 const int32_t* cancel) const;

 private:
  class Run;

  NormalizerSettings settings_;
  uint8_t ascii_[128];  // what each becomes; 0: nothing
  bool is_identity_;
};

// Normalisers one after another, as Unigram's and BPE's vocabularies want them.
struct NormalizerStep {
  enum class Kind : uint8_t { kPrecompiled, kForm, kReplace, kPrepend, kStrip, kLowercase, kStripAccents, kNmt } kind;
  std::shared_ptr<const CharacterMap> map = nullptr;  // of kPrecompiled
  UnicodeForm form = UnicodeForm::kC;                 // of kForm
  Pattern pattern = {};                               // of kReplace: what is replaced
  std::string text = {};                              // of kReplace: the replacement; of kPrepend
  bool left = true, right = true;                     // of kStrip: which end
};

class NormalizerChain {
 public:
  // Throws Error(LFFN_ERROR_BAD_MODEL), which begins with `where`, for steps that together could make a text more than
  // 4096 times as long.
  NormalizerChain(const std::vector<NormalizerStep>& steps, const std::string& where);

  // Replaces `to` and `spare`. The text, which must be UTF-8, stands at `begin` in the caller's text. Throws
  // Error(LFFN_ERROR_BAD_TEXT) where it becomes longer than AlignedText::most_bytes(), LFFN_ERROR_CANCELLED if the flag
  // is set; it may be nullptr.
  void normalize(std::string_view text, size_t begin, bool aligned, AlignedText& to, AlignedText& spare,
                 const int32_t* cancel) const;

  // Whether parts that normalize_part() takes become the same alone as in a text that joins them by single blanks.
  bool is_local() const { return is_local_; }
  // Replaces `to` and `spare`. false: this part may depend on what stands around it.
  bool normalize_part(std::string_view part, AlignedText& to, AlignedText& spare, const int32_t* cancel) const;

 private:
  std::vector<NormalizerStep> steps_;
  bool is_local_;
};

}  // namespace lffn
