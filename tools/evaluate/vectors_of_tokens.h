// SPDX-License-Identifier: Apache-2.0
// Search with sparse vectors and with those of late interaction. A collection's are too many to be kept.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "evaluate/retrieval.h"

namespace lffn::tools {

// The kind of vectors to use, never kUsual. Throws InvalidArgument if the model does not give them.
VectorKind vector_kind(const lookupffn::Model& model, VectorKind wanted, const std::string& name);

// As search(), but documents go through the model a few at a time.
std::vector<Hits> search_by_tokens(const Collection& collection, const lookupffn::Model& model, VectorKind kind,
                                   const RetrievalOptions& options, size_t most, const std::string& doing);

}  // namespace lffn::tools
