// SPDX-License-Identifier: Apache-2.0
#include "texts/template_expressions.h"

#include <algorithm>
#include <utility>

#include "format/utf8.h"
#include "runtime/error.h"
#include "texts/template_functions.h"

namespace lffn {
namespace {

// Neither this parser nor what walks over its tree may run out of stack.
constexpr int32_t kMostDepth = 64;
constexpr int32_t kMostNesting = 24;

}  // namespace

TemplateExpressionParser::Nested::Nested(TemplateExpressionParser& parser) : parser_(parser) {
  if (++parser_.nesting_ > kMostNesting) parser_.refuse("it is nested too deeply");
}

void TemplateExpressionParser::refuse(const std::string& what) const {
  fail(LFFN_ERROR_BAD_MODEL, "chat template, line %d: %s", now().line, what.c_str());
}

void TemplateExpressionParser::unsupported(const std::string& what) const {
  fail(LFFN_ERROR_UNSUPPORTED, "chat template, line %d: %s is not supported", now().line, what.c_str());
}

bool TemplateExpressionParser::take_sign(std::string_view sign) {
  if (!now().is_sign(sign)) return false;
  step();
  return true;
}

bool TemplateExpressionParser::take_name(std::string_view name) {
  if (!now().is_name(name)) return false;
  step();
  return true;
}

void TemplateExpressionParser::check_callee(const char* kind, const std::string& name) const {
  const bool is_known = kind[0] == 'f' && kind[1] == 'i' ? is_template_filter(name)
                        : kind[0] == 't'                 ? is_template_test(name)
                        : kind[0] == 'm'
                            ? is_template_method(name)
                            : name == "namespace" || name == "raise_exception" || name == "range" || name == "dict";
  if (!is_known) unsupported(std::string("the ") + kind + ' ' + in_quotes(name));
}

std::string TemplateExpressionParser::callee(const char* kind) {
  if (now().kind == Token::kName) check_callee(kind, now().text);
  return need_name();
}

void TemplateExpressionParser::need_sign(const char* sign) {
  if (!take_sign(sign)) refuse(std::string("expected ") + sign);
}

std::string TemplateExpressionParser::need_name() {
  if (now().kind != Token::kName) refuse("expected a name");
  std::string name = now().text;
  step();
  return name;
}

TemplateExpression TemplateExpressionParser::make(Kind kind, std::string text) const {
  TemplateExpression result;
  result.kind = kind;
  result.line = now().line;
  result.text = std::move(text);
  return result;
}

void TemplateExpressionParser::add(TemplateExpression& to, TemplateExpression part) const {
  to.depth = std::max(to.depth, part.depth + 1);
  if (to.depth > kMostDepth) refuse("an expression is nested too deeply");
  to.parts.push_back(std::move(part));
}

TemplateExpression TemplateExpressionParser::of(Kind kind, TemplateExpression first, TemplateExpression second,
                                                std::string text) const {
  TemplateExpression result = make(kind, std::move(text));
  add(result, std::move(first));
  add(result, std::move(second));
  return result;
}

TemplateExpression TemplateExpressionParser::expression() {
  const Nested nested(*this);
  TemplateExpression result = either();
  while (take_name("if")) {
    TemplateExpression choice = make(Kind::kChoice);
    add(choice, either());
    add(choice, std::move(result));
    if (take_name("else")) add(choice, expression());
    result = std::move(choice);
  }
  return result;
}

TemplateExpression TemplateExpressionParser::either() {
  TemplateExpression result = both();
  while (take_name("or")) result = of(Kind::kOr, std::move(result), both());
  return result;
}

TemplateExpression TemplateExpressionParser::both() {
  TemplateExpression result = negation();
  while (take_name("and")) result = of(Kind::kAnd, std::move(result), negation());
  return result;
}

TemplateExpression TemplateExpressionParser::negation() {
  if (!now().is_name("not")) return comparison();
  const Nested nested(*this);
  TemplateExpression result = make(Kind::kNot);
  step();
  add(result, negation());
  return result;
}

// The comparison that stands here, or "".
std::string TemplateExpressionParser::take_comparison() {
  for (const char* sign : {"==", "!=", "<=", ">=", "<", ">"}) {
    if (take_sign(sign)) return sign;
  }
  if (take_name("in")) return "in";
  if (now().is_name("not") && next().is_name("in")) {
    step();
    step();
    return "not in";
  }
  return {};
}

TemplateExpression TemplateExpressionParser::comparison() {
  TemplateExpression first = sum();
  std::string sign = take_comparison();
  if (sign.empty()) return first;
  TemplateExpression result = make(Kind::kCompare);
  add(result, std::move(first));
  for (; !sign.empty(); sign = take_comparison()) {
    add(result, sum());
    result.operators.push_back(sign);
  }
  return result;
}

TemplateExpression TemplateExpressionParser::sum() {
  TemplateExpression result = concatenation();
  while (now().is_sign("+") || now().is_sign("-")) {
    std::string sign = now().text;
    step();
    result = of(Kind::kOperation, std::move(result), concatenation(), std::move(sign));
  }
  return result;
}

TemplateExpression TemplateExpressionParser::concatenation() {
  TemplateExpression first = product();
  if (!now().is_sign("~")) return first;
  TemplateExpression result = make(Kind::kConcatenate);
  add(result, std::move(first));
  while (take_sign("~")) add(result, product());
  return result;
}

TemplateExpression TemplateExpressionParser::product() {
  TemplateExpression result = signed_value(true);
  for (;;) {
    if (now().is_sign("/") || now().is_sign("**")) unsupported("the operator " + now().text);
    if (!now().is_sign("*") && !now().is_sign("//") && !now().is_sign("%")) return result;
    std::string sign = now().text;
    step();
    result = of(Kind::kOperation, std::move(result), signed_value(true), std::move(sign));
  }
}

TemplateExpression TemplateExpressionParser::signed_value(bool with_filters) {
  const Nested nested(*this);
  TemplateExpression result;
  if (now().is_sign("-") || now().is_sign("+")) {
    result = make(now().is_sign("-") ? Kind::kNegative : Kind::kPositive);
    step();
    add(result, signed_value(false));
  } else {
    result = with_members(primary());
  }
  return with_filters ? filtered(std::move(result)) : std::move(result);
}

TemplateExpression TemplateExpressionParser::primary() {
  TemplateExpression result = make(Kind::kNothing);
  if (now().kind == Token::kString) {
    result.kind = Kind::kText;
    for (; now().kind == Token::kString; step()) result.text += now().text;
    return result;
  }
  if (now().kind == Token::kInteger) {
    result.kind = Kind::kInteger;
    for (const char digit : now().text) result.integer = result.integer * 10 + (digit - '0');
    step();
    return result;
  }
  if (now().kind == Token::kName) return named_value();
  if (now().is_sign("(") || now().is_sign("[")) return list();
  if (now().is_sign("{")) return map();
  refuse("expected a value");
}

TemplateExpression TemplateExpressionParser::named_value() {
  TemplateExpression result = make(Kind::kName, now().text);
  const std::string& name = result.text;
  if (name == "true" || name == "True" || name == "false" || name == "False") {
    result.kind = Kind::kBoolean;
    result.integer = name[0] == 't' || name[0] == 'T' ? 1 : 0;
  } else if (name == "none" || name == "None") {
    result.kind = Kind::kNone;
  }
  step();
  return result;
}

// A list or tuple in brackets. A single value in round brackets is just that value.
TemplateExpression TemplateExpressionParser::list() {
  const char* const end = now().is_sign("(") ? ")" : "]";
  TemplateExpression result = make(Kind::kList);
  step();
  bool has_comma = false;
  while (!take_sign(end)) {
    if (!result.parts.empty() && !has_comma) refuse("expected a comma");
    add(result, expression());
    has_comma = take_sign(",");
  }
  if (end[0] == ')' && result.parts.size() == 1 && !has_comma) {
    TemplateExpression alone = std::move(result.parts[0]);
    return alone;
  }
  return result;
}

TemplateExpression TemplateExpressionParser::map() {
  TemplateExpression result = make(Kind::kMap);
  need_sign("{");
  while (!take_sign("}")) {
    if (!result.parts.empty()) need_sign(",");
    if (take_sign("}")) break;
    add(result, expression());
    need_sign(":");
    add(result, expression());
  }
  return result;
}

// The arguments of a call, whose opening bracket stands here.
void TemplateExpressionParser::arguments(TemplateExpression& to) {
  need_sign("(");
  while (!take_sign(")")) {
    if (now().is_sign("*") || now().is_sign("**")) unsupported("a list of arguments by its star");
    if (now().kind == Token::kName && next().is_sign("=")) {
      std::string name = need_name();
      step();
      TemplateExpression value = expression();
      to.depth = std::max(to.depth, value.depth + 1);
      if (to.depth > kMostDepth) refuse("an expression is nested too deeply");
      to.named.emplace_back(std::move(name), std::move(value));
    } else {
      if (!to.named.empty()) refuse("an argument without a name stands behind one with a name");
      add(to, expression());
    }
    if (!now().is_sign(")")) need_sign(",");
  }
}

TemplateExpression TemplateExpressionParser::with_members(TemplateExpression value) {
  for (;;) {
    if (take_sign(".")) {
      TemplateExpression member = make(Kind::kMember);
      if (now().kind == Token::kInteger) unsupported("a number behind a point");
      member.text = need_name();
      add(member, std::move(value));
      value = std::move(member);
    } else if (now().is_sign("[")) {
      value = item(std::move(value));
    } else if (now().is_sign("(")) {
      if (value.kind != Kind::kName && value.kind != Kind::kMember) unsupported("a call of what is no name");
      const bool is_method = value.kind == Kind::kMember;
      check_callee(is_method ? "method" : "function", value.text);
      value.kind = is_method ? Kind::kMethod : Kind::kCall;
      arguments(value);
    } else {
      return value;
    }
  }
}

TemplateExpression TemplateExpressionParser::item(TemplateExpression of_what) {
  TemplateExpression result = make(Kind::kItem);
  need_sign("[");
  add(result, std::move(of_what));
  const auto bound = [&] {
    const bool is_given = !now().is_sign(":") && !now().is_sign("]");
    add(result, is_given ? expression() : make(Kind::kNothing));
  };
  bound();
  if (now().is_sign(":")) {
    result.kind = Kind::kSlice;
    while (result.parts.size() < 4 && take_sign(":")) bound();
    while (result.parts.size() < 4) add(result, make(Kind::kNothing));
  } else if (result.parts[1].kind == Kind::kNothing) {
    refuse("expected a value in brackets");
  }
  if (now().is_sign(",")) unsupported("several values in brackets behind a value");
  need_sign("]");
  return result;
}

TemplateExpression TemplateExpressionParser::filtered(TemplateExpression value) {
  for (;;) {
    if (take_sign("|")) {
      TemplateExpression filter = make(Kind::kFilter, callee("filter"));
      add(filter, std::move(value));
      if (now().is_sign("(")) arguments(filter);
      value = std::move(filter);
    } else if (take_name("is")) {
      value = test(std::move(value));
    } else {
      return value;
    }
  }
}

TemplateExpression TemplateExpressionParser::test(TemplateExpression value) {
  const bool is_negated = take_name("not");
  TemplateExpression result = make(Kind::kTest, callee("test"));
  add(result, std::move(value));
  const auto is_word = [&](const char* word) { return now().is_name(word); };
  const bool is_value = now().kind == Token::kName || now().kind == Token::kString || now().kind == Token::kInteger;
  if (now().is_sign("(")) {
    arguments(result);
  } else if ((is_value || now().is_sign("[") || now().is_sign("{")) && !is_word("else") && !is_word("or") &&
             !is_word("and") && !is_word("if") && !is_word("is")) {
    add(result, with_members(primary()));
  }
  if (!is_negated) return result;
  TemplateExpression negation = make(Kind::kNot);
  add(negation, std::move(result));
  return negation;
}

}  // namespace lffn
