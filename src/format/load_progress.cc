// SPDX-License-Identifier: Apache-2.0
#include "format/load_progress.h"

#include <algorithm>
#include <string_view>

#include "runtime/cancel_flag.h"

namespace lffn {
namespace {

constexpr double kStep = 0.01;        // the smallest step that is reported
constexpr double kMostBefore = 0.99;  // the most that is reported before the end
constexpr size_t kPieceBytes = size_t{1} << 20;

class CountedBytes : public Bytes {
 public:
  CountedBytes(std::unique_ptr<const Bytes> bytes, LoadProgress& progress)
      : bytes_(std::move(bytes)), progress_(progress) {
    progress_.expect(bytes_->size());
  }
  size_t size() const override { return bytes_->size(); }
  bool can_map() const override { return bytes_->can_map(); }
  std::shared_ptr<const unsigned char> map(size_t first, size_t count) const override {
    return bytes_->map(first, count);
  }
  void read(size_t first, size_t count, void* to) const override {
    // Reading no bytes checks the cancel flag, because a header may be long.
    if (count == 0) progress_.advance(0);
    // A tensor may be read in one call; the host wants to hear more often.
    for (size_t done = 0; done < count;) {
      const size_t piece = std::min(kPieceBytes, count - done);
      progress_.advance(piece);
      bytes_->read(first + done, piece, static_cast<unsigned char*>(to) + done);
      done += piece;
    }
  }

 private:
  std::unique_ptr<const Bytes> bytes_;
  LoadProgress& progress_;
};

}  // namespace

void LoadProgress::advance(size_t bytes) {
  poll(cancel_);
  read_ += bytes;
  const double done = static_cast<double>(read_) / static_cast<double>(std::max<size_t>(1, passes_ * expected_));
  if (done >= told_ + kStep && told_ < kMostBefore) tell(std::min(done, kMostBefore));
}

void LoadProgress::finish() { tell(1); }

void LoadProgress::tell(double done) {
  told_ = std::max(done, told_);
  if (progress_ != nullptr) progress_(told_, user_);
}

std::unique_ptr<const Bytes> counted(std::unique_ptr<const Bytes> bytes, LoadProgress* progress) {
  if (progress == nullptr) return bytes;
  return std::make_unique<const CountedBytes>(std::move(bytes), *progress);
}

std::unique_ptr<const Bytes> CountedFolder::open(const std::string& name) const {
  poll(flag_of(progress_));
  bool weights = false;
  for (const std::string_view end : {".safetensors", ".bin", ".pt"}) {
    weights |= name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
  }
  return counted(folder_.open(name), weights ? progress_ : nullptr);
}

}  // namespace lffn
