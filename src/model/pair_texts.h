// SPDX-License-Identifier: Apache-2.0
// A query and a document as the one text that a reranker's chat template makes of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"
#include "texts/text_reading.h"

namespace lffn {

class PairTexts {
 public:
  // `model` has a chat template, and outlives it. The instruction is UTF-8; "": none.
  void start(const Model& model, std::string instruction, bool repairs, const int32_t* cancel);

  // Throws Error(LFFN_ERROR_BAD_TEXT) for what is not UTF-8, and what ChatTemplate::render throws.
  std::string render(std::string_view query, std::string_view document, const char* query_name,
                     const char* document_name);
  // The tokens that the template ends with, whatever the texts are; none if they cannot be told. They replace the end
  // of a text that was cut, so that the model still sees the question.
  const std::vector<int32_t>& ending(const Tokenizer& tokenizer);

 private:
  std::vector<ChatMessage> messages(std::string_view query, std::string_view document) const;

  const Model* model_ = nullptr;
  std::string instruction_;
  ReadingRules reading_;
  const int32_t* cancel_ = nullptr;
  TextReading query_, document_;
  std::optional<std::vector<int32_t>> ending_;
};

}  // namespace lffn
