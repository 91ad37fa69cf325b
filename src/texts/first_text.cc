// SPDX-License-Identifier: Apache-2.0
#include "texts/first_text.h"

#include <utility>

namespace lffn {

void FirstText::keep(std::string_view given, const Tokenizer& tokenizer, const Tokenizer::Options& options,
                     Tokenizer::Scratch& scratch, const Encoding& encoding) {
  is_kept_ = false;
  given_ = given;
  std::swap(tokens_, scratch.sequences[0]);
  if (options.spans && template_.empty()) find_template(tokenizer, options, scratch.sequences[1], encoding);
  is_kept_ = true;
}

// An encoding shows where its texts and the special tokens lie, unless a text has no tokens. A template counts only if
// it makes the same encoding of the same tokens.
void FirstText::find_template(const Tokenizer& tokenizer, const Tokenizer::Options& options, const Sequence& second,
                              const Encoding& encoding) {
  Template parts;
  bool found[2] = {false, false};
  for (size_t t = 0; t < encoding.ids.size(); ++t) {
    const int8_t text = encoding.texts[t];
    if (text < 0) {
      parts.push_back({TemplatePart::Kind::kSpecial, encoding.types[t], encoding.ids[t]});
    } else if (t == 0 || encoding.texts[t - 1] != text) {
      parts.push_back({text == 0 ? TemplatePart::Kind::kFirst : TemplatePart::Kind::kSecond, encoding.types[t], -1});
      found[text] = true;
    }
  }
  if (!found[0] || !found[1]) return;
  Encoding made;
  join(parts, tokenizer, options, second, made);
  if (made.ids == encoding.ids && made.types == encoding.types && made.texts == encoding.texts) {
    template_ = std::move(parts);
  }
}

void FirstText::join(const Template& parts, const Tokenizer& tokenizer, const Tokenizer::Options& options,
                     const Sequence& second, Encoding& to) const {
  PostProcessing processing;
  processing.pair = parts;
  assemble(processing, tokens_, &second, options.special, options.spans,
           {options.most, tokenizer.truncates_left(), options.first_only}, to);
}

bool FirstText::encode(const Tokenizer& tokenizer, std::string_view second, const Tokenizer::Options& options,
                       Tokenizer::Scratch& scratch, Encoding& to) const {
  Tokenizer::Options alone = options;
  alone.special = alone.first_only = false;
  tokenizer.encode(second, nullptr, alone, scratch, to);
  // Where both texts are too long, not all of their tokens are there, so that it is unknown which one is longer and
  // keeps the odd token.
  const auto is_cut = [&](const Sequence& text) { return !options.uncut && text.ids.size() > options.most; };
  if (is_cut(tokens_) && is_cut(scratch.sequences[0])) return false;
  join(template_, tokenizer, options, scratch.sequences[0], to);
  return true;
}

}  // namespace lffn
