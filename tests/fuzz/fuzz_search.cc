// SPDX-License-Identifier: Apache-2.0
// Any bytes as the arguments of lffn_top_k, and as the numbers of queries and vectors: the call is refused with a
// reason, or gives lists in order, the same ones with more threads. All arrays are exactly as long as the arguments
// say, so a sanitizer sees a step beyond.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "format/utf8.h"
#include "lookupffn/lookupffn.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

// Bytes, read as small numbers. Zeros once they have ended.
class Source {
 public:
  Source(const uint8_t* data, size_t size) : at_(data), end_(data + size) {}
  uint8_t byte() { return at_ == end_ ? uint8_t{0} : *at_++; }
  int64_t any() {
    uint64_t number = 0;
    for (size_t i = 0; i < sizeof number; ++i) number = number << 8 | byte();
    return static_cast<int64_t>(number);
  }
  // Mostly sensible, now and then any number.
  int64_t number(int64_t least, int64_t below) {
    const uint8_t kind = byte();
    return kind < 250 ? least + kind % (below - least) : any();
  }
  std::unique_ptr<uint8_t[]> bytes(int64_t count) {
    auto made = std::make_unique<uint8_t[]>(static_cast<size_t>(count));
    for (int64_t i = 0; i < count && at_ != end_; ++i) made[static_cast<size_t>(i)] = byte();
    return made;
  }
  std::vector<float> floats(int64_t count) {
    std::vector<float> made(static_cast<size_t>(count));
    for (float& value : made) {
      const uint8_t kind = byte();
      value = static_cast<float>(kind) - 100;
      if (kind == 255) value = NAN;
      if (kind == 254) value = INFINITY;
    }
    return made;
  }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
};

struct Lists {
  std::vector<int64_t> counts, ids;
  std::vector<float> scores;
  Lists(int64_t queries, int64_t all)
      : counts(static_cast<size_t>(queries)), ids(static_cast<size_t>(all)), scores(static_cast<size_t>(all)) {}
};

void point(lffn_top_k_args& args, Lists& lists) {
  args.counts = lists.counts.data();
  args.ids = lists.ids.data();
  args.scores = lists.scores.data();
}

void check(const lffn_top_k_args& args, const Lists& lists) {
  for (int64_t q = 0; q < args.n_queries; ++q) {
    const int64_t count = lists.counts[static_cast<size_t>(q)];
    require(count >= 0 && count <= args.k, "no more are found than asked for");
    for (int64_t i = 0; i < args.k; ++i) {
      const auto at = static_cast<size_t>(q * args.k + i);
      const float score = lists.scores[at];
      if (i >= count) {
        require(lists.ids[at] == -1 && std::isnan(score), "places without a vector are marked");
        continue;
      }
      if (i == 0 || std::isnan(score)) continue;
      const float before = lists.scores[at - 1];
      require(!std::isnan(before), "what is no number comes last");
      require(before == score || (before < score) == (args.measure == LFFN_MEASURE_HAMMING), "the nearest come first");
      require(before != score || lists.ids[at - 1] <= lists.ids[at], "equal scores come by their ids");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Source source(data, size);
  lffn_top_k_args args;
  lffn_top_k_args_init(&args);
  constexpr int32_t kKinds[] = {LFFN_VECTORS_F32, LFFN_VECTORS_INT8, LFFN_VECTORS_BITS, 0};
  const uint8_t form = source.byte();
  args.kind = kKinds[form % 16 == 15 ? 3 : form % 3];
  args.measure = static_cast<int32_t>(args.kind == LFFN_VECTORS_BITS ? source.number(2, 3) : source.number(0, 2));
  args.size = source.number(1, 80);
  const int64_t numbers = std::clamp<int64_t>(args.size, 1, 65536);
  const int64_t bytes = args.kind == LFFN_VECTORS_F32    ? 4 * numbers
                        : args.kind == LFFN_VECTORS_INT8 ? numbers
                                                         : (numbers + 7) / 8;
  const int64_t queries = source.byte() % 40, vectors = source.byte() % 100;
  const auto stride = [&](int64_t count) {
    const uint8_t kind = source.byte();
    if (kind < 100) return int64_t{0};
    if (kind < 240) return bytes + kind % 40;
    return count < 3 ? bytes - 1 : kind % 2 == 0 ? source.any() | INT64_MIN : INT64_MAX - kind;
  };
  args.query_stride = stride(queries);
  args.vector_stride = stride(vectors);
  const auto extent = [&](int64_t count, int64_t step) {
    return count == 0 ? 0 : (count - 1) * (step < bytes || step > bytes + 40 ? bytes : step) + bytes;
  };
  args.n_queries = source.byte() == 255 ? -queries - 1 : queries;
  args.n_vectors = source.byte() == 255 ? INT64_MIN + vectors : vectors;
  const uint8_t kind = source.byte(), more = source.byte();
  const std::vector<float> query_scales = source.floats(kind % 2 == 1 ? queries : 0);
  const std::vector<float> vector_scales = source.floats(kind % 4 > 1 ? vectors : 0);
  if (!query_scales.empty() && args.kind != LFFN_VECTORS_F32) args.query_scales = query_scales.data();
  if (!vector_scales.empty() && args.kind != LFFN_VECTORS_F32) args.vector_scales = vector_scales.data();
  args.query_scale = kind % 8 == 0 ? source.floats(1)[0] : 0;
  std::vector<int64_t> ids(kind % 16 > 7 ? static_cast<size_t>(vectors) : 0);
  for (int64_t& id : ids) id = source.number(-100, 100);
  if (!ids.empty()) args.vector_ids = ids.data();
  if (ids.empty()) args.first_id = source.number(-100, 100);
  const auto mask = source.bytes(kind % 32 > 15 ? (vectors + 7) / 8 : 0);
  if (kind % 32 > 15) args.taking_part = mask.get();
  std::vector<int64_t> candidates(kind % 64 > 31 ? source.byte() : 0);
  for (int64_t& candidate : candidates) candidate = source.number(0, std::max<int64_t>(vectors, 1));
  std::vector<int64_t> offsets(kind % 128 > 63 ? static_cast<size_t>(queries) + 1 : 0);
  for (int64_t& offset : offsets) offset = source.number(0, static_cast<int64_t>(candidates.size()) + 1);
  if (more % 8 != 0) std::sort(offsets.begin(), offsets.end());
  args.candidates = candidates.empty() ? nullptr : candidates.data();
  args.n_candidates = more == 255 ? -1 : static_cast<int64_t>(candidates.size());
  if (!offsets.empty()) args.candidate_offsets = offsets.data();
  args.k = source.number(1, 30);
  // More room than there is would be the caller's lie.
  const int64_t places = std::clamp<int64_t>(args.k, 0, 40) * queries;
  args.capacity = more == 254 ? places - 1 : places;
  Lists found(queries, places), other(queries, places), start(queries, places);
  for (int64_t& count : start.counts) count = source.number(0, std::clamp<int64_t>(args.k, 1, 40) + 1);
  for (int64_t& id : start.ids) id = source.number(0, 200);
  start.scores = source.floats(places);
  if (more % 4 == 1) {
    args.start_counts = start.counts.data();
    args.start_ids = start.ids.data();
    args.start_scores = start.scores.data();
  }
  const int32_t cancel = more == 253 ? 1 : 0;
  args.cancel = &cancel;
  const auto query_bytes = source.bytes(extent(queries, args.query_stride));
  const auto vector_bytes = source.bytes(extent(vectors, args.vector_stride));
  args.queries = more == 252 ? nullptr : query_bytes.get();
  args.vectors = more == 251 ? nullptr : vector_bytes.get();
  args.num_threads = 1;
  point(args, found);

  const lffn_status status = lffn_top_k(&args);
  require(status == LFFN_OK || status == LFFN_ERROR_INVALID_ARGUMENT || status == LFFN_ERROR_TOO_SMALL ||
              (status == LFFN_ERROR_CANCELLED && cancel != 0),
          "a search is run or refused");
  if (status != LFFN_OK) {
    const std::string_view reason = lffn_last_error();
    require(!reason.empty() && lffn::valid_utf8_length(reason) == reason.size(), "a refusal tells why, in UTF-8");
    return 0;
  }
  if (args.start_counts == nullptr) check(args, found);
  args.num_threads = 3;
  point(args, other);
  require(lffn_top_k(&args) == LFFN_OK, "a search can be repeated");
  require(
      found.counts == other.counts && found.ids == other.ids &&
          (places == 0 || std::memcmp(found.scores.data(), other.scores.data(), static_cast<size_t>(places) * 4) == 0),
      "threads change nothing");
  return 0;
}
