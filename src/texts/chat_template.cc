// SPDX-License-Identifier: Apache-2.0
#include "texts/chat_template.h"

#include "format/utf8.h"
#include "runtime/error.h"
#include "texts/template_run.h"

namespace lffn {
namespace {

// The source must be UTF-8, because its texts are cut between characters. No published template has a tenth of the
// allowed size.
std::string_view checked(std::string_view source) {
  constexpr size_t kMostBytes = size_t{1} << 20;
  if (source.size() > kMostBytes) {
    fail(LFFN_ERROR_BAD_MODEL, "chat template: %zu bytes, more than the %zu allowed", source.size(), kMostBytes);
  }
  const size_t valid = valid_utf8_length(source);
  if (valid != source.size()) fail(LFFN_ERROR_BAD_MODEL, "chat template: byte %zu is not valid UTF-8", valid);
  return source;
}

}  // namespace

ChatTemplate::ChatTemplate(std::string_view source, const int32_t* cancel)
    : statements_(parse_template(checked(source), cancel)), source_bytes_(source.size()) {}

std::string ChatTemplate::render(const std::vector<ChatMessage>& messages, const int32_t* cancel) const {
  size_t bytes = source_bytes_;
  TemplateValue::List list;
  for (const ChatMessage& message : messages) {
    bytes += message.content.size();
    TemplateValue content = TemplateValue::text(std::string(message.content));
    if (structured_) {
      content = TemplateValue::list({TemplateValue::map({{"type", TemplateValue::text("text")}, {"text", content}})});
    }
    list.push_back(
        TemplateValue::map({{"role", TemplateValue::text(std::string(message.role))}, {"content", content}}));
  }
  // Published templates copy and strip texts a few times.
  constexpr size_t kLeast = size_t{1} << 20, kTimes = 64;
  TemplateBudget budget(kLeast + kTimes * bytes, cancel);
  TemplateVariables variables;
  for (const auto& [name, value] : variables_) variables.set(name, value);
  variables.set("messages", TemplateValue::list(std::move(list)));
  TemplateRun run(std::move(variables), budget);
  try {
    return run.run(statements_);
  } catch (const Error& error) {
    if (error.status() == LFFN_ERROR_CANCELLED) throw;
    fail(error.status(), "chat template, line %d: %s", run.line(), error.what());
  }
}

}  // namespace lffn
