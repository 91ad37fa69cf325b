// Files that the caller holds in memory.
#pragma once

#include <vector>

#include "format/folder.h"
#include "lookupffn/lookupffn.h"

namespace lffn {

// Throws Error(LFFN_ERROR_INVALID_ARGUMENT).
std::vector<FolderInMemory::File> read_files(const lffn_file* files, int64_t n_files);

}  // namespace lffn
