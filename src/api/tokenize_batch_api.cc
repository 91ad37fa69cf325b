// SPDX-License-Identifier: Apache-2.0
// The functions that turn many texts into tokens, and back.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/boundary.h"
#include "api/handles.h"
#include "api/read_texts.h"
#include "api/structs.h"
#include "texts/text_rows.h"

using namespace lffn;

namespace {

// What one thread reads, block after block.
class Reader {
 public:
  Reader(const lffn_tokenizer& handle, const TextRows::Rules& rules) : handle_(handle), rules_(rules), rows_(handle) {}
  void add(std::string_view text) { rows_->add(*handle_.tokenizer, text, nullptr, rules_); }
  void add_pair(std::string_view text, std::string_view pair) { rows_->add(*handle_.tokenizer, text, &pair, rules_); }
  void add_nothing() { rows_->add_nothing(); }

  Reader& rows() { return *this; }
  int64_t num_texts() const { return static_cast<int64_t>(rows_->uncut().size()); }
  const TextRows& texts() const { return *rows_; }
  std::vector<RunMemory::Failure> failures;

 private:
  const lffn_tokenizer& handle_;
  const TextRows::Rules& rules_;
  BorrowedRows rows_;
};

TextRows::Rules rules_of(const lffn_tokenizer& handle, const lffn_tokenize_batch_args& args) {
  TextRows::Rules rules;
  rules.reading.repairs = (args.flags & LFFN_TOKENIZE_REPAIR) != 0;
  rules.encoding.special = (args.flags & LFFN_TOKENIZE_SPECIAL) != 0;
  rules.encoding.spans = (args.flags & LFFN_TOKENIZE_SPANS) != 0;
  rules.encoding.uncut = (args.flags & LFFN_TOKENIZE_UNCUT) != 0;
  rules.encoding.cancel = args.cancel;
  const int64_t most = args.max_tokens == LFFN_MAX_TOKENS_MODEL ? handle.own_max_tokens : args.max_tokens;
  if (most > 0) rules.encoding.most = static_cast<size_t>(most);
  return rules;
}

// Which one it is needs no telling where there is only one.
std::string with_place(int64_t n, const std::string& place, const std::string& message) {
  return n == 1 ? message : place + ": " + message;
}

void encode_batch(const lffn_tokenizer* handle, const lffn_tokenize_batch_args& args) {
  need(handle, "tokenizer");
  need(args.result, "result");
  check_count(args.n, "n");
  if (args.n > 0) need(args.texts, "texts");
  check_flags(
      args.flags,
      LFFN_TOKENIZE_SPECIAL | LFFN_TOKENIZE_REPAIR | LFFN_TOKENIZE_SPANS | LFFN_TOKENIZE_UNCUT | LFFN_TOKENIZE_STATUSES,
      "flags");
  check_max_tokens(args.max_tokens);
  check_threads(args.num_threads, "num_threads");
  const UseHooks hooks(hooks_of(handle->runtime));
  const Filling filling(*args.result);
  RunMemory& memory = filling.memory();
  const TextRows::Rules rules = rules_of(*handle, args);
  const bool keep_going = (args.flags & LFFN_TOKENIZE_STATUSES) != 0;
  const int32_t threads = args.num_threads > 0 ? std::min(args.num_threads, handle->num_threads) : handle->num_threads;
  std::vector<std::unique_ptr<Reader>> readers(static_cast<size_t>(threads));
  memory.statuses.assign(static_cast<size_t>(args.n), LFFN_OK);
  memory.tokens.clear();
  read_in_blocks(
      {args.n, args.texts, args.text_sizes, args.pairs, args.pair_sizes}, *handle->executor, threads, args.cancel,
      memory.statuses, memory.failures,
      [&](int32_t thread) {
        auto& reader = readers[static_cast<size_t>(thread)];
        reader = std::make_unique<Reader>(*handle, rules);
        return reader.get();
      },
      [&](const Reader& reader, int64_t first, int64_t last) { memory.tokens.add_texts(reader.texts(), first, last); });
  if (!keep_going && !memory.failures.empty()) {
    const RunMemory::Failure& failure = memory.failures[0];
    throw Error(memory.statuses[static_cast<size_t>(failure.text)],
                with_place(args.n, "texts[" + std::to_string(failure.text) + "]", failure.message));
  }
  const TextRows& rows = memory.tokens;

  lffn_result_view& view = filling.view();
  view.n = view.n_texts = args.n;
  view.n_tokens = rows.offsets().back();
  view.ids = rows.ids().data();
  view.token_types = rows.types().data();
  view.offsets = rows.offsets().data();
  view.statuses = memory.statuses.data();
  if (rules.encoding.uncut) view.uncut = rows.uncut().data();
  if (rules.encoding.spans) show_spans(rows, memory, view);
  if (!keep_going) return;
  list_messages(memory);
  view.messages = memory.messages.data();
}

void decode_batch(const lffn_tokenizer* handle, const int32_t* ids, const int64_t* offsets, int64_t n, uint32_t flags,
                  lffn_result* result) {
  need(handle, "tokenizer");
  need(result, "result");
  check_count(n, "n");
  check_flags(flags, LFFN_DETOKENIZE_SKIP_SPECIAL, "flags");
  if (n > 0) check_offsets(offsets, n);
  if (n > 0 && offsets[n] > 0) need(ids, "ids");
  const Filling filling(*result);
  RunMemory& memory = filling.memory();
  memory.decoded.clear();
  memory.decoded_texts.clear();
  memory.decoded_sizes.clear();
  for (int64_t i = 0; i < n; ++i) {
    try {
      memory.decoded.push_back(handle->tokenizer->decode(ids + offsets[i],
                                                         static_cast<size_t>(offsets[i + 1] - offsets[i]),
                                                         (flags & LFFN_DETOKENIZE_SKIP_SPECIAL) != 0));
    } catch (const Error& error) {
      throw Error(error.status(), with_place(n, "sequence " + std::to_string(i), error.what()));
    }
  }
  for (const std::string& text : memory.decoded) {
    memory.decoded_texts.push_back(text.c_str());
    memory.decoded_sizes.push_back(text.size());
  }
  lffn_result_view& view = filling.view();
  view.n = view.n_texts = n;
  view.decoded = memory.decoded_texts.data();
  view.decoded_sizes = memory.decoded_sizes.data();
}

}  // namespace

extern "C" {

void lffn_tokenize_batch_args_init_sized(lffn_tokenize_batch_args* args, size_t struct_size) {
  lffn_tokenize_batch_args defaults = {};
  defaults.max_tokens = LFFN_MAX_TOKENS_NEVER;
  defaults.flags = LFFN_TOKENIZE_SPECIAL;
  init_struct(args, struct_size, defaults);
}

lffn_status lffn_tokenizer_encode_batch(const lffn_tokenizer* tokenizer, const lffn_tokenize_batch_args* args) {
  return guarded([&] { encode_batch(tokenizer, read_struct(args, "args")); });
}

lffn_status lffn_tokenizer_decode_batch(const lffn_tokenizer* tokenizer, const int32_t* ids, const int64_t* offsets,
                                        int64_t n, uint32_t flags, lffn_result* result) {
  return guarded([&] { decode_batch(tokenizer, ids, offsets, n, flags, result); });
}

}  // extern "C"
