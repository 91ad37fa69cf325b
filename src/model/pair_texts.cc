// SPDX-License-Identifier: Apache-2.0
#include "model/pair_texts.h"

#include <algorithm>
#include <utility>

#include "runtime/error.h"

namespace lffn {

void PairTexts::start(const Model& model, std::string instruction, bool repairs, const int32_t* cancel) {
  model_ = &model;
  instruction_ = std::move(instruction);
  reading_.repairs = repairs;
  cancel_ = cancel;
  ending_.reset();
}

std::vector<ChatMessage> PairTexts::messages(std::string_view query, std::string_view document) const {
  std::vector<ChatMessage> result;
  if (!instruction_.empty()) result.push_back({"system", instruction_});
  result.push_back({"query", query});
  result.push_back({"document", document});
  return result;
}

std::string PairTexts::render(std::string_view query, std::string_view document, const char* query_name,
                              const char* document_name) {
  const std::string_view first = query_.read(query, query_name, {}, reading_);
  const std::string_view second = document_.read(document, document_name, {}, reading_);
  return model_->chat_template().render(messages(first, second), cancel_);
}

// Renders two different texts: the tokens that both end with are the template's.
const std::vector<int32_t>& PairTexts::ending(const Tokenizer& tokenizer) {
  if (ending_) return *ending_;
  ending_.emplace();
  if (!model_->sentence().pairs->keeps_ending) return *ending_;
  std::vector<int32_t> ids[2];
  const std::string_view contents[2] = {"0", "1 2 3 4"};
  for (size_t i = 0; i < 2; ++i) {
    std::string text;
    try {
      text = model_->chat_template().render(messages(contents[i], contents[i]), cancel_);
    } catch (const Error& error) {
      if (error.status() == LFFN_ERROR_CANCELLED) throw;
      return *ending_;  // if the template refuses these texts, its ending cannot be told
    }
    Tokenizer::Options options;
    options.cancel = cancel_;
    Tokenizer::Scratch scratch;
    Encoding encoding;
    tokenizer.encode(text, nullptr, options, scratch, encoding);
    ids[i] = encoding.ids;
  }
  const size_t shorter = std::min(ids[0].size(), ids[1].size());
  size_t same = 0;
  while (same < shorter && ids[0][ids[0].size() - 1 - same] == ids[1][ids[1].size() - 1 - same]) ++same;
  if (same < shorter) ending_->assign(ids[0].end() - static_cast<ptrdiff_t>(same), ids[0].end());
  return *ending_;
}

}  // namespace lffn
