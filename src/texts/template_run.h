// SPDX-License-Identifier: Apache-2.0
// Walks over the tree of a chat template and writes what it says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "texts/template_functions.h"
#include "texts/template_tree.h"
#include "texts/template_value.h"
#include "texts/template_variables.h"

namespace lffn {

class TemplateRun {
 public:
  // All names, of variables and in the tree, must outlive it.
  TemplateRun(TemplateVariables variables, TemplateBudget& budget)
      : variables_(std::move(variables)), budget_(budget) {}

  // Throws Error; line() is the line that its message is about.
  std::string run(const std::vector<TemplateStatement>& statements);
  int32_t line() const { return line_; }

 private:
  enum class Next { kGoOn, kBreak, kContinue };

  Next run_all(const std::vector<TemplateStatement>& statements);
  Next run_statement(const TemplateStatement& statement);
  Next run_if(const TemplateStatement& statement);
  Next run_for(const TemplateStatement& statement);
  Next capture(const TemplateStatement& statement);
  void write(std::string_view text);
  void assign(const TemplateStatement& statement);
  void set(const std::string& name, TemplateValue value);
  void set_names(const TemplateStatement& statement, const TemplateValue& item);

  TemplateValue evaluate(const TemplateExpression& expression);
  TemplateValue look_up(const std::string& name);
  TemplateValue make_map(const TemplateExpression& expression);
  TemplateValue operate(const TemplateExpression& expression);
  TemplateValue compare(const TemplateExpression& expression);
  TemplateValue slice(const TemplateExpression& expression);
  TemplateValue call(const TemplateExpression& expression);
  TemplateValue range(const TemplateArguments& arguments);
  TemplateArguments arguments_of(const TemplateExpression& expression, size_t first, const char* kind);

  TemplateVariables variables_;
  TemplateBudget& budget_;
  int32_t line_ = 1;
  std::string out_;
};

}  // namespace lffn
