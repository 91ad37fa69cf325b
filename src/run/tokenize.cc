// SPDX-License-Identifier: Apache-2.0
#include "run/tokenize.h"

#include <algorithm>
#include <memory>
#include <string>

#include "run/read.h"
#include "run/read_texts.h"
#include "runtime/error.h"

namespace lffn {
namespace {

// Where there is only one, the message need not say which one it is.
std::string with_place(int64_t n, const std::string& place, const std::string& message) {
  return n == 1 ? message : place + ": " + message;
}

void read_all(const Tokenizer& tokenizer, const GivenTexts& given, const TextRows::Rules& rules, Executor& executor,
              int32_t threads, CallMemory& memory) {
  memory.statuses.assign(static_cast<size_t>(given.n), LFFN_OK);
  memory.failures.clear();
  memory.tokens.start(tokenizer, rules);
  threads = static_cast<int32_t>(std::min<int64_t>(threads, blocks_of(given.n)));
  if (threads <= 1) {
    for (int64_t i = 0; i < given.n; ++i) {
      poll(rules.encoding.cancel);
      read_text(given, i, memory.tokens, memory.statuses, memory.failures);
    }
    return;
  }
  memory.token_readers.resize(std::max(memory.token_readers.size(), static_cast<size_t>(threads)));
  read_in_blocks(
      given, executor, threads, rules.encoding.cancel, memory.statuses, memory.failures,
      [&](int32_t thread) {
        auto& reader = memory.token_readers[static_cast<size_t>(thread)];
        if (reader == nullptr) reader = std::make_unique<CallMemory::TokenReader>();
        reader->start(tokenizer, rules);
        return reader.get();
      },
      [&](const CallMemory::TokenReader& reader, int64_t first, int64_t last) {
        memory.tokens.texts.add_texts(reader.texts, first, last);
      });
}

}  // namespace

void tokenize(const Tokenizer& tokenizer, const GivenTexts& given, TextRows::Rules rules, Executor& executor,
              int32_t threads, Outputs& outputs, CallMemory& memory) {
  rules.encoding.spans = outputs.asks(kSpanOutputs);
  rules.encoding.uncut = outputs.asks(set_of(LFFN_OUT_UNCUT_LENGTHS));
  poll(rules.encoding.cancel);
  read_all(tokenizer, given, rules, executor, threads, memory);
  if (!outputs.asks(kFailureOutputs) && !memory.failures.empty()) {
    const TextFailure& failure = memory.failures[0];
    throw Error(memory.statuses[static_cast<size_t>(failure.text)],
                with_place(given.n, "texts[" + std::to_string(failure.text) + "]", failure.message));
  }
  list_messages(outputs, memory);
  const TextRows& rows = memory.tokens.texts;
  const ReadRows read = {&rows,
                         given.n,
                         rows.size(),
                         rows.ids().data(),
                         rows.types().data(),
                         rows.offsets().data(),
                         rows.text_offsets().data(),
                         rows.uncut().data(),
                         &memory};
  set_read_sizes(outputs, read);
  outputs.check_room();
  give_read_rows(outputs, read, true);
  give_read_rows(outputs, read, false);
  outputs.show();
}

void detokenize(const Tokenizer& tokenizer, const GivenIds& given, int64_t n, bool skip_special, Outputs& outputs,
                CallMemory& memory) {
  memory.decoded.clear();
  memory.offsets.assign(1, 0);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t begin = given.offsets[i], count = given.offsets[i + 1] - begin;
    try {
      memory.decoded += tokenizer.decode(given.ids + begin, static_cast<size_t>(count), skip_special);
    } catch (const Error& error) {
      throw Error(error.status(), with_place(n, "sequence " + std::to_string(i), error.what()));
    }
    memory.decoded += '\0';
    memory.offsets.push_back(static_cast<int64_t>(memory.decoded.size()));
  }
  const bool asks_text = outputs.asks(set_of(LFFN_OUT_DECODED));
  const bool asks_offsets = outputs.asks(set_of(LFFN_OUT_DECODED_OFFSETS));
  if (asks_text) outputs.set_size(LFFN_OUT_DECODED, memory.offsets.back());
  if (asks_offsets) outputs.set_size(LFFN_OUT_DECODED_OFFSETS, n + 1);
  outputs.check_room();
  if (asks_text) outputs.give(LFFN_OUT_DECODED, memory.decoded.data());
  if (asks_offsets) outputs.give(LFFN_OUT_DECODED_OFFSETS, memory.offsets.data());
  outputs.show();
}

}  // namespace lffn
