// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/decoder.h"

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

}  // namespace

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

void append_word_piece(std::string& text, std::string_view token, std::string_view prefix, bool is_first,
                       bool cleans_up) {
  std::string piece;
  if (is_first) {
    piece = token;
  } else if (token.substr(0, prefix.size()) == prefix) {
    piece = token.substr(prefix.size());
  } else {
    piece = ' ';
    piece += token;
  }
  text += cleans_up ? without_odd_blanks(piece, true) : piece;
}

void append_byte_token(std::string& bytes, std::string_view token) {
  const size_t size = bytes.size();
  if (append_token_bytes(bytes, token)) return;
  bytes.resize(size);
  bytes += token;
}

}  // namespace lffn
