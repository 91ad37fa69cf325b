// SPDX-License-Identifier: Apache-2.0
// Operators and slices of chat templates.
#include <algorithm>

#include "format/characters.h"
#include "format/utf8.h"
#include "runtime/error.h"
#include "texts/template_run.h"

namespace lffn {
namespace {

using Form = TemplateExpression::Kind;
using Kind = TemplateValue::Kind;

[[noreturn]] void refuse_kinds(const std::string& sign, const TemplateValue& a, const TemplateValue& b) {
  for (const TemplateValue* value : {&a, &b}) {
    if (!value->is(Kind::kUndefined)) continue;
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s is used, but is not defined", in_quotes(value->text()).c_str());
  }
  fail(LFFN_ERROR_INVALID_ARGUMENT, "there is no %s of %s and %s", sign.c_str(), a.kind_name(), b.kind_name());
}

// Divides as Python does, rounding down.
int64_t divided(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

int64_t calculated(const std::string& sign, int64_t a, int64_t b) {
  int64_t result = 0;
  bool overflows = false;
  if (sign == "+") {
    overflows = __builtin_add_overflow(a, b, &result);
  } else if (sign == "-") {
    overflows = __builtin_sub_overflow(a, b, &result);
  } else if (sign == "*") {
    overflows = __builtin_mul_overflow(a, b, &result);
  } else {
    if (b == 0) fail(LFFN_ERROR_INVALID_ARGUMENT, "a division by zero");
    overflows = b == -1 && a == INT64_MIN;
    if (!overflows) result = sign == "//" ? divided(a, b) : a - b * divided(a, b);
  }
  if (overflows) fail(LFFN_ERROR_UNSUPPORTED, "a number of more than 64 bits is not supported");
  return result;
}

}  // namespace

TemplateValue TemplateRun::operate(const TemplateExpression& expression) {
  const TemplateValue a = evaluate(expression.parts[0]), b = evaluate(expression.parts[1]);
  const std::string& sign = expression.text;
  if (a.is_number() && b.is_number()) return TemplateValue::integer(calculated(sign, a.number(), b.number()));
  if (sign == "+" && a.is(Kind::kText) && b.is(Kind::kText)) {
    budget_.spend(a.text().size() + b.text().size());
    return TemplateValue::text(a.text() + b.text());
  }
  if (sign == "+" && a.is(Kind::kList) && b.is(Kind::kList) && !a.is_stream() && !b.is_stream()) {
    budget_.spend(kItemBytes * (a.items().size() + b.items().size()));
    TemplateValue::List both = a.items();
    both.insert(both.end(), b.items().begin(), b.items().end());
    return TemplateValue::list(std::move(both));
  }
  if (sign == "*" && (a.is(Kind::kText) ? b : a).is_number() && (a.is(Kind::kText) || b.is(Kind::kText))) {
    const std::string& text = (a.is(Kind::kText) ? a : b).text();
    std::string result;
    for (int64_t i = (a.is(Kind::kText) ? b : a).number(); i > 0; --i) {
      budget_.spend(text.size() + 1);
      result += text;
    }
    return TemplateValue::text(std::move(result));
  }
  if (sign == "%" && a.is(Kind::kText)) fail(LFFN_ERROR_UNSUPPORTED, "the operator %% of a text is not supported");
  if (sign == "*" && (a.is(Kind::kList) || b.is(Kind::kList))) {
    fail(LFFN_ERROR_UNSUPPORTED, "the operator * of a list is not supported");
  }
  refuse_kinds(sign, a, b);
}

TemplateValue TemplateRun::compare(const TemplateExpression& expression) {
  TemplateValue left = evaluate(expression.parts[0]);
  for (size_t i = 0; i < expression.operators.size(); ++i) {
    const std::string& sign = expression.operators[i];
    TemplateValue right = evaluate(expression.parts[i + 1]);
    const bool holds = sign == "=="       ? are_equal(left, right, budget_)
                       : sign == "!="     ? !are_equal(left, right, budget_)
                       : sign == "in"     ? is_within(left, right, budget_)
                       : sign == "not in" ? !is_within(left, right, budget_)
                       : sign == "<"      ? is_less(left, right, budget_)
                       : sign == ">"      ? is_less(right, left, budget_)
                       : sign == "<="     ? !is_less(right, left, budget_)
                                          : !is_less(left, right, budget_);
    if (!holds) return TemplateValue::boolean(false);
    left = std::move(right);
  }
  return TemplateValue::boolean(true);
}

// Slices as Python does: bounds out of range become the ends.
TemplateValue TemplateRun::slice(const TemplateExpression& expression) {
  const TemplateValue whole = evaluate(expression.parts[0]);
  const bool is_text = whole.is(Kind::kText);
  if (whole.is_number() || whole.is(Kind::kNone)) return TemplateValue::undefined("a slice");
  if (!is_text && (!whole.is(Kind::kList) || whole.is_stream())) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "there is no slice of %s", whole.kind_name());
  }
  int64_t bounds[3] = {0, 0, 1};
  bool given[3] = {false, false, false};
  for (size_t i = 0; i < 3; ++i) {
    const TemplateValue bound = evaluate(expression.parts[i + 1]);
    given[i] = !bound.is(Kind::kNone) && expression.parts[i + 1].kind != Form::kNothing;
    if (!given[i]) continue;
    if (!bound.is_number()) fail(LFFN_ERROR_INVALID_ARGUMENT, "a bound of a slice is %s", bound.kind_name());
    bounds[i] = bound.number();
  }
  const int64_t size = length_of(whole, budget_), step = bounds[2];
  if (step == 0) fail(LFFN_ERROR_INVALID_ARGUMENT, "a slice has the step 0");
  const int64_t least = step > 0 ? 0 : -1, most = step > 0 ? size : size - 1;
  const auto place = [&](size_t i, int64_t otherwise) {
    if (!given[i]) return otherwise;
    return std::clamp(bounds[i] < 0 ? bounds[i] + size : bounds[i], least, most);
  };
  const int64_t begin = place(0, step > 0 ? 0 : size - 1), end = place(1, step > 0 ? size : -1);
  if (is_text && step == 1) {
    const std::string_view before = first_characters(whole.text(), static_cast<size_t>(begin));
    const std::string_view up_to = first_characters(whole.text(), static_cast<size_t>(std::max(begin, end)));
    return TemplateValue::text(std::string(up_to.substr(before.size())));
  }
  const TemplateValue::List items = items_of(whole, budget_);
  TemplateValue::List list;
  std::string text;
  for (int64_t i = begin; step > 0 ? i < end : i > end;) {
    const TemplateValue& item = items[static_cast<size_t>(i)];
    if (is_text) {
      text += item.text();
    } else {
      list.push_back(item);
    }
    // A step beyond the end goes just to the end.
    i = step > 0 ? i + std::min(step, size) : i + std::max(step, -size - 1);
  }
  return is_text ? TemplateValue::text(std::move(text)) : TemplateValue::list(std::move(list));
}

}  // namespace lffn
