// SPDX-License-Identifier: Apache-2.0
// The chat template of a model's folder, by which a query and a document become one text. It is Jinja. What published
// templates use of Jinja is rendered; anything else is refused by its name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "texts/template_tree.h"
#include "texts/template_value.h"

namespace lffn {

struct ChatMessage {
  std::string_view role;
  std::string_view content;
};

class ChatTemplate {
 public:
  ChatTemplate() = default;  // empty
  // Throws Error(LFFN_ERROR_BAD_MODEL) or Error(LFFN_ERROR_UNSUPPORTED), both with the line;
  // Error(LFFN_ERROR_CANCELLED).
  explicit ChatTemplate(std::string_view source, const int32_t* cancel = nullptr);

  bool empty() const { return statements_.empty(); }
  // What the template may ask for beside its messages. The last one of a name counts.
  void define(const std::string& name, TemplateValue value) { variables_.emplace_back(name, std::move(value)); }
  // Whether a message's content is a list with one text in it, not the text itself.
  void set_structured(bool structured) { structured_ = structured; }

  // Throws Error(LFFN_ERROR_INVALID_ARGUMENT) where the template refuses the texts, or would do more than is in
  // proportion to them; Error(LFFN_ERROR_UNSUPPORTED) for what only these texts make it do; both with the line.
  // Error(LFFN_ERROR_CANCELLED).
  std::string render(const std::vector<ChatMessage>& messages, const int32_t* cancel = nullptr) const;

 private:
  std::vector<TemplateStatement> statements_;
  TemplateValue::Map variables_;
  size_t source_bytes_ = 0;
  bool structured_ = false;
};

}  // namespace lffn
