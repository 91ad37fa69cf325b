// SPDX-License-Identifier: Apache-2.0
// A chat template as a tree: what its text says, before it is rendered.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lffn {

struct TemplateExpression {
  enum class Kind {
    kText,     // text
    kInteger,  // integer
    kBoolean,  // integer
    kNone,
    kName,    // text
    kList,    // parts; also of a tuple
    kMap,     // parts: key, value, key, value...
    kMember,  // part 0, text: its name
    kItem,    // parts: of what, which
    kSlice,   // parts: of what, begin, end, step; kNothing where one is left out
    kNothing,
    kCall,         // text: a function; or part 0's method; parts behind it and `named` are its arguments
    kMethod,       // likewise
    kFilter,       // text; part 0 is filtered
    kTest,         // likewise
    kNot,          // part 0
    kNegative,     // likewise
    kPositive,     // likewise
    kAnd,          // parts 0 and 1
    kOr,           // likewise
    kOperation,    // likewise; text: + - * // %
    kConcatenate,  // parts: ~
    kCompare,      // parts; operators: one fewer
    kChoice        // parts: if this, then this, else this; the last may be missing
  };
  Kind kind = Kind::kNothing;
  int32_t line = 0;
  int32_t depth = 1;  // of the tree from here on
  int64_t integer = 0;
  std::string text;
  std::vector<TemplateExpression> parts;
  std::vector<std::pair<std::string, TemplateExpression>> named;
  std::vector<std::string> operators;
};

struct TemplateStatement {
  enum class Kind {
    kText,      // text
    kPrint,     // expressions[0]
    kIf,        // expressions[i] guards bodies[i]; one body more is the else
    kFor,       // names; expressions: of what, perhaps a condition; bodies: each, perhaps else
    kSet,       // text: the name, member: of a namespace; expressions[0]
    kSetBlock,  // text; bodies[0]
    kGroup,     // bodies[0]
    kBreak,
    kContinue
  };
  Kind kind = Kind::kText;
  int32_t line = 0;
  std::string text, member;
  std::vector<std::string> names;
  std::vector<TemplateExpression> expressions;
  std::vector<std::vector<TemplateStatement>> bodies;
};

// Throws Error(LFFN_ERROR_BAD_MODEL) for what is no template, Error(LFFN_ERROR_UNSUPPORTED) that names what is not
// rendered here. Both tell the line. Error(LFFN_ERROR_CANCELLED).
std::vector<TemplateStatement> parse_template(std::string_view source, const int32_t* cancel);

}  // namespace lffn
