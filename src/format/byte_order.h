// SPDX-License-Identifier: Apache-2.0
// Files hold little-endian numbers, which are read and written as they lie in memory.
#pragma once

#ifndef LFFN_BYTE_ORDER  // a test says otherwise
#define LFFN_BYTE_ORDER __BYTE_ORDER__
#endif
static_assert(LFFN_BYTE_ORDER == __ORDER_LITTLE_ENDIAN__,
              "liblookupffn needs a little-endian machine: its files would be read wrongly on this one");
