/* text.hpp - text in, answers out, in C++17: functions on lookupffn::Model, header-only over lookupffn.h
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * In short:
 *
 *     auto model = lookupffn::Model::load("my-model");
 *     for (const auto& filling : lookupffn::fill_mask(model, "Freedom is <mask> word.", 5)[0]) ...
 *     std::vector<float> vectors = lookupffn::embed_texts(model, {"first text", "second text"});
 */
#ifndef LOOKUPFFN_TEXT_HPP
#define LOOKUPFFN_TEXT_HPP

#include <string_view>

#include "lookupffn/lookupffn.hpp"

namespace lookupffn {

/** Sequences of token ids that are put together one by one. */
struct TokenBatch {
  std::vector<std::int32_t> ids;           /**< All sequences, one after the other. */
  std::vector<std::int64_t> offsets = {0}; /**< Where each begins, and where the last one ends. */
  /** Appends a sequence. */
  void add(Span<const std::int32_t> sequence) {
    ids.insert(ids.end(), sequence.begin(), sequence.end());
    offsets.push_back(static_cast<std::int64_t>(ids.size()));
  }
  /** A view of them for Model. */
  Sequences view() const noexcept { return {ids, offsets}; }
};

/** A text's tokens, and the bytes of the text that each stands for. */
struct TokenSpans {
  std::vector<std::int32_t> ids;    /**< The tokens. */
  std::vector<std::int64_t> begins; /**< The first byte of each. */
  std::vector<std::int64_t> ends;   /**< The byte behind each. */
};

/** A token in place of a mask. */
struct Filling {
  std::int32_t id;   /**< Which token. */
  float probability; /**< The model's softmax. */
};

/** The ids of a text's tokens.
 * @param model one with a tokenizer
 * @param text  UTF-8
 * @param flags LFFN_TOKENIZE_ values */
inline std::vector<std::int32_t> tokenize(const Model& model, std::string_view text,
                                          std::uint32_t flags = LFFN_TOKENIZE_SPECIAL) {
  std::vector<std::int32_t> ids(text.size() + 2);
  std::size_t n_ids = 0;
  check(lffn_model_tokenize(model.get(), text.data(), text.size(), flags, ids.data(), ids.size(), &n_ids));
  ids.resize(n_ids);
  return ids;
}

/** The ids of a text's tokens, and where they are.
 * @param model one with a tokenizer
 * @param text  UTF-8
 * @param flags LFFN_TOKENIZE_ values */
inline TokenSpans tokenize_spans(const Model& model, std::string_view text,
                                 std::uint32_t flags = LFFN_TOKENIZE_SPECIAL) {
  const std::size_t most = text.size() + 2;
  TokenSpans result = {std::vector<std::int32_t>(most), std::vector<std::int64_t>(most),
                       std::vector<std::int64_t>(most)};
  std::size_t n_ids = 0;
  check(lffn_model_tokenize_spans(model.get(), text.data(), text.size(), flags, result.ids.data(), result.begins.data(),
                                  result.ends.data(), most, &n_ids));
  result.ids.resize(n_ids);
  result.begins.resize(n_ids);
  result.ends.resize(n_ids);
  return result;
}

/** The text of ids.
 * @param model one with a tokenizer
 * @param ids   of the vocabulary
 * @param flags LFFN_DETOKENIZE_ values */
inline std::string detokenize(const Model& model, Span<const std::int32_t> ids, std::uint32_t flags = 0) {
  std::size_t n_bytes = 0;
  check(lffn_model_detokenize(model.get(), ids.data(), ids.size(), flags, nullptr, 0, &n_bytes));
  std::string text(n_bytes, '\0');
  check(lffn_model_detokenize(model.get(), ids.data(), ids.size(), flags, text.data(), text.size(), &n_bytes));
  return text;
}

/** For each "<mask>" in the text, the most likely tokens, the best first.
 * @param model  one with a language model head
 * @param text   UTF-8
 * @param top_k  how many for each
 * @param cancel nullptr, or a flag that another thread may set */
inline std::vector<std::vector<Filling>> fill_mask(const Model& model, std::string_view text, std::int32_t top_k,
                                                   const CancelFlag* cancel = nullptr) {
  std::size_t n_masks = 0;
  check(lffn_model_fill_mask(model.get(), text.data(), text.size(), top_k, nullptr, nullptr, 0, &n_masks));
  const std::size_t k = static_cast<std::size_t>(top_k);
  std::vector<std::int32_t> ids(n_masks * k);
  std::vector<float> probabilities(ids.size());
  check(lffn_model_fill_mask_cancellable(model.get(), text.data(), text.size(), top_k, ids.data(), probabilities.data(),
                                         n_masks, &n_masks, cancel == nullptr ? nullptr : cancel->address()));
  std::vector<std::vector<Filling>> result(n_masks);
  for (std::size_t i = 0; i < ids.size(); ++i) result[i / k].push_back({ids[i], probabilities[i]});
  return result;
}

/** Not for use outside. */
namespace detail {

/** Texts as the C interface takes them. */
struct Pointers {
  std::vector<const char*> texts; /**< Where each begins. */
  std::vector<std::size_t> sizes; /**< Its bytes. */
  /** Of strings that must stay as they are meanwhile. */
  explicit Pointers(Span<const std::string> from) {
    for (const std::string& text : from) {
      texts.push_back(text.data());
      sizes.push_back(text.size());
    }
  }
  /** How many. */
  std::int64_t count() const noexcept { return static_cast<std::int64_t>(texts.size()); }
};

}  // namespace detail

/** One vector for each text, [texts, hidden_size].
 * @param model     one with a tokenizer
 * @param texts     UTF-8
 * @param pooling   LFFN_POOLING_
 * @param normalize whether each vector is divided by its length
 * @param flags     LFFN_TOKENIZE_TRUNCATE to cut texts that are too long */
inline std::vector<float> embed_texts(const Model& model, const std::vector<std::string>& texts,
                                      std::int32_t pooling = LFFN_POOLING_MEAN, bool normalize = true,
                                      std::uint32_t flags = 0) {
  const detail::Pointers pointers(texts);
  std::vector<float> vectors(texts.size() * static_cast<std::size_t>(model.info().hidden_size));
  check(lffn_model_embed_texts(model.get(), pointers.texts.data(), pointers.sizes.data(), pointers.count(), flags,
                               pooling, normalize ? 1 : 0, vectors.data()));
  return vectors;
}

/** The classifier's scores for each text, [texts, num_classes].
 * @param model one with a classifier
 * @param texts UTF-8
 * @param flags LFFN_TOKENIZE_TRUNCATE to cut texts that are too long */
inline std::vector<float> classify_texts(const Model& model, const std::vector<std::string>& texts,
                                         std::uint32_t flags = 0) {
  const detail::Pointers pointers(texts);
  std::vector<float> scores(texts.size() * static_cast<std::size_t>(model.info().num_classes));
  check(lffn_model_classify_texts(model.get(), pointers.texts.data(), pointers.sizes.data(), pointers.count(), flags,
                                  scores.data()));
  return scores;
}

}  // namespace lookupffn

#endif /* LOOKUPFFN_TEXT_HPP */
