// SPDX-License-Identifier: Apache-2.0
#include "run/outputs.h"

#include <cstring>

#include "runtime/error.h"
#include "runtime/printable.h"

namespace lffn {
namespace {

constexpr OutputKind kKinds[kMostOutputs] = {
    {},
    {"token_ids", LFFN_DTYPE_INT32},
    {"token_types", LFFN_DTYPE_INT32},
    {"token_offsets", LFFN_DTYPE_INT64},
    {"token_begins", LFFN_DTYPE_INT64},
    {"token_ends", LFFN_DTYPE_INT64},
    {"token_sources", LFFN_DTYPE_INT8},
    {"text_begins", LFFN_DTYPE_INT64},
    {"text_ends", LFFN_DTYPE_INT64},
    {"pair_begins", LFFN_DTYPE_INT64},
    {"pair_ends", LFFN_DTYPE_INT64},
    {"window_offsets", LFFN_DTYPE_INT64},
    {"uncut_lengths", LFFN_DTYPE_INT64},
    {"statuses", LFFN_DTYPE_INT32},
    {"messages", LFFN_DTYPE_TEXT},
    {"message_offsets", LFFN_DTYPE_INT64},
    {"mask_positions", LFFN_DTYPE_INT64},
    {"mask_offsets", LFFN_DTYPE_INT64},
    {"hidden", LFFN_DTYPE_F32},
    {"embeddings", LFFN_DTYPE_F32},
    {"int8_embeddings", LFFN_DTYPE_INT8},
    {"embedding_scales", LFFN_DTYPE_F32},
    {"bit_embeddings", LFFN_DTYPE_UINT8},
    {"token_vectors", LFFN_DTYPE_F32},
    {"int8_token_vectors", LFFN_DTYPE_INT8},
    {"token_vector_scales", LFFN_DTYPE_F32},
    {"vector_tokens", LFFN_DTYPE_INT64},
    {"vector_offsets", LFFN_DTYPE_INT64},
    {"class_scores", LFFN_DTYPE_F32},
    {"token_scores", LFFN_DTYPE_F32},
    {"logits", LFFN_DTYPE_F32},
    {"filling_ids", LFFN_DTYPE_INT32},
    {"filling_probabilities", LFFN_DTYPE_F32},
    {"sparse_ids", LFFN_DTYPE_INT32},
    {"sparse_weights", LFFN_DTYPE_F32},
    {"sparse_offsets", LFFN_DTYPE_INT64},
    {"entity_begins", LFFN_DTYPE_INT64},
    {"entity_ends", LFFN_DTYPE_INT64},
    {"entity_scores", LFFN_DTYPE_F32},
    {"entity_classes", LFFN_DTYPE_INT32},
    {"entity_offsets", LFFN_DTYPE_INT64},
    {"answer_begins", LFFN_DTYPE_INT64},
    {"answer_ends", LFFN_DTYPE_INT64},
    {"answer_scores", LFFN_DTYPE_F32},
    {"answer_offsets", LFFN_DTYPE_INT64},
    {"label_scores", LFFN_DTYPE_F32},
    {"label_order", LFFN_DTYPE_INT64},
    {"document_scores", LFFN_DTYPE_F32},
    {"document_order", LFFN_DTYPE_INT64},
    {"max_sim_scores", LFFN_DTYPE_F32},
    {"decoded", LFFN_DTYPE_TEXT},
    {"decoded_offsets", LFFN_DTYPE_INT64},
    {"stage_seconds", LFFN_DTYPE_F64},
    {"layer_seconds", LFFN_DTYPE_F64},
};

}  // namespace

bool is_output(int32_t what) { return what >= 0 && what < kMostOutputs && kKinds[what].name != nullptr; }

const OutputKind& output_kind(int32_t what) { return kKinds[what]; }

size_t dtype_bytes(int32_t dtype) {
  switch (dtype) {
    case LFFN_DTYPE_INT8:
    case LFFN_DTYPE_UINT8:
    case LFFN_DTYPE_TEXT:
      return 1;
    case LFFN_DTYPE_INT64:
    case LFFN_DTYPE_F64:
      return 8;
    default:
      return 4;
  }
}

int64_t extent(int64_t rows, int64_t columns, const char* name) {
  int64_t numbers = 0;
  if (__builtin_mul_overflow(rows, columns, &numbers) || numbers > PTRDIFF_MAX / int64_t{8}) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s: %lld rows of %lld numbers are more than any memory holds", name,
         printable(rows), printable(columns));
  }
  return numbers;
}

// Entries and places that nobody has written are never read.
// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
Outputs::Outputs(const lffn_output* list, int64_t n, OutputSet known, Rooms& rooms, ShownOutputs* shown)
    : rooms_(rooms), shown_(shown) {
  if (n < 0) fail(LFFN_ERROR_INVALID_ARGUMENT, "n_outputs is %lld, expected 0 or more", printable(n));
  if (n > 0 && list == nullptr) fail(LFFN_ERROR_INVALID_ARGUMENT, "outputs is NULL");
  for (int64_t i = 0; i < n; ++i) {
    const lffn_output& output = list[i];
    if (!is_output(output.what)) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "outputs[%lld].what is %d, expected an LFFN_OUT_ value", printable(i),
           output.what);
    }
    const OutputSet bit = set_of(output.what);
    const char* const name = output_kind(output.what).name;
    if ((known & bit) == 0) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "outputs[%lld] is %s, which this call does not give", printable(i), name);
    }
    if ((asked_ & bit) != 0) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "outputs[%lld] is %s, which is asked for twice", printable(i), name);
    }
    if (output.reserved != 0) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "outputs[%lld].reserved is %d, expected 0", printable(i), output.reserved);
    }
    if (output.data == nullptr && shown == nullptr) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "outputs[%lld], %s, has no data, and the call has no result that could keep it",
           printable(i), name);
    }
    if (output.capacity < 0 || (output.data == nullptr && output.capacity != 0)) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "outputs[%lld].capacity, of %s, is %lld, expected %s", printable(i), name,
           printable(output.capacity), output.data == nullptr ? "0 without data" : "0 or more");
    }
    asked_ |= bit;
    places_[static_cast<size_t>(output.what)] = static_cast<uint8_t>(count_);
    entries_[static_cast<size_t>(count_++)] = {output.what, 1, output.data, output.capacity, kUnknownRows, nullptr};
  }
}

void Outputs::set_size(int32_t what, int64_t rows, int64_t columns) {
  Entry& set = entry(what);
  extent(rows, columns, output_kind(what).name);
  set.rows = rows;
  set.columns = static_cast<int32_t>(columns);
}

void Outputs::check_room() const {
  for (int32_t i = 0; i < count_; ++i) {
    const Entry& at = entries_[static_cast<size_t>(i)];
    if (at.given == nullptr || at.rows == kUnknownRows || at.capacity >= numbers(at)) continue;
    show(false);
    fail(LFFN_ERROR_TOO_SMALL, "%s: capacity is %lld, expected %lld, for %lld rows of %d", output_kind(at.what).name,
         printable(at.capacity), printable(numbers(at)), printable(at.rows), at.columns);
  }
}

void* Outputs::place(int32_t what) {
  Entry& at = entry(what);
  if (at.given != nullptr) return at.given;
  void* const room = rooms_[static_cast<size_t>(what)].of_bytes(
      checked_product(static_cast<size_t>(numbers(at)), dtype_bytes(output_kind(what).dtype)));
  at.data = room;
  return room;
}

void Outputs::give(int32_t what, const void* data, bool stays) {
  Entry& at = entry(what);
  if (at.given == nullptr && stays) {
    at.data = data;
    return;
  }
  void* const to = place(what);
  if (numbers(at) == 0) return;
  std::memcpy(to, data, static_cast<size_t>(numbers(at)) * dtype_bytes(output_kind(what).dtype));
}

void Outputs::show() const { show(true); }

void Outputs::show(bool with_data) const {
  if (shown_ == nullptr) return;
  for (int32_t i = 0; i < count_; ++i) {
    const Entry& at = entries_[static_cast<size_t>(i)];
    lffn_array& array = shown_->arrays[static_cast<size_t>(at.what)];
    array.data = with_data ? at.data : nullptr;
    array.rows = at.rows;
    array.columns = at.columns;
    array.dtype = output_kind(at.what).dtype;
  }
  shown_->asked = asked_;
}

}  // namespace lffn
