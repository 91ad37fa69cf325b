// SPDX-License-Identifier: Apache-2.0
#include "texts/template_tokens.h"

#include <algorithm>
#include <utility>

#include "format/utf8.h"
#include "runtime/cancel_flag.h"
#include "runtime/error.h"
#include "texts/white_space.h"

namespace lffn {
namespace {

using Kind = TemplateToken::Kind;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool goes_on_name(char c) { return begins_name(c) || is_digit(c); }

// The source with one kind of line break, and without one at the very end.
std::string with_plain_lines(std::string_view source) {
  std::string result;
  result.reserve(source.size());
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r' && i + 1 < source.size() && source[i + 1] == '\n') continue;
    result += source[i] == '\r' ? '\n' : source[i];
  }
  if (!result.empty() && result.back() == '\n') result.pop_back();
  return result;
}

class Cutter {
 public:
  Cutter(std::string_view source, const int32_t* cancel)
      : cancel_(cancel), source_(with_plain_lines(source)), rest_(source_) {}

  std::vector<TemplateToken> cut() {
    while (!rest_.empty()) {
      const size_t brace = next_brace();
      std::string_view text = rest_.substr(0, brace);
      const std::string_view opening = rest_.substr(brace, 2);
      const char sign = rest_.size() > brace + 2 ? rest_[brace + 2] : '\0';
      // A comment's own end may have the same minus: "{#-#}" has one.
      const bool has_sign = !opening.empty() && (sign == '-' || sign == '+');
      add_text(opening.empty() ? text : without_end(text, opening == "{{", has_sign ? sign : '\0'));
      take(text.size() + opening.size() + (has_sign ? 1 : 0));
      if (opening.empty()) break;
      if (opening == "{#") {
        skip_comment();
      } else {
        add(opening == "{{" ? Kind::kPrint : Kind::kStatement, "");
        cut_inside(opening == "{{");
      }
    }
    add(Kind::kEndOfTemplate, "");
    return std::move(tokens_);
  }

 private:
  [[noreturn]] void refuse(const char* what) const {
    fail(LFFN_ERROR_BAD_MODEL, "chat template, line %d: %s", line_, what);
  }

  size_t next_brace() const {
    for (size_t at = rest_.find('{'); at != std::string_view::npos; at = rest_.find('{', at + 1)) {
      const char next = at + 1 < rest_.size() ? rest_[at + 1] : '\0';
      if (next == '{' || next == '%' || next == '#') return at;
    }
    return rest_.size();
  }

  // What remains of a text before braces.
  std::string_view without_end(std::string_view text, bool is_print, char sign) const {
    if (sign == '-') return strip_end(text);
    if (sign == '+' || is_print) return text;
    const size_t line = text.rfind('\n') + 1;  // 0: none
    const bool begins_line = line > 0 || begins_line_;
    return begins_line && strip(text.substr(line)).empty() ? text.substr(0, line) : text;
  }

  void take(size_t bytes) {
    line_ += static_cast<int32_t>(std::count(rest_.begin(), rest_.begin() + static_cast<ptrdiff_t>(bytes), '\n'));
    rest_.remove_prefix(bytes);
  }

  void add(Kind kind, std::string text) {
    poll(cancel_);
    tokens_.push_back({kind, line_, std::move(text)});
  }
  void add_text(std::string_view text) {
    if (!text.empty()) add(Kind::kText, std::string(text));
  }

  // Takes the end of braces, from its sign on.
  void take_end(size_t bytes, char sign, bool is_print) {
    size_t more = 0;
    if (sign == '-') {
      more = rest_.size() - bytes - strip_start(rest_.substr(bytes)).size();
    } else if (!is_print && sign != '+' && rest_.size() > bytes && rest_[bytes] == '\n') {
      more = 1;
    }
    begins_line_ = more > 0 && rest_[bytes + more - 1] == '\n';
    take(bytes + more);
  }

  void skip_comment() {
    const size_t end = rest_.find("#}");
    if (end == std::string_view::npos) refuse("a comment has no end");
    const char sign = end > 0 && (rest_[end - 1] == '-' || rest_[end - 1] == '+') ? rest_[end - 1] : '\0';
    const size_t begin = sign != '\0' ? end - 1 : end;
    take(begin);
    take_end(end + 2 - begin, sign, false);
  }

  // How many bytes of an end stand here; 0: none.
  size_t end_at(bool is_print) const {
    const std::string_view end = is_print ? "}}" : "%}";
    if (starts_with(rest_, end)) return 2;
    const bool has_sign = !rest_.empty() && (rest_[0] == '-' || (!is_print && rest_[0] == '+'));
    return has_sign && starts_with(rest_.substr(1), end) ? 3 : 0;
  }

  void cut_inside(bool is_print) {
    std::string open;  // open brackets, in which closing braces do not count
    for (;;) {
      take(rest_.size() - strip_start(rest_).size());
      if (rest_.empty()) refuse("braces are not closed");
      if (const size_t end = open.empty() ? end_at(is_print) : 0; end > 0) {
        add(Kind::kEnd, "");
        return take_end(end, end == 3 ? rest_[0] : '\0', is_print);
      }
      const char c = rest_[0];
      if (c == '"' || c == '\'') {
        add_string();
      } else if (is_digit(c)) {
        add_number();
      } else if (begins_name(c)) {
        const size_t size =
            static_cast<size_t>(std::find_if_not(rest_.begin(), rest_.end(), goes_on_name) - rest_.begin());
        add(Kind::kName, std::string(rest_.substr(0, size)));
        take(size);
      } else {
        add_sign(open);
      }
    }
  }

  void add_sign(std::string& open) {
    for (const std::string_view sign : {"==", "!=", "<=", ">=", "//", "**"}) {
      if (!starts_with(rest_, sign)) continue;
      add(Kind::kSign, std::string(sign));
      return take(2);
    }
    const char c = rest_[0];
    if (std::string_view("+-*/%~<>=.,:|()[]{}").find(c) == std::string_view::npos) {
      refuse(("a character that means nothing here: " + in_quotes(rest_.substr(0, 1))).c_str());
    }
    if (c == '(' || c == '[' || c == '{') open += c;
    if (c == ')' || c == ']' || c == '}') {
      const char wanted = c == ')' ? '(' : c == ']' ? '[' : '{';
      if (open.empty() || open.back() != wanted) refuse("a bracket closes none that is open");
      open.pop_back();
    }
    add(Kind::kSign, std::string(1, c));
    take(1);
  }

  void add_number() {
    size_t size = static_cast<size_t>(std::find_if_not(rest_.begin(), rest_.end(), is_digit) - rest_.begin());
    const bool has_fraction = size + 1 < rest_.size() && rest_[size] == '.' && is_digit(rest_[size + 1]);
    if (has_fraction || (size < rest_.size() && goes_on_name(rest_[size]))) {
      fail(LFFN_ERROR_UNSUPPORTED, "chat template, line %d: numbers other than whole ones are not supported", line_);
    }
    constexpr size_t kMostDigits = 18;
    if (size > kMostDigits) refuse("a number has more than 18 digits");
    add(Kind::kInteger, std::string(rest_.substr(0, size)));
    take(size);
  }

  // Reads a text in quotes as Python does.
  void add_string() {
    const char quote = rest_[0];
    std::string text;
    size_t at = 1;
    while (at < rest_.size() && rest_[at] != quote) {
      if (rest_[at] != '\\') {
        text += rest_[at++];
        continue;
      }
      if (at + 1 == rest_.size()) break;
      at = unescape(at + 1, text);
    }
    if (at >= rest_.size()) refuse("a text in quotes has no end");
    add(Kind::kString, std::move(text));
    take(at + 1);
  }

  // Appends what the backslash before `at` stands for; returns where that ends.
  size_t unescape(size_t at, std::string& text) {
    constexpr std::string_view kLetters = "abfnrtv\\'\"", kMeant = "\a\b\f\n\r\t\v\\'\"";
    const char c = rest_[at];
    if (const size_t letter = kLetters.find(c); letter != std::string_view::npos) {
      text += kMeant[letter];
      return at + 1;
    }
    if (c == '\n') return at + 1;
    if (c >= '0' && c <= '7') return add_code(at, 3, 8, 1, text);
    if (c == 'x') return add_code(at + 1, 2, 16, 2, text);
    if (c == 'u') return add_code(at + 1, 4, 16, 4, text);
    if (c == 'U') return add_code(at + 1, 8, 16, 8, text);
    if (c == 'N') fail(LFFN_ERROR_UNSUPPORTED, "chat template, line %d: \\N is not supported", line_);
    text += '\\';
    text += c;
    return at + 1;
  }

  size_t add_code(size_t at, size_t most, uint32_t base, size_t least, std::string& text) {
    uint32_t code = 0;
    size_t digits = 0;
    for (; digits < most && at < rest_.size(); ++digits, ++at) {
      const char c = rest_[at];
      const uint32_t digit = is_digit(c)            ? static_cast<uint32_t>(c - '0')
                             : c >= 'a' && c <= 'f' ? static_cast<uint32_t>(c - 'a' + 10)
                             : c >= 'A' && c <= 'F' ? static_cast<uint32_t>(c - 'A' + 10)
                                                    : base;
      if (digit >= base) break;
      code = code * base + digit;
    }
    constexpr uint32_t kLast = 0x10FFFF, kFirstSurrogate = 0xD800, kLastSurrogate = 0xDFFF;
    if (digits < least || code > kLast || (code >= kFirstSurrogate && code <= kLastSurrogate)) {
      refuse("a backslash is followed by no character's number");
    }
    append_utf8(text, code);
    return at;
  }

  const int32_t* cancel_;
  std::string source_;
  std::string_view rest_;
  int32_t line_ = 1;
  bool begins_line_ = true;  // what follows
  std::vector<TemplateToken> tokens_;
};

}  // namespace

std::vector<TemplateToken> cut_template(std::string_view source, const int32_t* cancel) {
  return Cutter(source, cancel).cut();
}

}  // namespace lffn
