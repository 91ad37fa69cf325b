// SPDX-License-Identifier: Apache-2.0
// Between the rows of numbers and plain arguments of raw.h and the structs of the public header.
#ifndef LOOKUPFFN_BINDINGS_RAW_STRUCTS_H
#define LOOKUPFFN_BINDINGS_RAW_STRUCTS_H

#include <lookupffn/lookupffn.h>

#include <cstddef>
#include <cstring>

#include "raw.h"

// Holds if the list has every member of the struct, or all before the first of others: behind struct_size, which it
// leaves out, there are no gaps.
#define SIZE_OF(place, member) +sizeof(Struct::member)
#define SAME_SIZE(fields, type, end)                                               \
  template <typename Struct>                                                       \
  constexpr size_t size_of_##fields = sizeof(Struct::struct_size) fields(SIZE_OF); \
  static_assert(size_of_##fields<type> == (end), "raw_fields.h lacks a member of " #type)

inline int64_t number_of(int32_t value) { return value; }
inline int64_t number_of(int64_t value) { return value; }
inline int64_t number_of(size_t value) { return static_cast<int64_t>(value); }
inline int64_t number_of(float value) {
  int32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline lffn_load_options load_options(const int32_t* numbers) {
  lffn_load_options options;
  lffn_load_options_init(&options);
#define GIVE(place, member) options.member = static_cast<decltype(options.member)>(numbers[OPTION_##place]);
  LOAD_OPTIONS_FIELDS(GIVE)
#undef GIVE
  return options;
}

#endif  // LOOKUPFFN_BINDINGS_RAW_STRUCTS_H
