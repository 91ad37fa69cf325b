// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/decoder.h"

#include <optional>
#include <utility>

#include "format/utf8.h"
#include "runtime/error.h"
#include "tokenizer/byte_alphabet.h"

namespace lffn {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  size_t at = text.find(from);
  if (at == std::string::npos) return;
  std::string result;
  size_t done = 0;
  for (; at != std::string::npos; at = text.find(from, done)) {
    result.append(text, done, at - done);
    result += to;
    done = at + from.size();
  }
  result.append(text, done, std::string::npos);
  text.swap(result);
}

std::string word_piece(std::string_view token, const DecoderStep& step, bool is_first) {
  std::string piece;
  if (is_first) {
    piece = token;
  } else if (token.substr(0, step.text.size()) == step.text) {
    piece = token.substr(step.text.size());
  } else {
    piece = ' ';
    piece += token;
  }
  return step.cleans_up ? without_odd_blanks(piece, true) : piece;
}

// Joins all tokens. Those in the byte alphabet become the bytes that they stand for; others stay as they are.
void join_bytes(std::vector<std::string>& tokens) {
  std::string bytes;
  for (const std::string& token : tokens) {
    const size_t size = bytes.size();
    if (append_token_bytes(bytes, token)) continue;
    bytes.resize(size);
    bytes += token;
  }
  tokens.assign(1, repaired_utf8(bytes));
}

// The byte that a token such as "<0x0A>" stands for.
std::optional<char> byte_of(std::string_view token) {
  if (token.size() != 6 || token.substr(0, 3) != "<0x" || token[5] != '>') return std::nullopt;
  int value = 0;
  for (const char digit : token.substr(3, 2)) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const size_t place = kDigits.find(digit >= 'A' && digit <= 'F' ? static_cast<char>(digit + 32) : digit);
    if (place == std::string_view::npos) return std::nullopt;
    value = value * 16 + static_cast<int>(place);
  }
  return static_cast<char>(value);
}

// If neighbouring byte tokens together are not UTF-8, each of them becomes U+FFFD.
void join_fallback(std::vector<std::string>& tokens) {
  std::vector<std::string> result;
  std::string bytes;
  const auto flush = [&] {
    if (valid_utf8_length(bytes) == bytes.size()) {
      if (!bytes.empty()) result.push_back(bytes);
    } else {
      result.insert(result.end(), bytes.size(), "\uFFFD");
    }
    bytes.clear();
  };
  for (std::string& token : tokens) {
    if (const std::optional<char> byte = byte_of(token)) {
      bytes += *byte;
      continue;
    }
    flush();
    result.push_back(std::move(token));
  }
  flush();
  tokens.swap(result);
}

std::string stripped(std::string_view token, const DecoderStep& step) {
  const auto starts = [&] { return token.substr(0, step.text.size()) == step.text; };
  const auto ends = [&] {
    return token.size() >= step.text.size() && token.substr(token.size() - step.text.size()) == step.text;
  };
  for (size_t i = 0; i < step.start && starts(); ++i) token.remove_prefix(step.text.size());
  for (size_t i = 0; i < step.stop && ends(); ++i) token.remove_suffix(step.text.size());
  return std::string(token);
}

// `left` is how many bytes may still be written.
std::string replaced(std::string_view token, const DecoderStep& step, Pattern::Scratch& search, size_t& left) {
  std::string result;
  size_t done = 0;
  const auto check = [&](size_t size) {
    if (size > left) fail(LFFN_ERROR_BAD_TEXT, "the steps of the decoder make the text far longer; give fewer ids");
  };
  search.begin(token.size());
  while (const std::optional<Pattern::Match> match = step.pattern.find(token, done, search, nullptr)) {
    result.append(token, done, match->begin - done).append(step.text);
    done = match->end;
    check(result.size());
  }
  result.append(token, done);
  check(result.size());
  left -= result.size();
  return result;
}

}  // namespace

void decode(const DecoderStep& step, const size_t most, std::vector<std::string>& tokens) {
  switch (step.kind) {
    case DecoderStep::Kind::kByteLevel:
      return join_bytes(tokens);
    case DecoderStep::Kind::kByteFallback:
      return join_fallback(tokens);
    case DecoderStep::Kind::kFuse: {
      std::string all;
      for (const std::string& token : tokens) all += token;
      return tokens.assign(1, all);
    }
    default:
      break;
  }
  Pattern::Scratch search;
  size_t left = most;
  for (size_t i = 0; i < tokens.size(); ++i) {
    std::string& token = tokens[i];
    switch (step.kind) {
      case DecoderStep::Kind::kWordPiece:
        token = word_piece(token, step, i == 0);
        break;
      case DecoderStep::Kind::kMetaspace:
        replace_all(token, step.text, i == 0 && step.prepends ? "" : " ");
        break;
      case DecoderStep::Kind::kEndOfWord:
        if (!step.text.empty()) replace_all(token, step.text, i + 1 < tokens.size() ? " " : "");
        break;
      case DecoderStep::Kind::kStrip:
        token = stripped(token, step);
        break;
      default:
        token = replaced(token, step, search, left);
        break;
    }
  }
}

std::string without_odd_blanks(std::string_view text, bool also_do_not) {
  std::string result(text);
  for (const std::string_view sign : {" .", " ?", " !", " ,"}) replace_all(result, sign, sign.substr(1));
  replace_all(result, " ' ", "'");
  replace_all(result, " n't", "n't");
  replace_all(result, " 'm", "'m");
  if (also_do_not) replace_all(result, " do not", " don't");
  for (const std::string_view end : {" 's", " 've", " 're"}) replace_all(result, end, end.substr(1));
  return result;
}

}  // namespace lffn
