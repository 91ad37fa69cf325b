// Between the rows of numbers and plain arguments of raw.h and the structs of the public header.
#ifndef LOOKUPFFN_BINDINGS_RAW_STRUCTS_H
#define LOOKUPFFN_BINDINGS_RAW_STRUCTS_H

#include <lookupffn/lookupffn.h>

#include <cstring>

// Holds if the list has every member of the struct: behind struct_size, which it leaves out, there are no gaps.
#define SIZE_OF(place, member) +sizeof(Struct::member)
#define SAME_SIZE(fields, type)                                                    \
  template <typename Struct>                                                       \
  constexpr size_t size_of_##fields = sizeof(Struct::struct_size) fields(SIZE_OF); \
  static_assert(size_of_##fields<type> == sizeof(type), "raw_fields.h lacks a member of " #type)

inline int64_t number_of(int32_t value) { return value; }
inline int64_t number_of(int64_t value) { return value; }
inline int64_t number_of(size_t value) { return static_cast<int64_t>(value); }
inline int64_t number_of(float value) {
  int32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline lffn_load_options load_options(int32_t num_threads, int32_t flags, int32_t table_dtype, int32_t hash_dtype,
                                      int32_t linear_dtype = LFFN_DTYPE_AS_STORED,
                                      int32_t embedding_dtype = LFFN_DTYPE_AS_STORED) {
  lffn_load_options options;
  lffn_load_options_init(&options);
  options.num_threads = num_threads;
  options.flags = static_cast<uint32_t>(flags);
  options.table_dtype = table_dtype;
  options.hash_dtype = hash_dtype;
  options.linear_dtype = linear_dtype;
  options.embedding_dtype = embedding_dtype;
  return options;
}

#endif  // LOOKUPFFN_BINDINGS_RAW_STRUCTS_H
