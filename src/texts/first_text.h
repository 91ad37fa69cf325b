// SPDX-License-Identifier: Apache-2.0
// The first text of pairs that follow one another, such as the query of a reranker's documents.
#pragma once

#include <string>
#include <string_view>

#include "tokenizer/tokenizer.h"

namespace lffn {

// Keeps its tokens for as long as the next pair has the same first text, so that they are found once. The tokenizer and
// its options must stay the same until forget_all().
class FirstText {
 public:
  void forget() { is_kept_ = false; }
  void forget_all() {
    is_kept_ = false;
    template_.clear();
  }

  // Whether the pair before had this first text, as the caller gives it.
  bool is(std::string_view given) const { return is_kept_ && given == given_; }
  // Whether encode() may be called. It needs the template, which keep() finds in a pair with spans, if neither of its
  // texts was empty.
  bool is_enough() const { return !template_.empty(); }

  // Takes the tokens of the first text out of the scratch of a pair that was just encoded with these options.
  void keep(std::string_view given, const Tokenizer& tokenizer, const Tokenizer::Options& options,
            Tokenizer::Scratch& scratch, const Encoding& encoding);
  // Does what Tokenizer::encode would do for the kept text and this second one. false: Tokenizer::encode must do it.
  bool encode(const Tokenizer& tokenizer, std::string_view second, const Tokenizer::Options& options,
              Tokenizer::Scratch& scratch, Encoding& to) const;

 private:
  void find_template(const Tokenizer& tokenizer, const Tokenizer::Options& options, const Sequence& second,
                     const Encoding& encoding);
  void join(const Template& parts, const Tokenizer& tokenizer, const Tokenizer::Options& options,
            const Sequence& second, Encoding& to) const;

  bool is_kept_ = false;
  std::string given_;
  Sequence tokens_;
  Template template_;  // of pairs; empty: not known
};

}  // namespace lffn
