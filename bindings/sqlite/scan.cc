// SPDX-License-Identifier: Apache-2.0
#include "scan.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <system_error>

namespace lffn::sql {
namespace {

constexpr size_t kBlockBytes = 256 * 1024;
constexpr size_t kBlocksOfHelper = 3;  // that it works on and that wait

double rank(const Found& found) {
  return std::isnan(found.similarity) ? -std::numeric_limits<double>::infinity() : found.similarity;
}

bool is_better(const Found& a, const Found& b) { return rank(a) != rank(b) ? rank(a) > rank(b) : a.id < b.id; }

}  // namespace

void Best::offer(Found one) {
  if (most_ == 0 || (heap_.size() == most_ && !is_better(one, heap_.front()))) return;
  if (heap_.size() == most_) {
    std::pop_heap(heap_.begin(), heap_.end(), is_better);
    heap_.pop_back();
  }
  heap_.push_back(one);
  std::push_heap(heap_.begin(), heap_.end(), is_better);
}

void Best::join(const Best& other) {
  for (const Found& one : other.heap_) offer(one);
}

std::vector<Found> Best::take() {
  std::sort_heap(heap_.begin(), heap_.end(), is_better);
  return std::move(heap_);
}

Scan::Scan(std::string_view query, Form form, int64_t most, int helpers)
    : bytes_(query.size()),
      query_(query.data(), query.size(), form),
      most_(most),
      helpers_(static_cast<size_t>(std::max(helpers, 0))),
      rows_(kBlockBytes / std::max<size_t>(query.size(), 1) + 1),
      filling_(make_block()),
      best_(most) {
  empty_.reserve(kBlocksOfHelper * helpers_ + 1);  // all that there may be
}

Scan::~Scan() { finish(); }

void Scan::score(const Block& block, Best& best) const {
  for (size_t row = 0; row < block.ids.size(); ++row) {
    best.offer({block.ids[row], query_.to(block.vectors.data() + row * bytes_)});
  }
}

// Its vectors come to lie in memory that is there already.
std::unique_ptr<Scan::Block> Scan::make_block() const {
  auto block = std::make_unique<Block>();
  if (bytes_ >= kBlockBytes) return block;
  block->ids.reserve(rows_);
  block->vectors.reserve(rows_ * bytes_);
  return block;
}

void Scan::offer(int64_t id, const void* vector) {
  // There is nobody to hand it to; or to copy it costs as much as to compare it.
  if (helpers_ == 0 || bytes_ >= kBlockBytes) return best_.offer({id, query_.to(vector)});
  filling_->ids.push_back(id);
  const auto* const bytes = static_cast<const char*>(vector);
  filling_->vectors.insert(filling_->vectors.end(), bytes, bytes + bytes_);
  if (filling_->ids.size() == rows_) give_away();
}

// A full block goes to a helper, the first of which begins with the first one. Where all are busy, this thread helps.
void Scan::give_away() {
  if (threads_.size() < helpers_) {
    try {
      theirs_.push_back(std::make_unique<Best>(most_));
      threads_.reserve(helpers_);
      threads_.emplace_back([this, best = theirs_.back().get()] { help(*best); });
    } catch (const std::system_error&) {
      helpers_ = threads_.size();  // then without it
    }
  }
  std::unique_ptr<Block> next;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (full_.size() < (kBlocksOfHelper - 1) * threads_.size()) {
      full_.push_back(std::move(filling_));
      if (!empty_.empty()) {
        next = std::move(empty_.back());
        empty_.pop_back();
      }
    }
  }
  if (filling_ == nullptr) {
    changed_.notify_one();
    filling_ = next != nullptr ? std::move(next) : make_block();
  } else {
    score(*filling_, best_);
  }
  filling_->ids.clear();
  filling_->vectors.clear();
}

// Until all is done. Nothing here takes memory: who cannot report that there is none must not need any.
void Scan::help(Best& best) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return is_done_ || !full_.empty(); });
    if (full_.empty()) return;
    std::unique_ptr<Block> block = std::move(full_.front());
    full_.pop_front();
    lock.unlock();
    score(*block, best);
    lock.lock();
    empty_.push_back(std::move(block));  // for which there is room
  }
}

void Scan::finish() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_done_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

std::vector<Found> Scan::take() {
  score(*filling_, best_);
  finish();
  for (const auto& theirs : theirs_) best_.join(*theirs);
  return best_.take();
}

}  // namespace lffn::sql
