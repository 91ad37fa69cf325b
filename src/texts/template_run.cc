// SPDX-License-Identifier: Apache-2.0
#include "texts/template_run.h"

#include <algorithm>

#include "format/utf8.h"
#include "runtime/error.h"
#include "texts/template_members.h"

namespace lffn {
namespace {

using Form = TemplateExpression::Kind;
using Kind = TemplateValue::Kind;
using Statement = TemplateStatement::Kind;

constexpr size_t kLoopBytes = 9 * kItemBytes;  // what a `for` tells each of its rounds

int64_t negative(int64_t value) {
  if (value == INT64_MIN) fail(LFFN_ERROR_UNSUPPORTED, "a number of more than 64 bits is not supported");
  return -value;
}

}  // namespace

std::string TemplateRun::run(const std::vector<TemplateStatement>& statements) {
  run_all(statements);
  return std::move(out_);
}

TemplateRun::Next TemplateRun::run_all(const std::vector<TemplateStatement>& statements) {
  for (const TemplateStatement& statement : statements) {
    line_ = statement.line;
    budget_.spend(1);
    const Next next = run_statement(statement);
    if (next != Next::kGoOn) return next;
  }
  return Next::kGoOn;
}

TemplateRun::Next TemplateRun::run_statement(const TemplateStatement& statement) {
  switch (statement.kind) {
    case Statement::kText:
      write(statement.text);
      return Next::kGoOn;
    case Statement::kPrint:
      write(text_of(evaluate(statement.expressions[0]), budget_));
      return Next::kGoOn;
    case Statement::kIf:
      return run_if(statement);
    case Statement::kFor:
      return run_for(statement);
    case Statement::kSet:
      assign(statement);
      return Next::kGoOn;
    case Statement::kSetBlock:
      return capture(statement);
    case Statement::kGroup:
      return run_all(statement.bodies[0]);
    case Statement::kBreak:
      return Next::kBreak;
    default:
      return Next::kContinue;
  }
}

void TemplateRun::write(std::string_view text) {
  budget_.spend(text.size());
  out_ += text;
}

TemplateRun::Next TemplateRun::run_if(const TemplateStatement& statement) {
  for (size_t i = 0; i < statement.expressions.size(); ++i) {
    if (evaluate(statement.expressions[i]).is_true()) return run_all(statement.bodies[i]);
  }
  return statement.bodies.size() > statement.expressions.size() ? run_all(statement.bodies.back()) : Next::kGoOn;
}

void TemplateRun::set(const std::string& name, TemplateValue value) {
  budget_.spend(name.size());
  variables_.set(name, std::move(value));
}

void TemplateRun::set_names(const TemplateStatement& statement, const TemplateValue& item) {
  if (statement.names.size() == 1) return set(statement.names[0], item);
  const TemplateValue::List parts = items_of(item, budget_);
  if (parts.size() != statement.names.size()) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%zu values are there for %zu names", parts.size(), statement.names.size());
  }
  for (size_t i = 0; i < parts.size(); ++i) set(statement.names[i], parts[i]);
}

void TemplateRun::assign(const TemplateStatement& statement) {
  TemplateValue value = evaluate(statement.expressions[0]);
  if (statement.member.empty()) return set(statement.text, std::move(value));
  const TemplateValue to = look_up(statement.text);
  if (!to.is(Kind::kNamespace)) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s is no namespace, so its parts cannot be set",
         in_quotes(statement.text).c_str());
  }
  budget_.spend(statement.member.size());
  to.set_member(statement.member, std::move(value));
}

// What is set inside the block stays inside.
TemplateRun::Next TemplateRun::capture(const TemplateStatement& statement) {
  const size_t around = variables_.begin_block();
  std::string before;
  std::swap(before, out_);
  const Next next = run_all(statement.bodies[0]);
  std::swap(before, out_);
  variables_.end_block(around);
  set(statement.text, TemplateValue::text(std::move(before)));
  return next;
}

TemplateRun::Next TemplateRun::run_for(const TemplateStatement& statement) {
  TemplateValue::List items = items_of(evaluate(statement.expressions[0]), budget_);
  const size_t around = variables_.begin_block();
  if (statement.expressions.size() > 1) {
    TemplateValue::List chosen;
    for (TemplateValue& item : items) {
      set_names(statement, item);
      if (evaluate(statement.expressions[1]).is_true()) chosen.push_back(std::move(item));
      variables_.unset_block();
    }
    items = std::move(chosen);
  }
  const auto size = static_cast<int64_t>(items.size());
  Next next = Next::kGoOn;
  for (int64_t i = 0; i < size && next != Next::kBreak; ++i) {
    const auto at = [&](int64_t place, const char* name) {
      const bool is_there = place >= 0 && place < size;
      return is_there ? items[static_cast<size_t>(place)] : TemplateValue::undefined(name);
    };
    budget_.spend(kLoopBytes);
    variables_.set("loop", TemplateValue::map({{"index", TemplateValue::integer(i + 1)},
                                               {"index0", TemplateValue::integer(i)},
                                               {"revindex", TemplateValue::integer(size - i)},
                                               {"revindex0", TemplateValue::integer(size - i - 1)},
                                               {"first", TemplateValue::boolean(i == 0)},
                                               {"last", TemplateValue::boolean(i == size - 1)},
                                               {"length", TemplateValue::integer(size)},
                                               {"previtem", at(i - 1, "loop.previtem")},
                                               {"nextitem", at(i + 1, "loop.nextitem")}}));
    set_names(statement, items[static_cast<size_t>(i)]);
    next = run_all(statement.bodies[0]);
    variables_.unset_block();
  }
  if (size == 0 && statement.bodies.size() > 1) run_all(statement.bodies[1]);
  variables_.end_block(around);
  return Next::kGoOn;
}

TemplateValue TemplateRun::look_up(const std::string& name) {
  budget_.spend(name.size());
  const TemplateValue* const found = variables_.find(name);
  return found != nullptr ? *found : TemplateValue::undefined(name);
}

TemplateValue TemplateRun::make_map(const TemplateExpression& expression) {
  TemplateValue::Map map;
  for (size_t i = 0; i + 1 < expression.parts.size(); i += 2) {
    const TemplateValue name = evaluate(expression.parts[i]);
    if (!name.is(Kind::kText)) fail(LFFN_ERROR_UNSUPPORTED, "a map with keys that are no texts is not supported");
    budget_.spend(kItemBytes + name.text().size());
    map.emplace_back(name.text(), evaluate(expression.parts[i + 1]));
  }
  return TemplateValue::map(std::move(map));
}

TemplateArguments TemplateRun::arguments_of(const TemplateExpression& expression, size_t first, const char* kind) {
  TemplateArguments arguments;
  arguments.callee = std::string("the ") + kind + ' ' + in_quotes(expression.text);
  for (size_t i = first; i < expression.parts.size(); ++i) {
    budget_.spend(kItemBytes);
    arguments.values.push_back(evaluate(expression.parts[i]));
  }
  for (const auto& [name, value] : expression.named) {
    budget_.spend(kItemBytes + name.size());
    arguments.named.emplace_back(name, evaluate(value));
  }
  return arguments;
}

TemplateValue TemplateRun::range(const TemplateArguments& arguments) {
  arguments.check(3, {});
  for (const TemplateValue& value : arguments.values) {
    if (!value.is_number()) arguments.unsupported("what is no number");
  }
  const bool from_zero = arguments.values.size() == 1;
  const int64_t begin = from_zero ? 0 : arguments.need(0, "").number();
  const int64_t end = arguments.need(from_zero ? 0 : 1, "").number();
  const int64_t step = arguments.values.size() == 3 ? arguments.values[2].number() : 1;
  if (step == 0) arguments.unsupported("the step 0");
  TemplateValue::List numbers;
  for (int64_t i = begin; step > 0 ? i < end : i > end;) {
    budget_.spend(kItemBytes);
    numbers.push_back(TemplateValue::integer(i));
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  return TemplateValue::list(std::move(numbers));
}

TemplateValue TemplateRun::call(const TemplateExpression& expression) {
  const TemplateArguments arguments = arguments_of(expression, 0, "function");
  if (expression.text == "range") return range(arguments);
  if (expression.text == "raise_exception") {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "it refuses these texts: %s", text_of(arguments.need(0, ""), budget_).c_str());
  }
  if (!arguments.values.empty()) arguments.unsupported("values without names");
  return expression.text == "dict" ? TemplateValue::map(arguments.named) : TemplateValue::name_space(arguments.named);
}

TemplateValue TemplateRun::evaluate(const TemplateExpression& expression) {
  line_ = expression.line;
  budget_.spend(1);
  const auto part = [&](size_t i) { return evaluate(expression.parts[i]); };
  switch (expression.kind) {
    case Form::kText:
      budget_.spend(expression.text.size());
      return TemplateValue::text(expression.text);
    case Form::kInteger:
      return TemplateValue::integer(expression.integer);
    case Form::kBoolean:
      return TemplateValue::boolean(expression.integer != 0);
    case Form::kNone:
      return TemplateValue::none();
    case Form::kName:
      return look_up(expression.text);
    case Form::kList: {
      TemplateValue::List items;
      budget_.spend(kItemBytes * expression.parts.size());
      for (const TemplateExpression& each : expression.parts) items.push_back(evaluate(each));
      return TemplateValue::list(std::move(items));
    }
    case Form::kMap:
      return make_map(expression);
    case Form::kMember:
      return member_of(part(0), expression.text, budget_);
    case Form::kItem: {
      const TemplateValue whole = part(0);
      return item_of(whole, part(1), budget_);
    }
    case Form::kSlice:
      return slice(expression);
    case Form::kCall:
      return call(expression);
    case Form::kMethod:
      return call_method(expression.text, part(0), arguments_of(expression, 1, "method"), budget_);
    case Form::kFilter:
      return filter_value(expression.text, part(0), arguments_of(expression, 1, "filter"), budget_);
    case Form::kTest:
      return TemplateValue::boolean(test_value(expression.text, part(0), arguments_of(expression, 1, "test"), budget_));
    case Form::kNot:
      return TemplateValue::boolean(!part(0).is_true());
    case Form::kNegative:
    case Form::kPositive: {
      const TemplateValue value = part(0);
      if (!value.is_number()) fail(LFFN_ERROR_INVALID_ARGUMENT, "a sign stands before %s", value.kind_name());
      return TemplateValue::integer(expression.kind == Form::kNegative ? negative(value.number()) : value.number());
    }
    case Form::kAnd: {
      TemplateValue first = part(0);
      return first.is_true() ? part(1) : first;
    }
    case Form::kOr: {
      TemplateValue first = part(0);
      return first.is_true() ? first : part(1);
    }
    case Form::kOperation:
      return operate(expression);
    case Form::kConcatenate: {
      std::string text;
      for (const TemplateExpression& each : expression.parts) text += text_of(evaluate(each), budget_);
      return TemplateValue::text(std::move(text));
    }
    case Form::kCompare:
      return compare(expression);
    case Form::kChoice:
      if (part(0).is_true()) return part(1);
      if (expression.parts.size() > 2) return part(2);
      return TemplateValue::undefined("a choice without else");
    default:
      return TemplateValue::none();
  }
}

}  // namespace lffn
