// SPDX-License-Identifier: Apache-2.0
// Compares many vectors with one and keeps the best, while the next ones are read: SQLite reads a table in one thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "vectors.h"

namespace lffn::sql {

struct Found {
  int64_t id;
  double similarity;  // NaN of vectors that have none: behind all others
};

// The best `most` of all that are offered, equal ones by their ids: the same whoever offers them in which order.
class Best {
 public:
  explicit Best(int64_t most) : most_(static_cast<size_t>(most)) { heap_.reserve(most_ + 1); }
  void offer(Found one);
  void join(const Best& other);
  std::vector<Found> take();  // best first

 private:
  size_t most_;
  std::vector<Found> heap_;  // the worst one in front
};

class Scan {
 public:
  // `query` stays where it is, and each vector has its size.
  Scan(std::string_view query, Form form, int64_t most, int helpers);
  ~Scan();
  Scan(const Scan&) = delete;
  Scan& operator=(const Scan&) = delete;
  void offer(int64_t id, const void* vector);
  std::vector<Found> take();  // to be called once, at the end

 private:
  struct Block {
    std::vector<int64_t> ids;
    std::vector<char> vectors;
  };

  void score(const Block& block, Best& best) const;
  std::unique_ptr<Block> make_block() const;
  void give_away();
  void help(Best& best);
  void finish();

  const size_t bytes_;  // of a vector
  const Similarity query_;
  const int64_t most_;
  size_t helpers_;
  const size_t rows_;  // of a block
  std::unique_ptr<Block> filling_;
  Best best_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Block>> full_;
  std::vector<std::unique_ptr<Block>> empty_;  // those that were scored
  bool is_done_ = false;
  std::vector<std::thread> threads_;
  std::vector<std::unique_ptr<Best>> theirs_;
};

}  // namespace lffn::sql
