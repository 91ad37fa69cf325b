// SPDX-License-Identifier: Apache-2.0
// The list of a zip's entries that are stored as they are.
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

// By their names. Throws Error(LFFN_ERROR_BAD_MODEL) for a broken zip, one whose entries are compressed or encrypted,
// or with more than 2^20 entries.
std::map<std::string, ZipEntry> read_zip(const Bytes& file);

}  // namespace lffn
