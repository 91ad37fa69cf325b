// SPDX-License-Identifier: Apache-2.0
// Searching with sparse vectors and with those of late interaction, which documents have too many of to keep.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "evaluate/retrieval.h"

namespace lffn::tools {

// Never kUsual. Throws InvalidArgument where the model has not got them.
VectorKind vector_kind(const lookupffn::Model& model, VectorKind wanted, const std::string& name);

// As search(), with the documents going through the model some at a time.
std::vector<Hits> search_by_tokens(const Collection& collection, const lookupffn::Model& model, VectorKind kind,
                                   const RetrievalOptions& options, size_t most, const std::string& doing);

}  // namespace lffn::tools
