// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/byte_pairs.h"

#include <algorithm>
#include <unordered_map>

#include "runtime/cancel_flag.h"
#include "runtime/error.h"
#include "tokenizer/byte_alphabet.h"

namespace lffn {
namespace {

constexpr size_t kBytesPerLook = 1 << 16;  // between two looks at the cancel flag

// A hash table of a vocabulary's tokens, because merges name each token several times.
class TokenIndex {
 public:
  explicit TokenIndex(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {
    size_t size = 2;
    while (size < vocabulary.sorted().size() * 2) size *= 2;
    slots_.resize(size, {0, -1});
    for (const uint32_t id : vocabulary.sorted()) {
      const uint64_t hash = hash_(vocabulary.text(static_cast<int32_t>(id)));
      size_t at = static_cast<size_t>(hash) & (size - 1);
      while (slots_[at].id >= 0) at = (at + 1) & (size - 1);
      slots_[at] = {static_cast<uint32_t>(hash >> 32), static_cast<int32_t>(id)};
    }
  }

  int32_t find(std::string_view text) const { return find(text, hash_(text)); }

  // -1: none. Each lookup misses the caches, so the misses of many texts are made to overlap.
  static constexpr size_t kMany = 48;
  void find(const std::string_view* texts, size_t count, int32_t* ids) const {
    uint64_t hashes[kMany];
    for (size_t i = 0; i < count; ++i) {
      hashes[i] = hash_(texts[i]);
      __builtin_prefetch(&slots_[static_cast<size_t>(hashes[i]) & (slots_.size() - 1)]);
    }
    for (size_t i = 0; i < count; ++i) {
      const int32_t id = slots_[static_cast<size_t>(hashes[i]) & (slots_.size() - 1)].id;
      if (id >= 0) __builtin_prefetch(vocabulary_.text(id).data());
    }
    for (size_t i = 0; i < count; ++i) ids[i] = find(texts[i], hashes[i]);
  }

 private:
  int32_t find(std::string_view text, uint64_t hash) const {
    const auto tag = static_cast<uint32_t>(hash >> 32);
    for (size_t at = static_cast<size_t>(hash) & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[at];
      if (slot.id < 0 || (slot.tag == tag && vocabulary_.text(slot.id) == text)) return slot.id;
    }
  }

  struct Slot {
    uint32_t tag;  // more bits of the hash
    int32_t id;    // -1: free
  };

  const Vocabulary& vocabulary_;
  std::vector<Slot> slots_;  // open addressing, at most half full
  SeededHash hash_;
};

// The character of a text that is one character followed by `end`; nullopt for any other text.
std::optional<uint32_t> only_character(std::string_view text, std::string_view end) {
  size_t at = 0;
  if (text.empty()) return std::nullopt;
  const uint32_t character = next_character(text, at);
  if (text.substr(at) != end) return std::nullopt;
  return character;
}

constexpr std::string_view kBlankSign = "\u2581";
constexpr size_t kByteToken = 6;  // bytes of "<0x00>"

std::string fallback_token(size_t byte) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  return {'<', '0', 'x', kDigits[byte / 16], kDigits[byte % 16], '>'};
}

// Collects the symbols of a piece, and the unknowns between them.
class Reader {
 public:
  Reader(std::vector<Symbol>& symbols, int32_t unknown_id, bool fuses)
      : symbols_(symbols), unknown_id_(unknown_id), fuses_(fuses) {
    symbols_.clear();
  }

  void add(uint32_t symbol, size_t size) {
    if (unknown_ > 0) put_unknown();
    put(symbol, size);
  }
  // Pending unknowns come behind it, as in the reference.
  void add_byte(uint32_t symbol) { put(symbol, 1); }
  void add_unknown(size_t size) {
    if (unknown_id_ < 0) return;
    if (unknown_ > 0 && !fuses_) put_unknown();
    unknown_ += size;
  }
  size_t finish() {
    if (unknown_ > 0) put_unknown();
    return end_;
  }

 private:
  void put(uint32_t symbol, size_t size) {
    symbols_.push_back({symbol, static_cast<uint32_t>(end_)});
    end_ += size;
  }
  void put_unknown() { put(static_cast<uint32_t>(unknown_id_), std::exchange(unknown_, 0)); }

  std::vector<Symbol>& symbols_;
  int32_t unknown_id_;
  bool fuses_;
  size_t unknown_ = 0, end_ = 0;
};

}  // namespace

BytePairs::BytePairs(const Vocabulary& vocabulary, const MergeTexts& merges, const Settings& settings,
                     int32_t unknown_id, const std::string& where)
    : vocabulary_(vocabulary),
      settings_(settings),
      num_known_(static_cast<uint32_t>(vocabulary.end())),
      unknown_id_(unknown_id) {
  const TokenIndex tokens(vocabulary);
  std::unordered_map<std::string, uint32_t, SeededHash> numbers;
  const auto symbol_of = [&](std::string_view text, int32_t id) {
    if (id >= 0) return static_cast<uint32_t>(id);
    const auto [entry, added] =
        numbers.try_emplace(std::string(text), num_known_ + static_cast<uint32_t>(outside_.size()));
    if (added) outside_.emplace_back(text);
    return entry->second;
  };
  const auto refuse = [&](size_t rank, const char* why) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: the merge of %s and %s is %s", where.c_str(), in_quotes(merges.left(rank)).c_str(),
         in_quotes(merges.right(rank)).c_str(), why);
  };
  cuts_ = !settings_.by_bytes && !settings_.ignore_merges && settings_.end_of_word.empty() &&
          vocabulary.has(unknown_id_) && tokens.find(kBlankSign) >= 0;
  std::vector<Merge> by_rank;
  by_rank.reserve(merges.size());
  std::string bytes;
  // Files that list every pair that makes a token list these pairs one after another.
  const auto is_again = [&](size_t rank) { return rank > 0 && merges.both(rank) == merges.both(rank - 1); };
  std::string_view texts[TokenIndex::kMany];  // the left one, the right one and both of some merges
  int32_t ids[TokenIndex::kMany];
  for (size_t first = 0; first < merges.size();) {
    const size_t end = std::min(merges.size(), first + TokenIndex::kMany / 3);
    size_t count = 0;
    for (size_t rank = first; rank < end; ++rank) {
      if (merges.left(rank).empty() || merges.right(rank).empty()) refuse(rank, "of an empty text");
      texts[count++] = merges.left(rank);
      texts[count++] = merges.right(rank);
      if (cuts_ && starts_with(merges.right(rank), kBlankSign)) keep_together(merges.left(rank));
      if (is_again(rank)) continue;
      bytes.clear();
      if (settings_.by_bytes && !append_token_bytes(bytes, merges.both(rank))) refuse(rank, "not of the byte alphabet");
      texts[count++] = merges.both(rank);
    }
    tokens.find(texts, count, ids);
    size_t at = 0;
    const auto next_symbol = [&] {
      const size_t place = at++;
      return symbol_of(texts[place], ids[place]);
    };
    for (; first < end; ++first) {
      const uint32_t left = next_symbol(), right = next_symbol();
      by_rank.push_back({left, right, is_again(first) ? by_rank.back().merged : next_symbol()});
    }
  }
  merger_.emplace(std::move(by_rank));
  if (merger_->twice()) refuse(*merger_->twice(), "there twice");

  // A text that is not a token still has a symbol if a merge has it.
  const auto known_symbol = [&](const std::string& text) {
    const int32_t id = tokens.find(text);
    if (id >= 0) return static_cast<uint32_t>(id);
    const auto found = numbers.find(text);
    return found != numbers.end() ? found->second : kNone;
  };
  knows_all_bytes_ = settings_.by_bytes;
  for (size_t byte = 0; byte < byte_symbols_.size(); ++byte) {
    std::string text;
    append_byte_character(text, static_cast<uint8_t>(byte));
    byte_symbols_[byte] = known_symbol(text);
    last_byte_symbols_[byte] = known_symbol(text + settings_.end_of_word);
    fallback_[byte] = settings_.byte_fallback ? known_symbol(fallback_token(byte)) : kNone;
    for (const uint32_t symbol : {byte_symbols_[byte], last_byte_symbols_[byte]}) {
      knows_all_bytes_ = knows_all_bytes_ && symbol < num_known_;
    }
  }
  if (settings_.by_bytes) return;

  size_t count = 0, size = 2;
  const auto for_characters = [&](const auto& found) {
    const auto look = [&](std::string_view text, uint32_t symbol) {
      if (const auto character = only_character(text, "")) found(*character, symbol);
      if (settings_.end_of_word.empty()) return;
      if (const auto character = only_character(text, settings_.end_of_word)) found(*character | kLast, symbol);
    };
    for (const uint32_t id : vocabulary.sorted()) look(vocabulary.text(static_cast<int32_t>(id)), id);
    for (size_t i = 0; i < outside_.size(); ++i) look(outside_[i], num_known_ + static_cast<uint32_t>(i));
  };
  for_characters([&](uint32_t, uint32_t) { ++count; });
  while (size < count * 2) size *= 2;
  characters_.resize(size, {0, kNone});
  for_characters([&](uint32_t character, uint32_t symbol) {
    size_t at = hash_(uint64_t{character}) & (size - 1);
    while (characters_[at].symbol != kNone) at = (at + 1) & (size - 1);
    characters_[at] = {character, symbol};
  });
}

uint32_t BytePairs::symbol_of(uint32_t code_point, bool is_last) const {
  const uint32_t character = is_last && !settings_.end_of_word.empty() ? code_point | kLast : code_point;
  const size_t mask = characters_.size() - 1;
  for (size_t at = hash_(uint64_t{character}) & mask;; at = (at + 1) & mask) {
    const Slot& slot = characters_[at];
    if (slot.symbol == kNone || slot.character == character) return slot.symbol;
  }
}

size_t BytePairs::read_bytes(std::string_view piece, std::vector<Symbol>& symbols) const {
  Reader reader(symbols, unknown_id_, settings_.fuse_unknown);
  for (size_t at = 0; at < piece.size(); ++at) {
    const auto byte = static_cast<unsigned char>(piece[at]);
    const uint32_t symbol = at + 1 < piece.size() ? byte_symbols_[byte] : last_byte_symbols_[byte];
    if (symbol != kNone) {
      reader.add(symbol, 1);
    } else {
      reader.add_unknown(1);
    }
  }
  return reader.finish();
}

size_t BytePairs::read_characters(std::string_view piece, std::vector<Symbol>& symbols, const int32_t* cancel) const {
  Reader reader(symbols, unknown_id_, settings_.fuse_unknown);
  size_t polled = 0;
  for (size_t at = 0; at < piece.size();) {
    if (at >= polled) {
      poll(cancel);
      polled = at + kBytesPerLook;
    }
    const size_t begin = at;
    const uint32_t code_point = next_character(piece, at);
    const uint32_t symbol = symbol_of(code_point, at == piece.size());
    if (symbol != kNone) {
      reader.add(symbol, at - begin);
      continue;
    }
    const std::string_view bytes = piece.substr(begin, at - begin);
    const bool falls_back = std::all_of(
        bytes.begin(), bytes.end(), [&](char byte) { return fallback_[static_cast<unsigned char>(byte)] != kNone; });
    if (!falls_back) {
      reader.add_unknown(bytes.size());
      continue;
    }
    for (const char byte : bytes) reader.add_byte(fallback_[static_cast<unsigned char>(byte)]);
  }
  return reader.finish();
}

int32_t BytePairs::id_of_whole(std::string_view piece, std::string& text) const {
  if (!settings_.by_bytes) return vocabulary_.find(piece);
  text.clear();
  for (const char byte : piece) append_byte_character(text, static_cast<uint8_t>(byte));
  return vocabulary_.find(text);
}

std::string_view BytePairs::text_of(uint32_t symbol) const {
  return symbol < num_known_ ? vocabulary_.text(static_cast<int32_t>(symbol))
                             : std::string_view(outside_[symbol - num_known_]);
}

// Notes that a merge joins `left` to a text that begins with a sign for blanks: no cut may part them.
void BytePairs::keep_together(std::string_view left) {
  constexpr size_t kFew = 16;
  if (ends_with(left, kBlankSign)) return;
  const std::string_view last = left.substr(character_before(left, left.size()));
  // A byte's token and the unknown token come from characters other than their own.
  const bool is_byte = left.size() >= kByteToken && starts_with(left.substr(left.size() - kByteToken), "<0x");
  const bool is_strange = is_byte || ends_with(left, vocabulary_.text(unknown_id_));
  if (is_strange || behind_.size() >= kFew) cuts_ = false;
  if (behind_.find(last) == std::string::npos) behind_ += last;
}

size_t BytePairs::next_cut(std::string_view piece, size_t at) const {
  if (!cuts_) return piece.size();
  while ((at = piece.find(kBlankSign, at + 1)) != std::string_view::npos) {
    const size_t before = character_before(piece, at);
    const std::string_view character = piece.substr(before, at - before);
    if (character != kBlankSign && behind_.find(character) == std::string::npos) return at;
  }
  return piece.size();
}

size_t BytePairs::bytes() const {
  size_t bytes = merger_->bytes() + outside_.capacity() * sizeof(std::string) + characters_.capacity() * sizeof(Slot);
  for (const std::string& symbol : outside_) bytes += symbol.size();
  return bytes;
}

MergeTexts BytePairs::merges() const {
  MergeTexts result;
  for (const Merge& merge : merger_->merges()) result.add(text_of(merge.left), text_of(merge.right));
  return result;
}

}  // namespace lffn
