// SPDX-License-Identifier: Apache-2.0
// The parts of `lookupffn bench`, and a temporary file for what they save.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "lookupffn/lookupffn.hpp"

namespace lffn::tools {

// What `lookupffn bench --costs` does: prints as JSON how long a neuron, a head, a table, a linear map and a row by
// word take per token on this machine, in several sizes, element types and shapes of calls. Each figure is measured for
// about `seconds`.
int bench_costs(const std::vector<int32_t>& hidden_sizes, double seconds);

// What `lookupffn bench --model` does.
struct ModelBench {
  std::string path;  // empty: a layer is timed instead
  int32_t length = 128;
  int32_t sequences = 8;
};

// Times whole calls for about `seconds`, at least three calls, and prints how long they take.
int bench_model(const ModelBench& bench, const lookupffn::LoadOptions& load, double seconds, bool json);

// A file that is deleted with its object.
class TemporaryFile {
 public:
  TemporaryFile() : path_((std::filesystem::temp_directory_path() / "lookupffn-bench-XXXXXX").string()) {
    const int file = mkstemp(path_.data());
    if (file < 0) throw std::system_error(errno, std::generic_category(), path_);
    close(file);
  }
  ~TemporaryFile() { unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace lffn::tools
