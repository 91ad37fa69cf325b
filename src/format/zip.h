// SPDX-License-Identifier: Apache-2.0
// The list of a zip's entries, which must be stored as they are.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "format/bytes.h"

namespace lffn {

struct ZipEntry {
  uint64_t begin;  // of its bytes in the file
  uint64_t size;
};

// The entries by their names. Throws Error(LFFN_ERROR_BAD_MODEL) for a zip that is broken, has compressed or encrypted
// entries, or has more than 2^20 entries.
std::map<std::string, ZipEntry> read_zip(const Bytes& file);

}  // namespace lffn
