// SPDX-License-Identifier: Apache-2.0
#include "best.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lffn::sql {
namespace {

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

std::vector<Found> Best::take() {
  std::sort_heap(heap_.begin(), heap_.end(), is_better);
  return std::move(heap_);
}

}  // namespace lffn::sql
