// SPDX-License-Identifier: Apache-2.0
#include "model/late/max_sim.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/borders.h"
#include "runtime/memory.h"

namespace lffn {
namespace {

constexpr int64_t kQueryRows = 32;       // of a query, compared with a block of a document's rows at once
constexpr int64_t kMostRows = 64;        // of such a block
constexpr int64_t kBlockFloats = 16384;  // about as many numbers as a block has, so that it stays in the cache
constexpr int64_t kSegmentRows = 1024;   // of queries; their best products are kept while a document's blocks pass

// What one thread works with.
struct Scratch {
  float* query;     // [kQueryRows][stride]
  float* document;  // [rows of a block][stride]
  float* products;  // [kQueryRows][kMostRows]
  float* best;      // [kSegmentRows]
};

// What all items of a call share.
struct MaxSim {
  const Workers& workers;
  const LateVectors& queries;
  const LateVectors& documents;
  int64_t size, stride, block_rows;
  bool means;
  float* scores;

  const float* rows_of(const LateVectors& vectors, int64_t first, int64_t count, int64_t padded, float* room) const;
  void update(const Scratch& at, int64_t query_rows, int64_t document_row, int64_t count, float* best) const;
  void score(int64_t document, int64_t first_query, int64_t last_query, const Scratch& at) const;
};

// Some rows as the kernels want them: where they lie if possible, else copied to `room`. Bytes become floats: products
// and sums of bytes are whole numbers, and the scales are applied afterwards.
const float* MaxSim::rows_of(const LateVectors& vectors, int64_t first, int64_t count, int64_t padded,
                             float* room) const {
  if (vectors.floats != nullptr && size == stride && count == padded) return vectors.floats + first * size;
  for (int64_t r = 0; r < count; ++r) {
    float* const to = room + r * stride;
    if (vectors.floats != nullptr) {
      std::copy_n(vectors.floats + (first + r) * size, size, to);
    } else {
      const int8_t* const from = vectors.bytes + (first + r) * size;
      for (int64_t i = 0; i < size; ++i) to[i] = static_cast<float>(from[i]);
    }
    std::fill(to + size, to + stride, 0.0f);
  }
  std::fill(room + count * stride, room + padded * stride, 0.0f);
  return room;
}

// Updates the best products of some query rows. A NaN stays.
void MaxSim::update(const Scratch& at, int64_t query_rows, int64_t document_row, int64_t count, float* best) const {
  constexpr int kLanes = 16;
  constexpr float kLeast = -std::numeric_limits<float>::infinity();
  const float* const scales = documents.bytes != nullptr ? documents.scales + document_row : nullptr;
  const int64_t whole = round_up(count, kLanes);
  for (int64_t r = 0; r < query_rows; ++r) {
    float* const row = at.products + r * kMostRows;
    for (int64_t w = 0; scales != nullptr && w < count; ++w) row[w] *= scales[w];
    std::fill(row + count, row + whole, kLeast);
    float largest[kLanes];
    int32_t none[kLanes] = {};
    std::fill_n(largest, kLanes, best[r]);
    for (int64_t w = 0; w < whole; w += kLanes) {
      for (int i = 0; i < kLanes; ++i) {
        const float value = row[w + i];
        largest[i] = value > largest[i] ? value : largest[i];
        none[i] |= value != value ? 1 : 0;
      }
    }
    bool is_none = std::isnan(best[r]);
    for (int i = 0; i < kLanes; ++i) {
      best[r] = largest[i] > best[r] ? largest[i] : best[r];
      is_none |= none[i] != 0;
    }
    if (is_none) best[r] = std::numeric_limits<float>::quiet_NaN();
  }
}

void MaxSim::score(int64_t document, int64_t first_query, int64_t last_query, const Scratch& at) const {
  const int64_t begin = documents.offsets[document], end = documents.offsets[document + 1];
  int64_t query = first_query;
  double sum = 0;
  const auto finish_until = [&](int64_t row) {  // queries that end before this row
    while (query < last_query && queries.offsets[query + 1] <= row) {
      const int64_t rows = queries.offsets[query + 1] - queries.offsets[query];
      if (means && rows > 0) sum /= static_cast<double>(rows);
      const auto score = static_cast<float>(sum);
      scores[query * documents.count + document] =
          std::isnan(score) ? std::numeric_limits<float>::quiet_NaN() : score;  // without a sign
      sum = 0;
      ++query;
    }
  };
  const float zeros[kMostRows] = {};
  const int64_t last_row = queries.offsets[last_query];
  for (int64_t segment = queries.offsets[first_query]; segment < last_row; segment += kSegmentRows) {
    const int64_t segment_end = std::min(last_row, segment + kSegmentRows);
    std::fill_n(at.best, kSegmentRows, begin < end ? -std::numeric_limits<float>::infinity() : 0.0f);
    for (int64_t block = begin; block < end; block += block_rows) {
      poll(workers.cancel);
      const int64_t count = std::min(block_rows, end - block);
      WordsPlan plan = {};
      plan.kind = WordKind::kF32;
      plan.words = rows_of(documents, block, count, round_up(count, kPanel), at.document);
      plan.word_stride = plan.in_stride = stride;
      plan.num_words = count;
      plan.bias = zeros;
      plan.out = at.products;
      plan.out_stride = kMostRows;
      for (int64_t row = segment; row < segment_end; row += kQueryRows) {
        plan.rows = std::min(kQueryRows, segment_end - row);
        plan.in = rows_of(queries, row, plan.rows, plan.rows, at.query);
        workers.kernels.score_words(plan);
        update(at, plan.rows, block, count, at.best + (row - segment));
      }
    }
    for (int64_t row = segment; row < segment_end; ++row) {
      finish_until(row);
      const float scale = queries.bytes != nullptr ? queries.scales[row] : 1;
      sum += double{at.best[row - segment]} * double{scale};
    }
  }
  finish_until(last_row);
}

}  // namespace

void max_sim(const Workers& workers, const LateVectors& queries, const LateVectors& documents, int64_t size, bool means,
             float* scores) {
  if (queries.count == 0 || documents.count == 0) return;
  const int64_t stride = round_up(size, int64_t{kPartialSums});
  const int64_t block_rows = std::clamp(kBlockFloats / stride / kPanel * kPanel, kPanel, kMostRows);
  const MaxSim call = {workers, queries, documents, size, stride, block_rows, means, scores};
  const auto rows = [](const LateVectors& vectors) { return vectors.offsets[vectors.count] - vectors.offsets[0]; };
  const double flop =
      2.0 * static_cast<double>(rows(queries)) * static_cast<double>(rows(documents)) * static_cast<double>(size);
  const int32_t threads = workers.threads_for(flop);
  // The items are documents; if these are few, the queries are split, too.
  const int64_t parts = std::clamp<int64_t>(4 * int64_t{threads} / documents.count, 1, queries.count);
  ScratchParts of_thread, all;
  const auto place_floats = [&](int64_t count) { return of_thread.place(static_cast<size_t>(count) * sizeof(float)); };
  const size_t query = place_floats(kQueryRows * stride), document = place_floats(block_rows * stride);
  const size_t products = place_floats(kQueryRows * kMostRows), best = place_floats(kSegmentRows);
  size_t thread_bytes = 0;
  all.place_each(threads, of_thread.end(), thread_bytes);
  const Memory memory(all.end());
  const Borders borders(memory.as<uint8_t>(), all);
  workers.run(documents.count * parts, threads, [&](int64_t item, int32_t thread) {
    uint8_t* const mine = memory.as<uint8_t>() + static_cast<size_t>(thread) * thread_bytes;
    const Borders own(mine, of_thread);
    const auto at = [&](size_t offset) { return reinterpret_cast<float*>(mine + offset); };
    const int64_t part = item % parts;
    call.score(item / parts, part * queries.count / parts, (part + 1) * queries.count / parts,
               {at(query), at(document), at(products), at(best)});
  });
}

}  // namespace lffn
