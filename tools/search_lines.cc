// SPDX-License-Identifier: Apache-2.0
#include "search_lines.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>

#include "progress.h"

namespace lffn::tools {
namespace {

namespace out = lookupffn::out;

using Clock = std::chrono::steady_clock;
constexpr auto kBetweenCopies = std::chrono::minutes(1);  // the most work that is lost if the command is ended

void tell(const std::string& sentence) { std::fprintf(stderr, "lookupffn: %s\n", sentence.c_str()); }

lookupffn::AnyOutput output_of(int32_t kind) {
  if (kind == LFFN_VECTORS_INT8) return out::int8_embeddings;
  return out::embeddings;
}

VectorsKey key_of(const lookupffn::Model& model, const LineSearchOptions& options) {
  VectorsKey key;
  key.kind = options.kind != 0 ? options.kind : options.vectors.empty() ? 0 : KeptVectors::kind_of(options.vectors);
  if (key.kind == 0) key.kind = LFFN_VECTORS_F32;
  key.size = model.info().embedding_size;
  if (!options.vectors.empty()) key.fingerprint = model.fingerprint();
  const std::string described = options.text.described();
  if (!described.empty()) key.reading = hash_of(described.data(), described.size());
  return key;
}

lookupffn::Vectors vectors_of(const lookupffn::Result& result, int32_t kind) {
  if (kind == LFFN_VECTORS_F32) {
    const auto rows = result.get(out::embeddings);
    return {rows.values, static_cast<int64_t>(rows.columns)};
  }
  const auto rows = result.get(out::int8_embeddings);
  return {rows.values, static_cast<int64_t>(rows.columns)};
}

}  // namespace

LineSearch::LineSearch(const lookupffn::Model& model, const std::string& input, const LineSearchOptions& options)
    : model_(model),
      options_(options),
      texts_(input),
      key_(key_of(model, options)),
      vectors_(key_, texts_),
      keeps_(!options.vectors.empty()) {
  if (keeps_) {
    const std::string why = vectors_.take(options_.vectors);
    if (!why.empty()) tell(options_.vectors + " is made anew: " + why);
  }
  const size_t taken = vectors_.left_out().size();
  if (taken > 0) {
    tell(texts_.name_of(static_cast<size_t>(vectors_.left_out()[0])) + ": has no vector, as it could not be read" +
         (taken > 1 ? "; so have " + std::to_string(taken - 1) + " others" : ""));
  }
  if (vectors_.count() < texts_.count()) embed_lines();
}

void LineSearch::embed_lines() {
  const size_t bytes = texts_.end_of(texts_.count());
  size_t begin = vectors_.count();
  Progress progress("embedding", static_cast<int64_t>(bytes - texts_.end_of(begin)));
  Clock::time_point copied = Clock::now();
  while (begin < texts_.count()) {
    const size_t end = std::min(texts_.count(), begin + kLinesAtOnce);
    embed_some(begin, end);
    progress.add(static_cast<int64_t>(texts_.end_of(end) - texts_.end_of(begin)));
    begin = end;
    if (begin < texts_.count() && Clock::now() - copied < kBetweenCopies) continue;
    keep();
    copied = Clock::now();
  }
}

void LineSearch::embed_some(size_t begin, size_t end) {
  std::vector<TextRecord> records;
  for (size_t i = begin; i < end; ++i) {
    try {
      records.push_back(record_of(std::string(texts_.line(i)), options_.text.json_lines()));
    } catch (const lookupffn::Error& error) {
      throw lookupffn::Error(error.status(), texts_.name_of(i) + ": " + error.what());
    }
  }
  lookupffn::RunOptions run = options_.text.run_options();
  if (run.prompt_kind == LFFN_PROMPT_MODEL) run.prompt_kind = LFFN_PROMPT_DOCUMENT;
  const auto refuse = [&](size_t place, const std::string& why) { tell(texts_.name_of(begin + place) + ": " + why); };
  const auto statuses =
      run_records(model_, records, refuse, lookupffn::Model::arguments(run), {output_of(key_.kind)}, result_);
  vectors_.add(vectors_of(result_, key_.kind).data(), records.size());
  for (size_t i = begin; i < end; ++i) {
    if (statuses[i - begin] != LFFN_OK) vectors_.leave_out(i);
  }
}

void LineSearch::keep() {
  if (!keeps_) return;
  try {
    vectors_.write(options_.vectors);
  } catch (const std::exception& error) {
    keeps_ = false;
    tell(std::string("the vectors are not kept: ") + error.what());
  }
}

std::vector<FoundLine> LineSearch::find(const std::string& query, int64_t k) const {
  if (vectors_.count() == 0) return {};
  lookupffn::RunOptions run = options_.query;
  if (run.prompt_kind == LFFN_PROMPT_MODEL) run.prompt_kind = LFFN_PROMPT_QUERY;
  lookupffn::Result result;
  model_.run(lookupffn::Texts{query}, {output_of(key_.kind)}, result, run);
  const lookupffn::Nearest nearest = vectors_.find(
      vectors_of(result, key_.kind), std::min(k, static_cast<int64_t>(vectors_.count())), model_.info().num_threads);
  std::vector<FoundLine> hits;
  for (size_t i = 0; i < nearest.ids_of(0).size(); ++i) {
    const auto line = static_cast<size_t>(nearest.ids_of(0)[i]);
    hits.push_back(
        {line, nearest.scores_of(0)[i], record_of(std::string(texts_.line(line)), options_.text.json_lines()).text});
  }
  return hits;
}

}  // namespace lffn::tools
