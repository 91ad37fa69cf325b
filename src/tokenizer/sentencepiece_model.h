// SPDX-License-Identifier: Apache-2.0
// The file that SentencePiece writes: one message of protocol buffers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lffn {

struct SentencePieceModel {
  enum class Type : uint8_t { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };
  struct Piece {
    std::string text;
    float score = 0;
    Type type = Type::kNormal;
  };
  std::vector<Piece> pieces;
  int64_t kind = 1;  // 1: Unigram
  int64_t unknown_id = 0;
  bool byte_fallback = false;
  bool adds_prefix = true;
  std::string rules;  // of its normaliser, as CharacterMap takes them
};

// Throws Error(LFFN_ERROR_BAD_MODEL), which begins with `where`, and Error(LFFN_ERROR_CANCELLED) if the flag is set; it
// may be nullptr.
SentencePieceModel read_sentencepiece_model(std::string_view file, const std::string& where, const int32_t* cancel);

}  // namespace lffn
