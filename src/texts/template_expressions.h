// SPDX-License-Identifier: Apache-2.0
// Values in the braces of a chat template, by Jinja's grammar; what surrounds them is in template_parser.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cancel_flag.h"
#include "texts/template_tokens.h"
#include "texts/template_tree.h"

namespace lffn {

class TemplateExpressionParser {
 protected:
  using Kind = TemplateExpression::Kind;
  using Token = TemplateToken::Kind;

  TemplateExpressionParser(std::string_view source, const int32_t* cancel)
      : tokens_(cut_template(source, cancel)), cancel_(cancel) {}

  class Nested {
   public:
    explicit Nested(TemplateExpressionParser& parser);
    ~Nested() { --parser_.nesting_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    TemplateExpressionParser& parser_;
  };

  const TemplateToken& now() const { return tokens_[at_]; }
  const TemplateToken& next() const { return tokens_[at_ + 1 < tokens_.size() ? at_ + 1 : at_]; }
  void step() {
    poll(cancel_);
    at_ += at_ + 1 < tokens_.size() ? 1 : 0;
  }
  bool take_sign(std::string_view sign);
  bool take_name(std::string_view name);
  void need_sign(const char* sign);
  std::string need_name();

  [[noreturn]] void refuse(const std::string& what) const;
  [[noreturn]] void unsupported(const std::string& what) const;

  // A whole expression, and one that ends before an `if`.
  TemplateExpression expression();
  TemplateExpression either();

 private:
  void check_callee(const char* kind, const std::string& name) const;
  std::string callee(const char* kind);
  TemplateExpression make(Kind kind, std::string text = {}) const;
  void add(TemplateExpression& to, TemplateExpression part) const;
  TemplateExpression of(Kind kind, TemplateExpression first, TemplateExpression second, std::string text = {}) const;
  TemplateExpression both();
  TemplateExpression negation();
  std::string take_comparison();
  TemplateExpression comparison();
  TemplateExpression sum();
  TemplateExpression concatenation();
  TemplateExpression product();
  TemplateExpression signed_value(bool with_filters);
  TemplateExpression primary();
  TemplateExpression named_value();
  TemplateExpression list();
  TemplateExpression map();
  void arguments(TemplateExpression& to);
  TemplateExpression with_members(TemplateExpression value);
  TemplateExpression item(TemplateExpression of_what);
  TemplateExpression filtered(TemplateExpression value);
  TemplateExpression test(TemplateExpression value);

  std::vector<TemplateToken> tokens_;
  const int32_t* cancel_;
  size_t at_ = 0;
  int32_t nesting_ = 0;
};

}  // namespace lffn
