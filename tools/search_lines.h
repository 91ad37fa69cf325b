// SPDX-License-Identifier: Apache-2.0
// A search among the embeddings of a text's lines. The embeddings are kept in a file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kept_vectors.h"
#include "lookupffn/lookupffn.hpp"
#include "text_lines.h"
#include "text_options.h"

namespace lffn::tools {

// A line that was found.
struct FoundLine {
  size_t index;
  float score;
  std::string text;
};

struct LineSearchOptions {
  std::string vectors;  // the file that keeps them; "": none
  int32_t kind = 0;     // LFFN_VECTORS_F32 or LFFN_VECTORS_INT8; 0: as in the file, float32 if there is none
  TextOptions text;
  lookupffn::RunOptions query;
};

class LineSearch {
 public:
  // Embeds the lines that have no vector yet, and keeps the vectors. The model must outlive the object.
  LineSearch(const lookupffn::Model& model, const std::string& input, const LineSearchOptions& options);

  std::vector<FoundLine> find(const std::string& query, int64_t k) const;
  // 1 where a line has no vector.
  int exit_status() const { return vectors_.left_out().empty() ? 0 : 1; }

 private:
  void embed_lines();
  void embed_some(size_t begin, size_t end);
  void keep();

  const lookupffn::Model& model_;
  const LineSearchOptions options_;
  const TextLines texts_;
  VectorsKey key_;
  KeptVectors vectors_;
  lookupffn::Result result_;
  bool keeps_;
};

}  // namespace lffn::tools
