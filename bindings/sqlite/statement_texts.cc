// SPDX-License-Identifier: Apache-2.0
// Finds the SELECT for a statement's texts in its SQL. It need not understand all of SQL: it gives up on SQL that it
// does not know.
#include <algorithm>
#include <cctype>
#include <iterator>
#include <vector>

#include "look_ahead.h"

namespace lffn::sql {
namespace {

struct Token {
  std::string_view text;
  int depth = 0;         // of parentheses around it
  bool is_word = false;  // not in quotes
};

bool is_word_byte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 128;
}

// The place behind a quoted part that begins at `at` and ends with `end`; `end` twice does not end it.
size_t behind_quoted(std::string_view sql, size_t at, char end) {
  for (++at; at < sql.size(); ++at) {
    if (sql[at] != end) continue;
    if (end == ']' || at + 1 == sql.size() || sql[at + 1] != end) return at + 1;
    ++at;
  }
  return at;
}

std::vector<Token> tokens_of(std::string_view sql) {
  std::vector<Token> tokens;
  int depth = 0;
  for (size_t at = 0; at < sql.size();) {
    const char c = sql[at];
    size_t end = at + 1;
    const bool is_comment = sql.substr(at, 2) == "--" || sql.substr(at, 2) == "/*";
    if (std::isspace(static_cast<unsigned char>(c)) != 0 || is_comment) {
      if (is_comment) end = sql.find(c == '-' ? "\n" : "*/", at + 2);
      if (is_comment && c == '/' && end != std::string_view::npos) end += 2;
      at = std::min(end, sql.size());
      continue;
    }
    const bool is_word = is_word_byte(c);
    if (is_word) {
      while (end < sql.size() && is_word_byte(sql[end])) ++end;
    } else if (c == '\'' || c == '"' || c == '`' || c == '[') {
      end = behind_quoted(sql, at, c == '[' ? ']' : c);
    }
    if (c == ')') --depth;
    tokens.push_back({sql.substr(at, end - at), depth, is_word});
    if (c == '(') ++depth;
    at = end;
  }
  return tokens;
}

bool is(const Token& token, std::string_view word) {
  return token.is_word && token.text.size() == word.size() &&
         std::equal(word.begin(), word.end(), token.text.begin(),
                    [](char a, char b) { return a == std::toupper(static_cast<unsigned char>(b)); });
}

template <typename Words>
bool is_one_of(const Token& token, const Words& words) {
  return std::any_of(std::begin(words), std::end(words), [&](const char* word) { return is(token, word); });
}

// Words that may stand before parentheses: running these functions a second time has no effect but time.
constexpr const char* kBeforeParentheses[] = {
    "AND",    "AS",     "BETWEEN", "CASE",  "ELSE",   "FROM",      "GLOB",     "IN",     "IS",     "LIKE",  "NOT",
    "ON",     "OR",     "THEN",    "USING", "WHEN",   "WHERE",     "COALESCE", "IFNULL", "LENGTH", "LOWER", "LTRIM",
    "NULLIF", "PRINTF", "REPLACE", "RTRIM", "SUBSTR", "SUBSTRING", "TRIM",     "UPPER",  "FORMAT", "JOIN"};
// Words that combine rows, or end the select.
constexpr const char* kNotRead[] = {"SELECT", "GROUP",  "HAVING", "UNION", "INTERSECT",
                                    "EXCEPT", "WINDOW", "OVER",   "WITH"};

using Place = std::vector<Token>::const_iterator;

bool is_simple(Place begin, Place end) {
  for (Place token = begin; token != end; ++token) {
    if (is_one_of(*token, kNotRead)) return false;
    const Place next = token + 1;
    const bool is_name = token->is_word || token->text[0] == '"' || token->text[0] == '`' || token->text[0] == '[';
    if (is_name && next != end && next->text == "(" && !is_one_of(*token, kBeforeParentheses)) return false;
  }
  return true;
}

std::string_view between(Place begin, Place end) {
  const char* const first = begin->text.data();
  const Token& last = *(end - 1);
  return {first, static_cast<size_t>(last.text.data() + last.text.size() - first)};
}

}  // namespace

std::string texts_of_statement(std::string_view sql) {
  const std::vector<Token> tokens = tokens_of(sql);
  if (tokens.empty()) return {};
  const auto find = [&](Place from, std::string_view word, Place end) {
    return std::find_if(from, end, [&](const Token& token) { return token.depth == 0 && is(token, word); });
  };
  Place end = std::find_if(tokens.begin(), tokens.end(), [](const Token& token) { return token.text == ";"; });
  const Place first = tokens.begin();
  const bool updates = is(*first, "UPDATE");
  const bool selects = is(*first, "SELECT") || is(*first, "INSERT") || is(*first, "REPLACE") || is(*first, "CREATE");
  if (!updates && !selects) return {};

  // There must be exactly one call.
  const auto is_call = [](const Token& token) { return is(token, "LFFN_EMBED"); };
  const Place call = std::find_if(first, end, is_call);
  if (call == end || std::count_if(first, end, is_call) != 1 || call + 1 == end || (call + 1)->text != "(") return {};
  const Place argument = call + 2;
  const int depth = (call + 1)->depth;
  const Place behind = std::find_if(argument, end, [&](const Token& token) {
    return (token.depth == depth && token.text == ")") || (token.depth == depth + 1 && token.text == ",");
  });
  if (behind == end || behind == argument || !is_simple(argument, behind)) return {};

  // Cuts off the clauses that follow the rows.
  end = std::min(end, find(call, "RETURNING", end));
  for (Place on = find(call, "ON", end); on != end; on = find(on + 1, "ON", end)) {
    if (on + 1 != end && is(*(on + 1), "CONFLICT")) {
      end = on;
      break;
    }
  }
  if (updates) {
    Place table = first + 1;
    if (table != end && is(*table, "OR")) table += std::min<std::ptrdiff_t>(2, end - table);
    const Place set = find(table, "SET", end), where = find(call, "WHERE", end);
    if (set >= call || set == table || find(call, "FROM", end) != end || !is_simple(where, end)) return {};
    std::string source =
        "SELECT " + std::string(between(argument, behind)) + " FROM " + std::string(between(table, set));
    if (where != end) source += " " + std::string(between(where, end));
    return source;
  }
  const Place select = find(first, "SELECT", call), from = find(call, "FROM", end);
  if (select == call || from == end || from + 1 == end || is(*(select + 1), "DISTINCT")) return {};
  if (std::count_if(first, call, [](const Token& token) { return is(token, "SELECT") || is(token, "WITH"); }) != 1) {
    return {};
  }
  if (!is_simple(call + 2, end)) return {};
  return "SELECT " + std::string(between(argument, behind)) + " " + std::string(between(from, end));
}

}  // namespace lffn::sql
