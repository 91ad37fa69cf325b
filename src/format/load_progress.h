// SPDX-License-Identifier: Apache-2.0
// How far loading or saving has come: counted in bytes, and reported to the host, which may cancel it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "format/folder.h"
#include "lookupffn/base.h"

namespace lffn {

// One for each call that loads or saves. Not for several threads at once.
class LoadProgress {
 public:
  // How often the bytes pass: loading reads numbers when they are checked, and again when they are packed.
  static constexpr size_t kLoading = 2, kSaving = 1;
  LoadProgress(const int32_t* cancel, lffn_file_progress_callback progress, void* user, size_t passes = kLoading)
      : cancel_(cancel), progress_(progress), user_(user), passes_(passes) {}

  const int32_t* cancel() const { return cancel_; }
  void expect(size_t bytes) { expected_ += bytes; }
  // Throws Error(LFFN_ERROR_CANCELLED) where the caller's flag is set.
  void advance(size_t bytes);
  void finish();

 private:
  void tell(double done);

  const int32_t* cancel_;
  lffn_file_progress_callback progress_;
  void* user_;
  size_t passes_;
  size_t expected_ = 0, read_ = 0;
  double told_ = -1;
};

// The caller's flag; nullptr: nobody may cancel it.
inline const int32_t* flag_of(const LoadProgress* progress) {
  return progress != nullptr ? progress->cancel() : nullptr;
}

// Bytes that count how many of them are read; without progress, the same bytes uncounted.
std::unique_ptr<const Bytes> counted(std::unique_ptr<const Bytes> bytes, LoadProgress* progress);

// A folder whose files of weights are counted. Its texts are not, because they are soon read.
class CountedFolder : public Folder {
 public:
  CountedFolder(const Folder& folder, LoadProgress* progress) : folder_(folder), progress_(progress) {}
  bool has(const std::string& name) const override { return folder_.has(name); }
  std::unique_ptr<const Bytes> open(const std::string& name) const override;
  std::string path(const std::string& name) const override { return folder_.path(name); }

 private:
  const Folder& folder_;
  LoadProgress* progress_;
};

}  // namespace lffn
