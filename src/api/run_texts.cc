// SPDX-License-Identifier: Apache-2.0
// What a call runs: texts become sequences of tokens, or token ids are given.
#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/boundary.h"
#include "api/run_call.h"
#include "runtime/cancel_flag.h"
#include "runtime/threads.h"

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

// Neighbouring texts, which one thread reads one after another.
constexpr int64_t kTextsOfBlock = 32;

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
  const int64_t blocks = (args_.n + kTextsOfBlock - 1) / kTextsOfBlock;
  const auto threads = static_cast<int32_t>(std::min<int64_t>(threads_of_texts(model_, args_), blocks));
  if (threads <= 1) {
    for (int64_t i = 0; i < args_.n; ++i) read_text_into(batch, i, memory_.failures);
  } else {
    read_blocks(blocks, threads);
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

// One that cannot be run is an empty sequence.
void RunCall::read_text_into(TextBatch& batch, int64_t i, std::vector<RunMemory::Failure>& failures) {
  const TextNames& names = (args_.flags & LFFN_RUN_DOCUMENTS) != 0 ? kDocuments : kTexts;
  try {
    const bool has_pair = args_.pairs != nullptr && args_.pairs[i] != nullptr;
    const std::string_view text = text_of(args_.texts, args_.text_sizes, i, has_pair ? names.first : names.alone);
    if (has_pair) {
      batch.add_pair(text, text_of(args_.pairs, args_.pair_sizes, i, names.second));
    } else {
      batch.add(text);
    }
  } catch (const Error& error) {
    if (!is_of_text(error.status())) throw;
    memory_.statuses[static_cast<size_t>(i)] = error.status();
    failures.push_back({i, error.what()});
    batch.add_nothing();
  }
}

// Each thread reads blocks of neighbouring texts into rows of its own; they are put together in the order of the texts.
void RunCall::read_blocks(int64_t num_blocks, int32_t threads) {
  struct Block {
    const RunMemory::Reader* reader = nullptr;
    int64_t first = 0, last = 0;  // texts of the reader
  };
  std::vector<Block> blocks(static_cast<size_t>(num_blocks));
  memory_.readers.resize(std::max(memory_.readers.size(), static_cast<size_t>(threads)));
  for (size_t i = 0; i < static_cast<size_t>(threads); ++i) {
    auto& reader = memory_.readers[i];
    if (reader == nullptr) reader = std::make_unique<RunMemory::Reader>();
    reader->texts.start_as(memory_.texts);
    reader->failures.clear();
  }
  run_call(*model_.running().executor, threads, [&] {
    parallel_for(num_blocks, threads, [&](int64_t b, int32_t thread) {
      poll(args_.cancel);
      RunMemory::Reader& reader = *memory_.readers[static_cast<size_t>(thread)];
      const int64_t first = reader.texts.num_texts();
      const int64_t last = std::min(args_.n, (b + 1) * kTextsOfBlock);
      for (int64_t i = b * kTextsOfBlock; i < last; ++i) read_text_into(reader.texts, i, reader.failures);
      blocks[static_cast<size_t>(b)] = {&reader, first, reader.texts.num_texts()};
    });
  });
  for (const Block& block : blocks) memory_.texts.add_texts(block.reader->texts, block.first, block.last);
  for (size_t i = 0; i < static_cast<size_t>(threads); ++i) {
    auto& failures = memory_.readers[i]->failures;
    std::move(failures.begin(), failures.end(), std::back_inserter(memory_.failures));
  }
  std::sort(memory_.failures.begin(), memory_.failures.end(),
            [](const RunMemory::Failure& a, const RunMemory::Failure& b) { return a.text < b.text; });
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
