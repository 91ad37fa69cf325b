// What the tokenizer's files say, before anything is made of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/json.h"

namespace lffn {

// A token that is looked for in the text before the text is cut into pieces.
struct SpecialToken {
  std::string content;
  int32_t id = -1;
  bool strip_left = false;   // swallows the blanks before it
  bool strip_right = false;  // and those behind it
  bool skipped = true;       // left out on request when ids become text again
};

struct VocabularyText {
  std::vector<std::pair<std::string, int32_t>> tokens;      // written in the byte alphabet
  std::vector<std::pair<std::string, std::string>> merges;  // likewise, the first rank first
  std::vector<SpecialToken> special;
};

constexpr int32_t kMaxTokenId = (1 << 22) - 1;     // several times the largest vocabularies there are
constexpr size_t kMaxVocabularyBytes = 64u << 20;  // of each file
constexpr size_t kMaxSpecialTokens = 64;

// Each throws Error(LFFN_ERROR_BAD_MODEL) with a message that begins with the file's usual name.
VocabularyText read_vocab_merges(std::string_view vocab_json, std::string_view merges_txt);
VocabularyText read_tokenizer_json(std::string_view text);

// For the readers. `where` begins the message if the value, or the two symbols with a space between, cannot be meant.
void check_vocabulary_size(size_t size, const char* where);
void add_token(VocabularyText& to, std::string&& token, const JsonScalar& id, const std::string& where);
void add_merge(VocabularyText& to, std::string_view pair, const std::string& where);

// The tokenizer.json of what was read: the same text for the same content, and Hugging Face's library reads it, too.
std::string write_tokenizer_json(const VocabularyText& vocabulary);

}  // namespace lffn
