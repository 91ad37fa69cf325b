// SPDX-License-Identifier: Apache-2.0
// The tokens of texts, found once for all models that read them alike, and vectors made of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "evaluate/cases.h"
#include "lookupffn/lookupffn.hpp"

namespace lffn::tools {

// Texts that lie somewhere else. `place` tells where one was read.
struct TextList {
  size_t count;
  std::function<const std::string&(size_t)> text;
  std::function<std::string(size_t)> place;
};

// The tokens of one list of texts, kept from model to model.
class TokenizedTexts {
 public:
  // Tokenizes the texts as the model reads them, unless the model before read them the same way. Throws InvalidArgument
  // that names the text's place if a text cannot be read.
  void read(const lookupffn::Model& model, const TextList& texts, const lookupffn::RunOptions& options,
            const std::string& doing);

  // Whether read() can be used: token ids must tell the model as much as the texts do.
  static bool can_read(const lookupffn::Model& model);

  size_t tokens_of(size_t text) const { return static_cast<size_t>(offsets_[text + 1] - offsets_[text]); }
  lookupffn::Span<const int32_t> ids(size_t text) const;
  lookupffn::Span<const int32_t> types(size_t text) const;  // empty: all 0

 private:
  std::string reading_;  // all that the tokens depend on, besides the texts
  std::vector<int32_t> ids_, types_;
  std::vector<int64_t> offsets_ = {0};
};

// The vector of each text, scaled to length 1.
Vectors embed_tokenized(const lookupffn::Model& model, const TokenizedTexts& tokens, const TextList& texts,
                        const std::string& doing);
// The same for a model that cannot take its texts as tokens.
Vectors embed_list(const lookupffn::Model& model, const TextList& texts, const lookupffn::RunOptions& options,
                   const std::string& doing);

}  // namespace lffn::tools
