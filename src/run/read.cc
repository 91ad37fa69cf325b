// SPDX-License-Identifier: Apache-2.0
#include "run/read.h"

#include <algorithm>
#include <string_view>

#include "run/read_texts.h"
#include "runtime/error.h"

namespace lffn {

std::string_view text_of(const char* const* texts, const size_t* sizes, int64_t i, const char* name) {
  if (texts[i] == nullptr) fail(LFFN_ERROR_NULL_TEXT, "the %s is NULL", name);
  const size_t size = sizes == nullptr ? SIZE_MAX : sizes[i];
  if (size == SIZE_MAX) return texts[i];
  if (size > PTRDIFF_MAX) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "the %s: %zu bytes are more than any memory holds", name, size);
  }
  return {texts[i], size};
}

bool is_of_text(lffn_status status) {
  return status == LFFN_ERROR_INVALID_ARGUMENT || status == LFFN_ERROR_NULL_TEXT || status == LFFN_ERROR_BAD_TEXT ||
         status == LFFN_ERROR_TOO_LONG;
}

void list_messages(const Outputs& outputs, CallMemory& memory) {
  if (!outputs.asks(kFailureOutputs)) return;
  memory.messages.clear();
  memory.message_offsets.assign(1, 0);
  auto failure = memory.failures.begin();
  for (size_t i = 0; i < memory.statuses.size(); ++i) {
    if (failure != memory.failures.end() && failure->text == static_cast<int64_t>(i)) {
      memory.messages += (failure++)->message;
    }
    memory.messages += '\0';
    memory.message_offsets.push_back(static_cast<int64_t>(memory.messages.size()));
  }
}

namespace {

// How one of kReadOutputs is given, and how many rows it has.
struct ReadRow {
  int64_t (*rows)(const ReadRows&);
  void (*give)(Outputs&, int32_t what, const ReadRows&);
};

int64_t rows_of_tokens(const ReadRows& read) { return read.num_tokens(); }
int64_t rows_of_sequences(const ReadRows& read) { return read.num_sequences; }
int64_t rows_around_sequences(const ReadRows& read) { return read.num_sequences + 1; }
int64_t rows_of_texts(const ReadRows& read) { return read.num_texts; }
int64_t rows_around_texts(const ReadRows& read) { return read.num_texts + 1; }
int64_t bytes_of_messages(const ReadRows& read) { return static_cast<int64_t>(read.memory->messages.size()); }

void give_types(Outputs& outputs, int32_t what, const ReadRows& read) {
  if (read.types != nullptr) return outputs.give(what, read.types, read.rows != nullptr);
  std::fill_n(outputs.place<int32_t>(what), read.num_tokens(), 0);
}

template <size_t TextSpan::*Edge>
void give_edges(Outputs& outputs, int32_t what, const std::vector<TextSpan>& spans, int64_t count) {
  auto* const to = outputs.place<int64_t>(what);
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<int64_t>(spans[static_cast<size_t>(i)].*Edge);
}

template <size_t TextSpan::*Edge>
void give_token_edges(Outputs& outputs, int32_t what, const ReadRows& read) {
  static const std::vector<TextSpan> kNone;
  give_edges<Edge>(outputs, what, read.rows != nullptr ? read.rows->spans() : kNone, read.num_tokens());
}

template <size_t Pair, size_t TextSpan::*Edge>
void give_part_edges(Outputs& outputs, int32_t what, const ReadRows& read) {
  static const std::vector<TextSpan> kNone;
  give_edges<Edge>(outputs, what, read.rows != nullptr ? read.rows->parts(Pair) : kNone, read.num_sequences);
}

constexpr ReadRow kReadRows[] = {
    {},
    {rows_of_tokens,
     [](Outputs& outputs, int32_t what, const ReadRows& read) { outputs.give(what, read.ids, read.rows != nullptr); }},
    {rows_of_tokens, give_types},
    {rows_around_sequences,
     [](Outputs& outputs, int32_t what, const ReadRows& read) { outputs.give(what, read.offsets); }},
    {rows_of_tokens, give_token_edges<&TextSpan::begin>},
    {rows_of_tokens, give_token_edges<&TextSpan::end>},
    {rows_of_tokens,
     [](Outputs& outputs, int32_t what, const ReadRows& read) {
       outputs.give(what, read.rows != nullptr ? read.rows->texts().data() : nullptr);
     }},
    {rows_of_sequences, give_part_edges<0, &TextSpan::begin>},
    {rows_of_sequences, give_part_edges<0, &TextSpan::end>},
    {rows_of_sequences, give_part_edges<1, &TextSpan::begin>},
    {rows_of_sequences, give_part_edges<1, &TextSpan::end>},
    {rows_around_texts,
     [](Outputs& outputs, int32_t what, const ReadRows& read) { outputs.give(what, read.window_offsets); }},
    {rows_of_texts, [](Outputs& outputs, int32_t what, const ReadRows& read) { outputs.give(what, read.uncut); }},
    {rows_of_texts,
     [](Outputs& outputs, int32_t what, const ReadRows& read) { outputs.give(what, read.memory->statuses.data()); }},
    {bytes_of_messages,
     [](Outputs& outputs, int32_t what, const ReadRows& read) { outputs.give(what, read.memory->messages.data()); }},
    {rows_around_texts, [](Outputs& outputs, int32_t what,
                           const ReadRows& read) { outputs.give(what, read.memory->message_offsets.data()); }},
};
static_assert(sizeof kReadRows / sizeof *kReadRows == LFFN_OUT_MESSAGE_OFFSETS + 1);

}  // namespace

void set_read_sizes(Outputs& outputs, const ReadRows& read) {
  outputs.each(kReadOutputs, [&](int32_t what) { outputs.set_size(what, kReadRows[what].rows(read)); });
}

void give_read_rows(Outputs& outputs, const ReadRows& read, bool kept) {
  outputs.each(kReadOutputs, [&](int32_t what) {
    if (outputs.is_kept(what) == kept) kReadRows[what].give(outputs, what, read);
  });
}

}  // namespace lffn
