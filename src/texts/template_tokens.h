// SPDX-License-Identifier: Apache-2.0
// The text of a chat template in pieces: what stands outside of its braces, and what stands inside.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lffn {

struct TemplateToken {
  enum class Kind { kText, kStatement, kPrint, kEnd, kName, kString, kInteger, kSign, kEndOfTemplate };
  Kind kind = Kind::kEndOfTemplate;  // kStatement and kPrint open braces, kEnd closes them
  int32_t line = 0;
  std::string text;

  bool is(Kind wanted, std::string_view what) const { return kind == wanted && text == what; }
  bool is_sign(std::string_view what) const { return is(Kind::kSign, what); }
  bool is_name(std::string_view what) const { return is(Kind::kName, what); }
};

// White space is removed as transformers does when it renders chat templates: a line break behind a statement, blanks
// before one that begins its line, what a minus beside braces asks for, and one line break at the very end. Throws
// Error(LFFN_ERROR_BAD_MODEL) that tells the line, or Error(LFFN_ERROR_UNSUPPORTED); Error(LFFN_ERROR_CANCELLED).
std::vector<TemplateToken> cut_template(std::string_view source, const int32_t* cancel);

}  // namespace lffn
