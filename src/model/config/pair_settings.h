// SPDX-License-Identifier: Apache-2.0
// What a reranker's folder says of how a query and a document are scored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/folder.h"
#include "format/json_object.h"
#include "kernels/kernels.h"
#include "texts/chat_template.h"

namespace lffn {

struct PairSettings {
  // Makes one text of a pair; "": the tokenizer takes both texts.
  std::string chat_template;
  TemplateValue::Map variables;  // what the template may read besides the messages
  bool is_structured = false;    // a message's content is a list with one text in it
  bool keeps_ending = true;      // a text that is cut still ends as the template does
  bool is_logit = false;         // scores are a language model's logits of the last token, even a padding token
  std::optional<Activation> activation;
};

// The two words whose logits are compared; without a second word the first one's logit is the score.
struct LogitTokens {
  int32_t yes = 0;
  std::optional<int32_t> no;
};

// Throws Error(LFFN_ERROR_BAD_MODEL) or Error(LFFN_ERROR_UNSUPPORTED), also for a template that does not show both
// texts of a pair. Empty if the settings have no template.
ChatTemplate make_chat_template(const PairSettings& settings, const int32_t* cancel);

// What is put into a single file, and read from it.
void append_json(std::string& to, const PairSettings& settings);
PairSettings pairs_from_json(const JsonValue& value, const std::string& what);

// A value for a template: a text, a truth value, null or a whole number. Throws for anything else.
TemplateValue template_value(const JsonValue& value, const JsonObject& object, const std::string& name);

// What the files beside a language model, or a classifier of pairs, say; `max_length` is changed if they say how many
// tokens a text may have. All throw Error(LFFN_ERROR_BAD_MODEL) that names the file, or Error(LFFN_ERROR_UNSUPPORTED).
PairSettings read_pair_settings(const Folder& folder, const Folder& transformer, int64_t& max_length);
LogitTokens read_logit_tokens(const Folder& module);

}  // namespace lffn
