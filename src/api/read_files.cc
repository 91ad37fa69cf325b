#include "api/read_files.h"

#include "api/run_checks.h"
#include "api/structs.h"

namespace lffn {

std::vector<FolderInMemory::File> read_files(const lffn_file* files, int64_t n_files) {
  check_count(n_files, "n_files");
  if (n_files > 0) need(files, "files");
  std::vector<FolderInMemory::File> result;
  for (int64_t i = 0; i < n_files; ++i) {
    const lffn_file file = read_element(files, i, "files");
    if (file.name == nullptr) fail(LFFN_ERROR_INVALID_ARGUMENT, "files[%lld].name is NULL", static_cast<long long>(i));
    if (file.size > 0 && file.data == nullptr) fail(LFFN_ERROR_INVALID_ARGUMENT, "%s: data is NULL", file.name);
    result.push_back({file.name, file.data, file.size});
  }
  return result;
}

}  // namespace lffn
