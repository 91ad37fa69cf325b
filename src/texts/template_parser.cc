// SPDX-License-Identifier: Apache-2.0
// Jinja's statements, as far as chat templates use them.
#include <utility>

#include "format/utf8.h"
#include "texts/template_expressions.h"

namespace lffn {
namespace {

using Statements = std::vector<TemplateStatement>;

class Parser : TemplateExpressionParser {
 public:
  Parser(std::string_view source, const int32_t* cancel) : TemplateExpressionParser(source, cancel) {}

  Statements parse() {
    Statements all = statements();
    if (now().kind != Token::kEndOfTemplate) refuse("a statement ends what did not begin");
    return all;
  }

 private:
  void need_end() {
    if (now().kind != Token::kEnd) refuse("expected the end of the braces");
    step();
  }

  // Statements up to the opening braces of one that ends or divides the block around them.
  Statements statements() {
    const Nested nested(*this);
    Statements result;
    for (;;) {
      if (now().kind == Token::kText) {
        TemplateStatement text = begin(TemplateStatement::Kind::kText);
        text.text = now().text;
        result.push_back(std::move(text));
        step();
      } else if (now().kind == Token::kPrint) {
        step();
        TemplateStatement print = begin(TemplateStatement::Kind::kPrint);
        print.expressions.push_back(expression());
        need_end();
        result.push_back(std::move(print));
      } else if (now().kind == Token::kStatement && !ends_block(next())) {
        step();
        result.push_back(statement());
      } else {
        return result;
      }
    }
  }

  static bool ends_block(const TemplateToken& token) {
    return token.kind == Token::kName &&
           (starts_with(token.text, "end") || token.text == "elif" || token.text == "else");
  }

  TemplateStatement begin(TemplateStatement::Kind kind) const {
    TemplateStatement result;
    result.kind = kind;
    result.line = now().line;
    return result;
  }

  TemplateStatement statement() {
    if (now().kind != Token::kName) refuse("expected a statement");
    const std::string name = now().text;
    if (name == "if") return if_statement();
    if (name == "for") return for_statement();
    if (name == "set") return set_statement();
    if (name == "break" || name == "continue") {
      if (loops_ == 0) refuse(name + " stands in no for");
      TemplateStatement result =
          begin(name == "break" ? TemplateStatement::Kind::kBreak : TemplateStatement::Kind::kContinue);
      step();
      need_end();
      return result;
    }
    if (name == "generation") {
      TemplateStatement result = begin(TemplateStatement::Kind::kGroup);
      step();
      need_end();
      result.bodies.push_back(statements());
      end_of_block("endgeneration");
      return result;
    }
    unsupported("the statement " + in_quotes(name));
  }

  void end_of_block(const char* name) {
    if (now().kind != Token::kStatement) refuse(std::string("expected ") + name);
    step();
    if (!take_name(name)) refuse(std::string("expected ") + name);
    need_end();
  }

  // The body behind the `else` of an if or a for, if there is one.
  void else_body(TemplateStatement& to) {
    if (now().kind != Token::kStatement || !next().is_name("else")) return;
    step();
    step();
    need_end();
    to.bodies.push_back(statements());
  }

  TemplateStatement if_statement() {
    TemplateStatement result = begin(TemplateStatement::Kind::kIf);
    do {
      step();  // if or elif
      result.expressions.push_back(either());
      need_end();
      result.bodies.push_back(statements());
      if (now().kind == Token::kStatement && next().is_name("elif")) {
        step();
        continue;
      }
      break;
    } while (true);
    else_body(result);
    end_of_block("endif");
    return result;
  }

  TemplateStatement for_statement() {
    TemplateStatement result = begin(TemplateStatement::Kind::kFor);
    step();
    const bool in_brackets = take_sign("(");
    do result.names.push_back(need_name());
    while (take_sign(","));
    if (in_brackets) need_sign(")");
    if (!take_name("in")) refuse("expected in");
    result.expressions.push_back(either());
    if (take_name("if")) result.expressions.push_back(expression());
    if (now().is_name("recursive")) unsupported("a recursive for");
    need_end();
    ++loops_;
    result.bodies.push_back(statements());
    --loops_;
    else_body(result);
    end_of_block("endfor");
    return result;
  }

  TemplateStatement set_statement() {
    TemplateStatement result = begin(TemplateStatement::Kind::kSet);
    step();
    result.text = need_name();
    if (take_sign(".")) result.member = need_name();
    if (now().is_sign(",")) unsupported("a set of several names");
    if (now().is_sign("|")) unsupported("a filter of set");
    if (take_sign("=")) {
      result.expressions.push_back(expression());
      need_end();
      return result;
    }
    if (!result.member.empty()) unsupported("a block for a part of a namespace");
    result.kind = TemplateStatement::Kind::kSetBlock;
    need_end();
    result.bodies.push_back(statements());
    end_of_block("endset");
    return result;
  }

  int32_t loops_ = 0;
};

}  // namespace

std::vector<TemplateStatement> parse_template(std::string_view source, const int32_t* cancel) {
  return Parser(source, cancel).parse();
}

}  // namespace lffn
