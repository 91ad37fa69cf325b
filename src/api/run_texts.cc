// SPDX-License-Identifier: Apache-2.0
// What a call runs: texts become sequences of tokens, or token ids are given.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/boundary.h"
#include "api/read_texts.h"
#include "api/run_call.h"

namespace lffn {

std::string_view text_of(const char* const* texts, const size_t* sizes, int64_t i, const char* name) {
  if (texts[i] == nullptr) fail(LFFN_ERROR_NULL_TEXT, "the %s is NULL", name);
  return read_text(texts[i], sizes == nullptr ? SIZE_MAX : sizes[i], (std::string("the ") + name).c_str());
}

bool is_of_text(lffn_status status) {
  return status == LFFN_ERROR_INVALID_ARGUMENT || status == LFFN_ERROR_NULL_TEXT || status == LFFN_ERROR_BAD_TEXT ||
         status == LFFN_ERROR_TOO_LONG;
}

namespace {

int32_t threads_of_texts(const Model& model, const lffn_model_run_args& args) {
  const int32_t own = model.running().num_threads;
  return args.num_threads > 0 ? std::min(args.num_threads, own) : own;
}

}  // namespace

// The prompt that the call names, or the model's own.
std::string_view RunCall::prompt() const {
  switch (args_.prompt_kind) {
    case LFFN_PROMPT_NAMED:
      return find_prompt(model_, read_text(args_.prompt, args_.prompt_size, "prompt"));
    case LFFN_PROMPT_TEXT:
      return read_text(args_.prompt, args_.prompt_size, "prompt");
    case LFFN_PROMPT_NONE:
      return {};
    case LFFN_PROMPT_QUERY:
      if (const std::string* own = query_prompt(model_)) return *own;
      break;
    case LFFN_PROMPT_DOCUMENT:
      if (const std::string* own = document_prompt(model_)) return *own;
      break;
    default:
      break;
  }
  return args_.reading == LFFN_READING_MODEL ? default_prompt(model_) : std::string_view();
}

// One that cannot be run is an empty sequence with its status and message where statuses are wanted, and else the whole
// call's failure.
void RunCall::read_texts() {
  TextOptions options;
  options.plain = args_.reading == LFFN_READING_PLAIN;
  options.prompt = prompt();
  options.max_tokens = args_.max_tokens;
  options.cancel = args_.cancel;
  options.spans = wants(LFFN_WANT_ENTITIES | LFFN_WANT_SPANS);
  options.uncut = wants(LFFN_WANT_UNCUT);
  options.repairs = (args_.flags & LFFN_RUN_REPAIR_TEXT) != 0;
  options.documents = (args_.flags & LFFN_RUN_DOCUMENTS) != 0;
  options.sparse_query = is_sparse_query();
  options.role = role();
  options.windows = args_.windows != LFFN_WINDOWS_NONE;
  options.stride = args_.stride;
  TextBatch& batch = memory_.texts;
  batch.start(model_, options);
  GivenTexts given = {args_.n, args_.texts, args_.text_sizes, args_.pairs, args_.pair_sizes};
  if (options.documents) given.names = &kDocuments;
  const auto threads = static_cast<int32_t>(std::min<int64_t>(threads_of_texts(model_, args_), blocks_of(args_.n)));
  if (threads <= 1) {
    for (int64_t i = 0; i < args_.n; ++i) read_text(given, i, batch, memory_.statuses, memory_.failures);
  } else {
    read_blocks(given, threads);
  }
  if (!wants(LFFN_WANT_STATUSES) && !memory_.failures.empty()) {
    const RunMemory::Failure& failure = memory_.failures[0];
    const std::string place = std::to_string(failure.text);
    throw Error(memory_.statuses[static_cast<size_t>(failure.text)],
                (options.documents ? "document " + place : "texts[" + place + "]") + ": " + failure.message);
  }
  batch.fill(call_);
  memory_.offsets = batch.rows().offsets();
  memory_.uncut = batch.uncut();
}

void RunCall::read_blocks(const GivenTexts& given, int32_t threads) {
  memory_.readers.resize(std::max(memory_.readers.size(), static_cast<size_t>(threads)));
  const auto make = [&](int32_t thread) {
    auto& reader = memory_.readers[static_cast<size_t>(thread)];
    if (reader == nullptr) reader = std::make_unique<RunMemory::Reader>();
    reader->texts.start_as(memory_.texts);
    reader->failures.clear();
    return reader.get();
  };
  read_in_blocks(given, *model_.running().executor, threads, args_.cancel, memory_.statuses, memory_.failures, make,
                 [&](const RunMemory::Reader& reader, int64_t first, int64_t last) {
                   memory_.texts.add_texts(reader.texts, first, last);
                 });
}

void RunCall::read_ids() {
  const auto n = static_cast<size_t>(args_.n);
  if (args_.n > 0) check_sequences();
  memory_.offsets.assign(1, 0);
  if (args_.n > 0) memory_.offsets.assign(args_.offsets, args_.offsets + args_.n + 1);
  memory_.uncut.resize(n);
  for (size_t i = 0; i < n; ++i) memory_.uncut[i] = memory_.offsets[i + 1] - memory_.offsets[i];
  if (args_.result != nullptr && memory_.offsets[n] > 0) memory_.ids.assign(args_.ids, args_.ids + memory_.offsets[n]);
  call_.ids = args_.ids;
  call_.types = args_.token_types;
  call_.offsets = memory_.offsets.data();
  call_.num_sequences = args_.n;
}

void RunCall::read_sequences() {
  memory_.statuses.assign(static_cast<size_t>(args_.n), LFFN_OK);
  memory_.failures.clear();
  if (args_.texts != nullptr) {
    read_texts();
  } else {
    read_ids();
  }
}

void list_messages(RunMemory& memory) {
  memory.messages.assign(memory.statuses.size(), "");
  for (const RunMemory::Failure& failure : memory.failures) {
    memory.messages[static_cast<size_t>(failure.text)] = failure.message.c_str();
  }
}

void show_spans(const TextRows& rows, RunMemory& memory, lffn_result_view& view) {
  const auto part = [](const std::vector<TextSpan>& spans, std::vector<int64_t>& begins, std::vector<int64_t>& ends) {
    begins.clear();
    ends.clear();
    for (const TextSpan& span : spans) {
      begins.push_back(static_cast<int64_t>(span.begin));
      ends.push_back(static_cast<int64_t>(span.end));
    }
  };
  part(rows.spans(), memory.token_begins, memory.token_ends);
  for (size_t pair = 0; pair < 2; ++pair) part(rows.parts(pair), memory.begins[pair], memory.ends[pair]);
  view.token_begins = memory.token_begins.data();
  view.token_ends = memory.token_ends.data();
  view.token_texts = rows.texts().data();
  view.text_begins = memory.begins[0].data();
  view.text_ends = memory.ends[0].data();
  view.pair_begins = memory.begins[1].data();
  view.pair_ends = memory.ends[1].data();
}

}  // namespace lffn
