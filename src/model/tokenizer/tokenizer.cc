#include "model/tokenizer/tokenizer.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "format/utf8.h"
#include "model/tokenizer/byte_alphabet.h"
#include "model/tokenizer/split.h"
#include "runtime/error.h"

namespace lffn {
namespace {

constexpr uint32_t kNowhere = UINT32_MAX;

// Gives each text a number, in the order of their coming.
class Numbering {
 public:
  explicit Numbering(std::vector<std::string>& texts) : texts_(texts) {}

  uint32_t number(const std::string& text) {
    const auto next = static_cast<uint32_t>(texts_.size());
    const auto [entry, added] = numbers_.try_emplace(text, next);
    if (added) texts_.push_back(text);
    return entry->second;
  }

 private:
  std::vector<std::string>& texts_;
  std::unordered_map<std::string, uint32_t, SeededHash> numbers_;
};

// Bytes of the longest start of a character, or of one stray byte, at the start of text that is not UTF-8 there.
size_t broken_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  const size_t size = lead < 0xC2 || lead > 0xF4 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (size == 1 || text.size() == 1 || byte(1) < low || byte(1) > high) return 1;
  size_t length = 2;
  while (length < size && length < text.size() && (byte(length) & 0xC0) == 0x80) ++length;
  return length;
}

std::string repaired(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t valid = valid_utf8_length(text);
    result.append(text, 0, valid);
    text.remove_prefix(valid);
    if (text.empty()) break;
    result += "\xEF\xBF\xBD";
    text.remove_prefix(broken_length(text));
  }
  return result;
}

// Where the blanks before `end` begin, which are not before `from`.
size_t blanks_begin(std::string_view text, size_t from, size_t end) {
  while (end > from) {
    size_t at = end - 1;
    while (at > from && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
    if (character_at(text, at).kind != UnicodeClass::kSpace) break;
    end = at;
  }
  return end;
}

}  // namespace

std::unique_ptr<const Tokenizer> Tokenizer::from_vocab_merges(std::string_view vocab_json,
                                                              std::string_view merges_txt) {
  return std::make_unique<const Tokenizer>(read_vocab_merges(vocab_json, merges_txt), "vocab.json and merges.txt");
}

std::unique_ptr<const Tokenizer> Tokenizer::from_tokenizer_json(std::string_view text) {
  return std::make_unique<const Tokenizer>(read_tokenizer_json(text), "tokenizer.json");
}

Tokenizer::Tokenizer(VocabularyText&& vocabulary, const std::string& where) : special_(std::move(vocabulary.special)) {
  const auto refuse = [&](const std::string& message) { throw Error(LFFN_ERROR_BAD_MODEL, where + ": " + message); };
  std::vector<std::pair<std::string, int32_t>>& tokens = vocabulary.tokens;
  std::sort(tokens.begin(), tokens.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  Numbering numbering(symbols_);
  for (const auto& [text, id] : tokens) {
    place_of_id_.resize(std::max(place_of_id_.size(), static_cast<size_t>(id) + 1), {kNowhere, kNowhere});
    uint32_t& place = place_of_id_[static_cast<size_t>(id)].symbol;
    if (place != kNowhere) {
      refuse("the id " + std::to_string(id) + " is given to " + in_quotes(symbols_[place]) + " and to " +
             in_quotes(text));
    }
    place = numbering.number(text);  // a new one: JSON objects have no key twice
    id_of_symbol_.push_back(id);
  }
  num_tokens_ = symbols_.size();
  add_special(where);

  std::array<uint32_t, 256> byte_symbols;
  for (size_t byte = 0; byte < byte_symbols.size(); ++byte) {
    std::string text;
    append_byte_character(text, static_cast<uint8_t>(byte));
    byte_symbols[byte] = numbering.number(text);
  }
  std::vector<Merge> merges;
  merges.reserve(vocabulary.merges.size());
  std::unordered_set<uint64_t, SeededHash> pairs;
  for (const auto& [left, right] : vocabulary.merges) {
    std::string bytes;
    const bool known = append_token_bytes(bytes, left) && append_token_bytes(bytes, right);
    if (!known || left.empty() || right.empty()) {
      refuse("the merge of " + in_quotes(left) + " and " + in_quotes(right) + " is not of the byte alphabet");
    }
    const Merge merge = {numbering.number(left), numbering.number(right), numbering.number(left + right)};
    if (!pairs.insert(uint64_t{merge.left} << 32 | merge.right).second) {
      refuse("the merge of " + in_quotes(left) + " and " + in_quotes(right) + " is there twice");
    }
    merges.push_back(merge);
  }
  id_of_symbol_.resize(symbols_.size(), unk_id_);
  merger_.emplace(byte_symbols, std::move(merges));
}

// Checks the special tokens against the vocabulary and gives them their ids' places.
void Tokenizer::add_special(const std::string& where) {
  std::stable_sort(special_.begin(), special_.end(),
                   [](const auto& a, const auto& b) { return a.content.size() > b.content.size(); });
  for (size_t i = 0; i < special_.size(); ++i) {
    const SpecialToken& token = special_[i];
    const auto id = static_cast<size_t>(token.id);
    place_of_id_.resize(std::max(place_of_id_.size(), id + 1), {kNowhere, kNowhere});
    Place& place = place_of_id_[id];
    const bool taken =
        place.special != kNowhere || (place.symbol != kNowhere && symbols_[place.symbol] != token.content);
    if (taken) {
      fail(LFFN_ERROR_BAD_MODEL, "%s: the id %d of the token %s belongs to another token", where.c_str(), token.id,
           in_quotes(token.content).c_str());
    }
    place.special = static_cast<uint32_t>(i);
    if (first_bytes_.find(token.content[0]) == std::string::npos) first_bytes_ += token.content[0];
  }
  const auto find = [&](const char* content, bool required) {
    for (const SpecialToken& token : special_) {
      if (token.content == content) return token.id;
    }
    if (required) fail(LFFN_ERROR_BAD_MODEL, "%s: the token '%s' is missing", where.c_str(), content);
    return -1;
  };
  bos_id_ = find("<s>", true);
  eos_id_ = find("</s>", true);
  unk_id_ = find("<unk>", true);
  pad_id_ = find("<pad>", false);
  mask_id_ = find("<mask>", false);
}

std::string Tokenizer::to_json() const {
  VocabularyText text;
  for (size_t i = 0; i < num_tokens_; ++i) text.tokens.emplace_back(symbols_[i], id_of_symbol_[i]);
  for (const Merge& merge : merger_->merges()) text.merges.emplace_back(symbols_[merge.left], symbols_[merge.right]);
  text.special = special_;
  return write_tokenizer_json(text);
}

Tokenizer::Found Tokenizer::next_special(std::string_view text, size_t from) const {
  for (size_t at = from; (at = text.find_first_of(first_bytes_, at)) != std::string_view::npos; ++at) {
    for (const SpecialToken& token : special_) {
      if (text.compare(at, token.content.size(), token.content) != 0) continue;
      Found found = {&token, at, at + token.content.size()};
      if (token.strip_left) found.begin = blanks_begin(text, from, found.begin);
      while (token.strip_right && found.end < text.size()) {
        const Character next = character_at(text, found.end);
        if (next.kind != UnicodeClass::kSpace) break;
        found.end += next.size;
      }
      return found;
    }
  }
  return {nullptr, text.size(), text.size()};
}

void Tokenizer::encode(std::string_view text, const Options& options, std::vector<int32_t>& ids,
                       std::vector<TextSpan>* spans) const {
  const size_t valid = valid_utf8_length(text);
  if (valid != text.size()) fail(LFFN_ERROR_INVALID_ARGUMENT, "byte %zu of the text is not valid UTF-8", valid);
  ids.clear();
  if (spans != nullptr) spans->clear();
  const auto add = [&](int32_t id, size_t begin, size_t end) {
    ids.push_back(id);
    if (spans != nullptr) spans->push_back({begin, end});
  };

  const size_t most = options.special ? options.most - 1 : options.most;
  if (options.special) add(bos_id_, 0, 0);
  std::vector<Symbol> symbols;
  for (size_t at = 0; at < text.size() && ids.size() < most;) {
    const Found special = next_special(text, at);
    const std::string_view plain = text.substr(0, special.begin);
    while (at < plain.size() && ids.size() < most) {
      const size_t end = piece_end(plain, at);
      merger_->merge(plain.substr(at, end - at), symbols);
      for (size_t i = 0; i < symbols.size(); ++i) {
        add(id_of_symbol_[symbols[i].symbol], at + symbols[i].begin,
            i + 1 < symbols.size() ? at + symbols[i + 1].begin : end);
      }
      at = end;
    }
    if (special.token != nullptr && at == plain.size()) {
      add(special.token->id, special.begin, special.end);
      at = special.end;
    }
  }
  if (ids.size() > most) {
    ids.resize(most);
    if (spans != nullptr) spans->resize(most);
  }
  if (options.special) add(eos_id_, text.size(), text.size());
}

std::string Tokenizer::decode(const int32_t* ids, size_t count, bool skip_special) const {
  std::string bytes;
  for (size_t i = 0; i < count; ++i) {
    const int32_t id = ids[i];
    const bool known = id >= 0 && id < size();
    const Place place = known ? place_of_id_[static_cast<size_t>(id)] : Place{kNowhere, kNowhere};
    if (place.special != kNowhere) {
      const SpecialToken& token = special_[place.special];
      if (!(skip_special && token.skipped)) bytes += token.content;
    } else if (place.symbol != kNowhere) {
      append_token_bytes(bytes, symbols_[place.symbol]);
    } else {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "ids[%zu] is %d, which is not in the vocabulary of %d", i, id, size());
    }
  }
  return repaired(bytes);
}

}  // namespace lffn
