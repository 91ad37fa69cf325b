// SPDX-License-Identifier: Apache-2.0
// What a run reads: texts become sequences of tokens, or token ids are given.
#include <algorithm>
#include <memory>
#include <numeric>
#include <string>

#include "run/read_texts.h"
#include "run/run.h"

namespace lffn {
namespace {

// The prompt that the request names, or the model's own.
std::string_view prompt_of(const Run& run) {
  const Request& request = run.request;
  switch (request.prompt_kind) {
    case LFFN_PROMPT_NAMED:
      return find_prompt(run.model, request.prompt);
    case LFFN_PROMPT_TEXT:
      return request.prompt;
    case LFFN_PROMPT_NONE:
      return {};
    case LFFN_PROMPT_QUERY:
      if (const std::string* own = query_prompt(run.model)) return *own;
      break;
    case LFFN_PROMPT_DOCUMENT:
      if (const std::string* own = document_prompt(run.model)) return *own;
      break;
    default:
      break;
  }
  return request.plain ? std::string_view() : default_prompt(run.model);
}

TextOptions options_of(const Run& run) {
  const Request& request = run.request;
  TextOptions options;
  options.plain = request.plain;
  options.prompt = prompt_of(run);
  options.max_tokens = request.max_tokens;
  options.cancel = request.cancel;
  options.spans = run.asks(kEntityOutputs | kSpanOutputs);
  options.uncut = run.asks(set_of(LFFN_OUT_UNCUT_LENGTHS));
  options.repairs = request.repairs;
  options.names = request.given.names;
  options.first_only = request.first_only;
  options.sparse_query = run.is_sparse_query();
  options.role = run.role();
  options.windows = request.windows != LFFN_WINDOWS_NONE;
  options.stride = request.stride;
  return options;
}

void read_blocks(Run& run, int32_t threads) {
  CallMemory& memory = run.memory;
  memory.readers.resize(std::max(memory.readers.size(), static_cast<size_t>(threads)));
  const auto make = [&](int32_t thread) {
    auto& reader = memory.readers[static_cast<size_t>(thread)];
    if (reader == nullptr) reader = std::make_unique<CallMemory::Reader>();
    reader->texts.start_as(memory.texts);
    reader->failures.clear();
    return reader.get();
  };
  read_in_blocks(run.request.given, *run.model.running().executor, threads, run.request.cancel, memory.statuses,
                 memory.failures, make, [&](const CallMemory::Reader& reader, int64_t first, int64_t last) {
                   memory.texts.add_texts(reader.texts, first, last);
                 });
}

// A text that cannot be run becomes an empty sequence with a status and a message if these are asked for; else it fails
// the whole call.
void read_texts(Run& run) {
  const GivenTexts& given = run.request.given;
  CallMemory& memory = run.memory;
  const TextOptions options = options_of(run);
  TextBatch& batch = memory.texts;
  batch.start(run.model, options);
  const int32_t own = run.model.running().num_threads;
  const int32_t most = run.request.num_threads > 0 ? std::min(run.request.num_threads, own) : own;
  const auto threads = static_cast<int32_t>(std::min<int64_t>(most, blocks_of(given.n)));
  if (threads <= 1) {
    for (int64_t i = 0; i < given.n; ++i) read_text(given, i, batch, memory.statuses, memory.failures);
  } else {
    read_blocks(run, threads);
  }
  if (!run.asks(kFailureOutputs) && !memory.failures.empty()) {
    const TextFailure& failure = memory.failures[0];
    const std::string place = std::to_string(given.first + failure.text);
    throw Error(memory.statuses[static_cast<size_t>(failure.text)],
                given.names->before + place + given.names->after + ": " + failure.message);
  }
  batch.fill(run.call);
  const TextRows& rows = batch.rows();
  run.read = {&rows,
              given.n,
              run.call.num_sequences,
              rows.ids().data(),
              rows.types().data(),
              rows.offsets().data(),
              rows.text_offsets().data(),
              batch.uncut().data(),
              &memory};
}

void take_ids(Run& run) {
  const Request& request = run.request;
  CallMemory& memory = run.memory;
  const auto n = static_cast<size_t>(request.given.n);
  if (n > 0) check_sequences(run);
  memory.offsets.assign(1, 0);
  if (n > 0) memory.offsets.assign(request.sequences.offsets, request.sequences.offsets + n + 1);
  memory.uncut.resize(n);
  for (size_t i = 0; i < n; ++i) memory.uncut[i] = memory.offsets[i + 1] - memory.offsets[i];
  if (run.asks(set_of(LFFN_OUT_WINDOW_OFFSETS))) {
    memory.text_offsets.resize(n + 1);
    std::iota(memory.text_offsets.begin(), memory.text_offsets.end(), int64_t{0});
  }
  run.call.ids = request.sequences.ids;
  run.call.types = request.sequences.types;
  run.call.offsets = memory.offsets.data();
  run.call.num_sequences = request.given.n;
  run.read = {nullptr,
              request.given.n,
              request.given.n,
              run.call.ids,
              run.call.types,
              memory.offsets.data(),
              memory.text_offsets.data(),
              memory.uncut.data(),
              &memory};
}

}  // namespace

void read_sequences(Run& run) {
  run.memory.statuses.assign(static_cast<size_t>(run.request.given.n), LFFN_OK);
  run.memory.failures.clear();
  if (run.request.has_texts()) {
    read_texts(run);
  } else {
    take_ids(run);
  }
}

}  // namespace lffn
