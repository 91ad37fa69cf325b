// SPDX-License-Identifier: Apache-2.0
// Files that are loaded as a host does it.
#include <string>
#include <vector>

#include "lookupffn/lookupffn.h"
#include "tests/growth/growth_case.h"
#include "tests/growth/tokenizer_maker.h"

namespace growth {
namespace {

size_t bytes_of(const Files& files) {
  size_t bytes = 0;
  for (const auto& [name, content] : files) bytes += content.size();
  return bytes;
}

}  // namespace

Work tokenizer_of(Files files) {
  const size_t bytes = bytes_of(files);
  return {
      bytes, [files = std::move(files)]() -> std::string {
        const std::vector<lffn_file> views = views_of(files);
        lffn_tokenizer* handle = nullptr;
        if (lffn_tokenizer_load_files(views.data(), static_cast<int64_t>(views.size()), nullptr, &handle) != LFFN_OK) {
          return lffn_last_error();
        }
        lffn_tokenizer_free(handle);
        return "";
      }};
}

Work model_of(Files files) {
  const size_t bytes = bytes_of(files);
  return {bytes, [files = std::move(files)]() -> std::string {
            const std::vector<lffn_file> views = views_of(files);
            lffn_model* handle = nullptr;
            if (lffn_model_load_files(views.data(), static_cast<int64_t>(views.size()), nullptr, &handle) != LFFN_OK) {
              return lffn_last_error();
            }
            lffn_model_free(handle);
            return "";
          }};
}

}  // namespace growth
