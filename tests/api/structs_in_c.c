/* SPDX-License-Identifier: Apache-2.0 */
/* What structs_test.cc asserts of the structs, as a C compiler sees them. Compiled is all that it needs to be. */
#include <stddef.h>

#include "lookupffn/lookupffn.h"
#include "lookupffn/train.h"
#include "tests/api/struct_list.h"

#define ENDS_WITH(type, member)                                                          \
  _Static_assert(offsetof(type, member) + sizeof(((type*)NULL)->member) == sizeof(type), \
                 #type " has padding at its end");
LFFN_STRUCTS(ENDS_WITH)
LFFN_TRAIN_STRUCTS(ENDS_WITH)

#define BEGINS_WITH_SIZE(type, member) _Static_assert(offsetof(type, struct_size) == 0, #type " begins otherwise");
LFFN_STRUCTS(BEGINS_WITH_SIZE)
LFFN_TRAIN_STRUCTS(BEGINS_WITH_SIZE)
