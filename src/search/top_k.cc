// SPDX-License-Identifier: Apache-2.0
#include "search/top_k.h"

#include <cmath>
#include <memory>
#include <new>

#include "runtime/cancel_flag.h"
#include "runtime/layout.h"
#include "runtime/memory.h"
#include "runtime/threads.h"
#include "search/best.h"
#include "search/query_block.h"
#include "search/tile.h"

namespace lffn {
namespace {

constexpr int64_t kMostQueries = 256;       // of a block
constexpr int64_t kQueriesAtOnce = 64;      // that meet a tile at once, so that their sums stay in the cache
constexpr int64_t kTileBytes = 48 << 10;    // about, of a tile's rows
constexpr int64_t kTilesOfItem = 16;        // at most
constexpr int64_t kStepNumbers = 1 << 22;   // products between two looks at the cancel flag: less than a millisecond
constexpr int64_t kBlockBytes = 64 << 20;   // about, of a block's lists; an eighth of it for its queries
constexpr double kThreadNumbers = 1 << 19;  // products that are worth another thread

// What one thread works with.
struct Scratch {
  Tile tile;
  alignas(kCacheLine) float thresholds[kQueriesAtOnce];            // of these queries
  alignas(kCacheLine) float sums[kMostTileRows * kQueriesAtOnce];  // or int32, or scores
  int32_t hits[kMostTileRows * kQueriesAtOnce / 16];
};
static_assert(kPanel == 16);

// What the items of a call share.
class Search {
 public:
  Search(const SearchWorkers& workers, const TopK& call);
  void run();

 private:
  struct Item {
    int64_t begin, end;         // of vectors or candidates
    int64_t query, last_query;  // of the block
  };
  struct Shares {
    int64_t items, ranges, range, parts;
  };

  bool has_own_lists() const { return call_.candidate_offsets != nullptr; }
  int64_t most_positions() const;
  int64_t pairs_before(int64_t query) const;
  Shares share() const;
  Item item(const Shares& shares, int64_t number) const;
  float start_bound(int64_t number) const;
  void run_block(int64_t first, int64_t count);
  void scan(const Item& item, int32_t thread);
  void meet_few(Scratch& scratch, int64_t query, int64_t count, bool finds_lengths, int32_t thread);
  void meet_many(Scratch& scratch, int64_t query, int64_t count, int32_t thread);
  void offer(const Scratch& scratch, int64_t row, int64_t query, float score, int32_t thread);
  void finish(int64_t query);

  Best& best(int64_t query, int32_t thread) { return best_.as<Best>()[thread * block_ + query]; }
  float& threshold(int64_t query, int32_t thread) { return thresholds_.as<float>()[thread * block_ + query]; }
  // From scores as callers see them to scores as they are compared here, or back: larger is nearer.
  float turned(float score) const { return call_.measure == Measure::kHamming ? 0 - score : score; }

  const SearchWorkers& workers_;
  const TopK& call_;
  int32_t threads_;
  int64_t tile_rows_, at_once_, block_, room_;
  std::unique_ptr<QueryBlock> queries_;
  TileFiller filler_;
  Memory best_, found_, thresholds_, scratch_, many_room_;
  size_t many_room_bytes_ = 0;
};

int64_t saturated_product(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

int64_t rows_of_tile(const TopK& call) {
  const int64_t bytes = vector_bytes(call.kind, call.size), rows = kTileBytes / bytes;
  const int64_t step = rows < kManyRows ? 4 : call.kind == VectorKind::kF32 ? kPanel : kManyRows;
  return std::clamp(rows / step * step, step, kMostTileRows);
}

// Positions are numbers of vectors, or of candidates in their list.
int64_t Search::most_positions() const {
  if (!call_.has_candidates) return call_.vectors.count;
  if (!has_own_lists()) return call_.num_candidates;
  int64_t most = 0;
  for (int64_t q = 0; q < call_.queries.count; ++q) {
    most = std::max(most, call_.candidate_offsets[q + 1] - call_.candidate_offsets[q]);
  }
  return most;
}

// How many pairs the queries before this one have.
int64_t Search::pairs_before(int64_t query) const {
  if (has_own_lists()) return call_.candidate_offsets[query] - call_.candidate_offsets[0];
  return saturated_product(query, call_.has_candidates ? call_.num_candidates : call_.vectors.count);
}

Search::Search(const SearchWorkers& workers, const TopK& call)
    : workers_(workers), call_(call), tile_rows_(rows_of_tile(call)), filler_(workers.kernels, call, tile_rows_) {
  const int64_t queries = call.queries.count, bytes = vector_bytes(call.kind, call.size);
  const double numbers = static_cast<double>(pairs_before(queries)) * static_cast<double>(bytes);
  threads_ = static_cast<int32_t>(std::clamp(numbers / kThreadNumbers, 1.0, static_cast<double>(workers.threads)));
  room_ = call.start.counts != nullptr ? call.k : std::min(call.k, most_positions());
  const bool may_be_many = call.kind == VectorKind::kInt8 && !has_own_lists() && queries >= kFewQueries;
  const int64_t group = may_be_many ? kQueryGroup : 4;
  at_once_ = std::clamp(kStepNumbers / saturated_product(tile_rows_, bytes) / group * group, group, kQueriesAtOnce);
  const auto fitting = [](int64_t whole, int64_t each) { return whole / std::max<int64_t>(each, 1); };
  const int64_t list_bytes = saturated_product(room_, threads_ * static_cast<int64_t>(sizeof(Found)));
  block_ = std::min(fitting(kBlockBytes, list_bytes), fitting(kBlockBytes / 8, bytes));
  if (block_ > kQueriesAtOnce) block_ = block_ / kQueriesAtOnce * kQueriesAtOnce;
  block_ = std::min(std::clamp<int64_t>(block_, 1, kMostQueries), queries);
  queries_ = std::make_unique<QueryBlock>(workers.kernels, call, block_, may_be_many);
  const auto lists = checked_product(static_cast<size_t>(threads_), static_cast<size_t>(block_));
  best_ = Memory(checked_product(lists, sizeof(Best)));
  thresholds_ = Memory(checked_product(lists, sizeof(float)));
  found_ =
      Memory(std::max<size_t>(1, checked_product(checked_product(lists, static_cast<size_t>(room_)), sizeof(Found))));
  scratch_ = Memory(checked_product(static_cast<size_t>(threads_), sizeof(Scratch)));
  for (int32_t t = 0; t < threads_; ++t) filler_.prepare((new (scratch_.as<Scratch>() + t) Scratch())->tile);
  if (!may_be_many) return;
  many_room_bytes_ = static_cast<size_t>(kManyRows * many_cells(call.size, workers.kernels.hash_cell_inputs)) * 4;
  many_room_ = Memory(checked_product(many_room_bytes_, static_cast<size_t>(threads_)));
  std::fill_n(many_room_.as<uint8_t>(), many_room_.size(), uint8_t{0});
}

void Search::run() {
  for (int64_t first = 0; first < call_.queries.count; first += block_) {
    run_block(first, std::min(block_, call_.queries.count - first));
  }
}

// Items are ranges of vectors, times parts of the queries where ranges are few. Where queries have lists of their own,
// items are parts of each list.
Search::Shares Search::share() const {
  const int64_t count = queries_->count(), wanted = 4 * int64_t{threads_};
  Shares shares = {};
  if (has_own_lists()) {
    shares.parts = std::max<int64_t>(1, threads_ == 1 ? 1 : wanted / count);
    shares.items = count * shares.parts;
    return shares;
  }
  const int64_t positions = call_.has_candidates ? call_.num_candidates : call_.vectors.count;
  shares.range = tile_rows_ * std::clamp<int64_t>(positions / (2 * wanted * tile_rows_), 1, kTilesOfItem);
  shares.ranges = (positions + shares.range - 1) / shares.range;
  const int64_t groups = (count + at_once_ - 1) / at_once_;
  shares.parts = shares.ranges == 0 || threads_ == 1 ? 1 : std::clamp<int64_t>(wanted / shares.ranges, 1, groups);
  shares.items = shares.ranges * shares.parts;
  return shares;
}

Search::Item Search::item(const Shares& shares, int64_t number) const {
  const int64_t part = number % shares.parts, other = number / shares.parts;
  if (has_own_lists()) {
    const int64_t begin = call_.candidate_offsets[queries_->first() + other];
    const int64_t all = call_.candidate_offsets[queries_->first() + other + 1] - begin;
    const int64_t each = (all + shares.parts - 1) / shares.parts;
    return {begin + std::min(all, part * each), begin + std::min(all, (part + 1) * each), other, other + 1};
  }
  const int64_t positions = call_.has_candidates ? call_.num_candidates : call_.vectors.count;
  const int64_t groups = (queries_->count() + at_once_ - 1) / at_once_;
  return {other * shares.range, std::min(positions, (other + 1) * shares.range),
          part * groups / shares.parts * at_once_,
          std::min(queries_->count(), (part + 1) * groups / shares.parts * at_once_)};
}

// What was found before keeps out all vectors that are farther.
float Search::start_bound(int64_t number) const {
  float bound = std::numeric_limits<float>::quiet_NaN();
  if (call_.start.counts == nullptr || call_.start.counts[number] < call_.k) return bound;
  for (int64_t i = number * call_.k; i < (number + 1) * call_.k; ++i) {
    const float score = turned(call_.start.scores[i]);
    if (std::isnan(score)) return score;
    if (!(score >= bound)) bound = score;
  }
  return bound;
}

void Search::run_block(int64_t first, int64_t count) {
  poll(workers_.cancel);
  queries_->take(first, count);
  for (int64_t q = 0; q < count; ++q) {
    const float bound = start_bound(first + q);
    for (int32_t t = 0; t < threads_; ++t) {
      const int64_t list = t * block_ + q;
      best_.as<Best>()[list] = Best(found_.as<Found>() + list * room_, room_);
      thresholds_.as<float>()[list] = bound;
    }
  }
  const Shares shares = share();
  const int64_t slice =
      call_.progress == nullptr ? shares.items : std::max<int64_t>(2 * int64_t{threads_}, shares.items / 64);
  const int64_t before = pairs_before(first), after = pairs_before(first + count);
  for (int64_t done = 0; done < shares.items;) {
    const int64_t some = std::min(slice, shares.items - done);
    parallel_for(some, threads_, [&](int64_t i, int32_t thread) { scan(item(shares, done + i), thread); });
    done += some;
    if (call_.progress == nullptr || done == shares.items) continue;
    const double share = static_cast<double>(done) / static_cast<double>(shares.items);
    call_.progress(before + static_cast<int64_t>(share * static_cast<double>(after - before)),
                   pairs_before(call_.queries.count));
  }
  parallel_for(count, threads_, [&](int64_t q, int32_t) {
    poll(workers_.cancel);
    finish(q);
  });
  if (call_.progress != nullptr) call_.progress(after, pairs_before(call_.queries.count));
}

void Search::scan(const Item& item, int32_t thread) {
  poll(workers_.cancel);
  Scratch& scratch = scratch_.as<Scratch>()[thread];
  const bool many = queries_->is_many();
  const bool lengths_later = call_.kind == VectorKind::kInt8 && call_.measure == Measure::kCosine && !many;
  for (int64_t at = item.begin; filler_.fill(at, item.end, lengths_later, scratch.tile);) {
    for (int64_t q = item.query; q < item.last_query; q += at_once_) {
      poll(workers_.cancel);
      const int64_t count = std::min(at_once_, item.last_query - q);
      const bool finds_lengths = lengths_later && q == item.query;
      many ? meet_many(scratch, q, count, thread) : meet_few(scratch, q, count, finds_lengths, thread);
    }
  }
}

// One query after the other, each with the rows side by side.
void Search::meet_few(Scratch& scratch, int64_t query, int64_t count, bool finds_lengths, int32_t thread) {
  const Kernels& kernels = workers_.kernels;
  Tile& tile = scratch.tile;
  ScanPlan plan = {};
  queries_->tell(query, plan);
  plan.num_queries = count;
  plan.rows = tile.rows;
  plan.num_rows = tile.count;
  plan.size = call_.kind == VectorKind::kBits ? vector_bytes(call_.kind, call_.size) : call_.size;
  plan.last = static_cast<uint8_t>(0xff00u >> ((call_.size + 7) % 8 + 1));
  plan.ahead = filler_.ahead();
  plan.sums = reinterpret_cast<uint8_t*>(scratch.sums);
  plan.stride = kMostTileRows;
  plan.lengths = finds_lengths ? tile.factors : nullptr;
  (call_.kind == VectorKind::kF32    ? kernels.scan_f32
   : call_.kind == VectorKind::kInt8 ? kernels.scan_int8
                                     : kernels.scan_bits)(plan);
  for (int64_t q = query; q < query + count; ++q) {
    float* const scores = scratch.sums + (q - query) * kMostTileRows;
    const float least = threshold(q, thread);
    SelectPlan select = {};
    select.whole = call_.kind != VectorKind::kF32;
    select.quotient = call_.measure == Measure::kCosine;
    select.sums = reinterpret_cast<uint8_t*>(scores);
    select.outer = 1;
    select.inner = round_up(tile.count, kPanel);
    select.outer_factors = queries_->factors() + q;
    select.inner_factors = tile.factors;
    select.outer_thresholds = &least;
    select.hits = scratch.hits;
    const int64_t hits = kernels.select_scores(select);
    for (int64_t h = 0; h < hits; ++h) {
      const int64_t first = scratch.hits[h];
      for (int64_t r = first; r < std::min(first + kPanel, tile.count); ++r) offer(scratch, r, q, scores[r], thread);
    }
  }
}

// One row after the other, each with the queries side by side.
void Search::meet_many(Scratch& scratch, int64_t query, int64_t count, int32_t thread) {
  const Tile& tile = scratch.tile;
  const int64_t lanes = round_up(count, kQueryGroup);
  ManyPlan plan = {};
  queries_->tell(query, plan);
  plan.num_queries = lanes;
  plan.rows = tile.rows;
  plan.num_rows = tile.count;
  plan.size = call_.size;
  plan.room = reinterpret_cast<int32_t*>(many_room_.as<uint8_t>() + static_cast<size_t>(thread) * many_room_bytes_);
  plan.sums = reinterpret_cast<int32_t*>(scratch.sums);
  plan.stride = lanes;
  workers_.kernels.multiply_many(plan);
  std::fill_n(scratch.thresholds, lanes, std::numeric_limits<float>::infinity());
  for (int64_t q = 0; q < count; ++q) scratch.thresholds[q] = threshold(query + q, thread);
  SelectPlan select = {};
  select.whole = true;
  select.quotient = call_.measure == Measure::kCosine;
  select.sums = reinterpret_cast<uint8_t*>(scratch.sums);
  select.outer = tile.count;
  select.inner = select.stride = lanes;
  select.outer_factors = tile.factors;
  select.inner_factors = queries_->factors() + query;
  select.inner_thresholds = scratch.thresholds;
  select.hits = scratch.hits;
  const int64_t hits = workers_.kernels.select_scores(select);
  for (int64_t h = 0; h < hits; ++h) {
    const int64_t row = scratch.hits[h] / lanes, first = scratch.hits[h] % lanes;
    for (int64_t q = first; q < std::min(first + kPanel, count); ++q) {
      offer(scratch, row, query + q, scratch.sums[row * lanes + q], thread);
    }
  }
}

void Search::offer(const Scratch& scratch, int64_t row, int64_t query, float score, int32_t thread) {
  float& least = threshold(query, thread);
  if (score < least) return;
  const int64_t vector = filler_.vector_of(scratch.tile.rows[row]);
  Best& found = best(query, thread);
  found.offer({score, call_.ids != nullptr ? call_.ids[vector] : call_.first_id + vector});
  const float mine = found.threshold();
  if (!(mine < least) && !std::isnan(mine)) least = mine;
}

// Joins what all threads and the start have for a query, in order.
void Search::finish(int64_t query) {
  Best& all = best(query, 0);
  for (int32_t t = 1; t < threads_; ++t) {
    const Best& other = best(query, t);
    for (int64_t i = 0; i < other.size(); ++i) all.offer(other[i]);
  }
  const int64_t number = queries_->first() + query, begin = number * call_.k;
  const int64_t started = call_.start.counts == nullptr ? 0 : call_.start.counts[number];
  for (int64_t i = begin; i < begin + started; ++i) all.offer({turned(call_.start.scores[i]), call_.start.ids[i]});
  all.sort();
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  for (int64_t i = 0; i < call_.k; ++i) {
    const bool is_there = i < all.size();
    const float score = is_there ? turned(all[i].score) : kNone;
    call_.out.ids[begin + i] = is_there ? all[i].id : -1;
    call_.out.scores[begin + i] = std::isnan(score) ? kNone : score;  // without a sign
  }
  if (call_.out.counts != nullptr) call_.out.counts[number] = all.size();
}

}  // namespace

void find_top_k(const SearchWorkers& workers, const TopK& call) {
  if (call.queries.count == 0) return;
  Search(workers, call).run();
}

}  // namespace lffn
