// SPDX-License-Identifier: Apache-2.0
// The outputs of one call, of whatever kind: which are asked for, how large they are, and where they go.
#pragma once

#include <array>
#include <cstdint>

#include "lookupffn/lookupffn.h"
#include "runtime/memory.h"

namespace lffn {

constexpr int32_t kMostOutputs = 64;  // all LFFN_OUT_ values are below it

// A set of outputs.
using OutputSet = uint64_t;
static_assert(kMostOutputs <= 8 * sizeof(OutputSet));
template <typename... What>
constexpr OutputSet set_of(What... what) {
  return (OutputSet{0} | ... | (OutputSet{1} << what));
}

// What is known of every output; those of runs have a row in output_table.cc, too.
struct OutputKind {
  const char* name = nullptr;  // in messages; nullptr: there is no such output
  int32_t dtype = 0;
};
bool is_output(int32_t what);
const OutputKind& output_kind(int32_t what);
size_t dtype_bytes(int32_t dtype);

// rows * columns. Throws Error(LFFN_ERROR_INVALID_ARGUMENT) where so many numbers are more than any memory holds.
int64_t extent(int64_t rows, int64_t columns, const char* name);

// Memory that drops its contents when it must grow.
class Room {
 public:
  void* of_bytes(size_t bytes) {
    if (bytes > memory_.size()) {
      memory_ = Memory();
      memory_ = Memory(bytes);
    }
    return memory_.data();
  }
  template <typename Number>
  Number* of(int64_t count) {
    return static_cast<Number*>(of_bytes(checked_product(static_cast<size_t>(count), sizeof(Number))));
  }
  template <typename Number>
  Number* data() const {
    return memory_.as<Number>();
  }

 private:
  Memory memory_;
};
using Rooms = std::array<Room, kMostOutputs>;

// What a result shows of a call.
struct ShownOutputs {
  OutputSet asked = 0;
  std::array<lffn_array, kMostOutputs> arrays = {};  // of those asked for
};

constexpr int64_t kUnknownRows = -1;  // until the model has run

class Outputs {
 public:
  // Outputs for which the caller passes no memory are kept in `rooms`. `shown` is nullptr for a call without a result.
  // Throws Error(LFFN_ERROR_INVALID_ARGUMENT) for a list that makes no sense, or an output not in `known`.
  Outputs(const lffn_output* list, int64_t n, OutputSet known, Rooms& rooms, ShownOutputs* shown);
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;

  bool asks(OutputSet set) const { return (asked_ & set) != 0; }
  OutputSet asked() const { return asked_; }
  // Calls visit(what) for each of these outputs that is asked for.
  template <typename Visit>
  void each(OutputSet of, Visit&& visit) const {
    for (int32_t i = 0; i < count_; ++i) {
      if ((of >> entries_[i].what & 1) != 0) visit(entries_[i].what);
    }
  }

  // Whether the result keeps the output; else it goes to the caller's memory.
  bool is_kept(int32_t what) const { return entries_[places_[static_cast<size_t>(what)]].given == nullptr; }
  void set_size(int32_t what, int64_t rows, int64_t columns = 1);
  // Throws Error(LFFN_ERROR_TOO_SMALL), after it has told the result the sizes, where the caller has too little memory.
  void check_room() const;
  // Where an output of the size that was set is to be written.
  template <typename Number>
  Number* place(int32_t what) {
    return static_cast<Number*>(place(what));
  }
  void* place(int32_t what);
  // Gives data that lies elsewhere. `stays` says whether it stays there as long as the result.
  void give(int32_t what, const void* data, bool stays = true);
  // Makes the result show all outputs.
  void show() const;

 private:
  struct Entry {
    int32_t what, columns;
    void* given;  // the caller's memory
    int64_t capacity, rows;
    const void* data;  // what the result shows
  };
  Entry& entry(int32_t what) { return entries_[places_[static_cast<size_t>(what)]]; }
  int64_t numbers(const Entry& entry) const { return entry.rows * entry.columns; }
  void show(bool with_data) const;

  Rooms& rooms_;
  ShownOutputs* const shown_;
  OutputSet asked_ = 0;
  int32_t count_ = 0;
  std::array<uint8_t, kMostOutputs> places_;
  std::array<Entry, kMostOutputs> entries_;
};

}  // namespace lffn
