// SPDX-License-Identifier: Apache-2.0
// Any bytes as the arguments of lffn_model_run, for a small model with every head: the call is refused with a reason,
// or gives what it promises. All arrays are exactly as long as the arguments say, so a sanitizer sees a step beyond.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "format/utf8.h"
#include "lookupffn/lookupffn.h"
#include "tests/fuzz/require.h"
#include "tests/support/model_told.h"
#include "tests/support/outputs.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

lffn_model* load() {
  std::ifstream file(LFFN_FUZZ_MODEL, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  lffn_load_options options;
  lffn_load_options_init(&options);
  options.num_threads = 1;
  lffn_model* model = nullptr;
  require(lffn_model_load_memory(bytes.data(), bytes.size(), &options, &model) == LFFN_OK, "the fuzzed model loads");
  return model;
}

// Bytes, read as small numbers and texts. Zeros once they have ended.
class Source {
 public:
  Source(const uint8_t* data, size_t size) : at_(data), end_(data + size) {}
  uint8_t byte() { return at_ == end_ ? uint8_t{0} : *at_++; }
  // Mostly sensible, now and then any number.
  int64_t number(int64_t below) {
    const uint8_t kind = byte();
    if (kind < 240) return kind % below;
    int64_t any = 0;
    for (size_t i = 0; i < sizeof any; ++i) any = static_cast<int64_t>(static_cast<uint64_t>(any) << 8 | byte());
    return any;
  }
  int32_t small(int64_t below) { return static_cast<int32_t>(number(below)); }
  std::string text() {
    const size_t wanted = byte() % 48u, size = std::min(wanted, static_cast<size_t>(end_ - at_));
    std::string result(reinterpret_cast<const char*>(at_), size);
    at_ += size;
    return result;
  }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
};

// An output that is not wanted, or of some size.
class Output {
 public:
  Output(Source& source, int64_t usual) {
    const uint8_t kind = source.byte();
    if (kind % 3 == 0) return;
    size_ = kind % 3 == 1 ? usual : source.byte();
    numbers_ = std::make_unique<float[]>(static_cast<size_t>(size_));
  }
  float* data() const { return numbers_.get(); }
  int64_t size() const { return size_; }
  // Whether the first so many are finite.
  bool finite(int64_t count) const {
    return numbers_ == nullptr || std::all_of(numbers_.get(), numbers_.get() + std::min(count, size_),
                                              [](float value) { return std::isfinite(value); });
  }

 private:
  std::unique_ptr<float[]> numbers_;
  int64_t size_ = 0;
};

struct Texts {
  std::vector<std::string> texts;
  std::vector<const char*> pointers;
  std::vector<size_t> sizes;
  Texts(Source& source, int64_t n) {
    for (int64_t i = 0; i < n; ++i) texts.push_back(source.text());
    for (const std::string& text : texts) {
      pointers.push_back(source.byte() == 255 ? nullptr : text.c_str());
      sizes.push_back(text.size());
    }
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static lffn_model* const model = load();
  static lffn_result* const result = [] {
    lffn_result* made = nullptr;
    require(lffn_result_create(&made) == LFFN_OK, "a result is made");
    return made;
  }();
  model_told::Info info = {};
  require(model_told::get(model, info) == LFFN_OK, "a model tells what it is");

  Source source(data, size);
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  const int64_t n = source.byte() % 5;
  args.n = source.byte() == 255 ? -1 : n;
  const Texts texts(source, n), pairs(source, n);
  std::vector<int32_t> ids(source.byte() % 24), types(ids.size());
  for (int32_t& id : ids) id = source.small(info.vocab_size);
  for (int32_t& type : types) type = source.small(2);
  std::vector<int64_t> offsets(static_cast<size_t>(n) + 1);
  // More ids than there are would be the caller's lie.
  for (int64_t& offset : offsets) {
    offset = std::min(source.number(static_cast<int64_t>(ids.size()) + 1), static_cast<int64_t>(ids.size()));
  }
  const uint8_t kind = source.byte();
  if (kind % 4 != 0) offsets[0] = 0;
  if (kind % 4 > 1) std::sort(offsets.begin(), offsets.end());
  if (kind % 2 == 0) {
    args.texts = texts.pointers.data();
    args.text_sizes = kind % 8 == 0 ? nullptr : texts.sizes.data();
    if (kind % 16 > 7) args.pairs = pairs.pointers.data();
    args.pair_sizes = kind % 8 == 0 ? nullptr : pairs.sizes.data();
  }
  if (kind % 2 == 1 || kind == 254) {
    args.ids = ids.data();
    args.offsets = offsets.data();
    if (kind % 3 == 0) args.token_types = types.data();
  }
  const std::string prompt = source.text();
  args.prompt_kind = source.small(4);
  args.prompt = kind == 253 || (args.prompt_kind < 2 && kind < 200) ? nullptr : prompt.c_str();
  args.reading = source.small(1);
  args.num_threads = source.small(2);
  args.max_tokens = std::max(source.number(16), INT64_MIN + 1) - 1;
  args.pooling = source.small(5);
  args.normalize = source.small(3);
  args.top_k = source.small(5);
  args.flags = static_cast<uint32_t>(source.number(2));
  std::vector<int64_t> positions(source.byte() % 4);
  for (int64_t& position : positions) position = source.number(static_cast<int64_t>(ids.size()) + 1);
  args.logit_positions = positions.data();
  args.n_logit_positions = static_cast<int64_t>(positions.size());
  uint32_t groups = 0;
  if (source.byte() % 2 == 0) {
    args.result = result;
    groups = static_cast<uint32_t>(source.number(128)) & 0xFFFF;
  }
  const int64_t tokens = kind % 2 == 1 ? std::max<int64_t>(0, offsets.back()) : 16;
  const Output hidden(source, tokens * info.hidden_size), embeddings(source, n * info.embedding_size);
  const Output logits(source, args.n_logit_positions * info.vocab_size), scores(source, n * info.num_classes);
  const Output probabilities(source, 8);
  std::vector<int32_t> fillings(static_cast<size_t>(probabilities.size()));
  const uint8_t more = source.byte();
  const bool into_memory = args.result == nullptr || more == 254;
  std::vector<int64_t> offsets_out(static_cast<size_t>(n) + 1, -7), uncut(static_cast<size_t>(n));
  std::vector<lffn_status> statuses(static_cast<size_t>(n));
  double seconds[LFFN_NUM_STAGES] = {};
  const int32_t cancel = more == 255 ? 1 : 0;
  std::vector<lffn_output> list;
  if (args.result != nullptr) list = outputs::list_of(groups);
  const auto give = [&](bool wanted, int32_t what, void* to, int64_t capacity) {
    if (wanted && to != nullptr) list.push_back({what, 0, to, capacity});
  };
  give(into_memory, LFFN_OUT_HIDDEN, hidden.data(), hidden.size());
  give(into_memory, LFFN_OUT_EMBEDDINGS, embeddings.data(), embeddings.size());
  give(into_memory, LFFN_OUT_LOGITS, logits.data(), logits.size());
  give(into_memory, LFFN_OUT_CLASS_SCORES, scores.data(), scores.size());
  give(into_memory, LFFN_OUT_FILLING_PROBABILITIES, probabilities.data(), probabilities.size());
  give(into_memory && probabilities.data() != nullptr, LFFN_OUT_FILLING_IDS, fillings.data(), probabilities.size());
  give(into_memory && more % 2 == 1, LFFN_OUT_TOKEN_OFFSETS, offsets_out.data(), n + 1);
  give(into_memory && more % 4 > 1, LFFN_OUT_UNCUT_LENGTHS, uncut.data(), n);
  give(into_memory && more % 8 > 3, LFFN_OUT_STATUSES, statuses.data(), n);
  give(more % 32 > 15, LFFN_OUT_STAGE_SECONDS, seconds, LFFN_NUM_STAGES);
  if (more == 253 && !list.empty()) list.back().what = static_cast<int32_t>(source.number(80));
  const auto asks = [&](int32_t what) {
    return std::any_of(list.begin(), list.end(), [&](const lffn_output& output) { return output.what == what; });
  };
  // Mostly not what would be refused as having no effect.
  if (more % 16 != 9) {
    if (!asks(LFFN_OUT_FILLING_IDS) && !asks(LFFN_OUT_FILLING_PROBABILITIES)) args.top_k = 0;
    if (!asks(LFFN_OUT_LOGITS)) {
      args.logit_positions = nullptr;
      args.n_logit_positions = 0;
      args.flags &= ~static_cast<uint32_t>(LFFN_RUN_ALL_LOGITS);
    }
    const bool embeds = asks(LFFN_OUT_EMBEDDINGS) || asks(LFFN_OUT_INT8_EMBEDDINGS) || asks(LFFN_OUT_BIT_EMBEDDINGS);
    if (!embeds) args.pooling = LFFN_POOLING_MODEL;
    if (!embeds && !asks(LFFN_OUT_TOKEN_VECTORS) && !asks(LFFN_OUT_INT8_TOKEN_VECTORS)) args.normalize = 0;
  }
  args.outputs = list.data();
  args.n_outputs = static_cast<int64_t>(list.size());
  args.cancel = &cancel;

  const lffn_status status = lffn_model_run(model, &args);
  require(status == LFFN_OK || status == LFFN_ERROR_INVALID_ARGUMENT || status == LFFN_ERROR_OUT_OF_MEMORY ||
              status == LFFN_ERROR_UNSUPPORTED || status == LFFN_ERROR_TOO_SMALL || status == LFFN_ERROR_BAD_TEXT ||
              status == LFFN_ERROR_TOO_LONG || status == LFFN_ERROR_NULL_TEXT ||
              (status == LFFN_ERROR_CANCELLED && cancel != 0),
          "a call is run or refused");
  if (status != LFFN_OK) {
    const std::string_view reason = lffn_last_error();
    require(!reason.empty() && lffn::valid_utf8_length(reason) == reason.size(), "a refusal tells why, in UTF-8");
  } else {
    require(embeddings.finite(n * info.embedding_size), "embeddings are finite");
    require(scores.finite(n * info.num_classes), "class scores are finite");
    if (offsets_out[0] != -7) {
      require(offsets_out[0] == 0 && std::is_sorted(offsets_out.begin(), offsets_out.end()), "offsets are in order");
    }
    if (args.result != nullptr && more != 253) {
      const outputs::View view(result);
      require(view.n == n && view.offsets[n] == view.n_tokens, "a result tells of every sequence");
      require(view.ids == nullptr || view.n_tokens == 0 || view.ids[view.n_tokens - 1] < info.vocab_size,
              "ids are in the vocabulary");
      const bool all = (args.flags & LFFN_RUN_ALL_LOGITS) != 0, rows = (groups & outputs::kLogits) != 0;
      require(view.n_positions == (!rows ? 0
                                   : all ? view.n_tokens
                                         : args.n_logit_positions),
              "rows are of what was asked");
      const int64_t numbers = view.n_positions * info.vocab_size;
      require(numbers == 0 || std::all_of(view.logits, view.logits + numbers, [](float x) { return std::isfinite(x); }),
              "logits are finite, wherever they are");
    }
  }
  require(lffn_live_handles() == 2, "nothing is left but the model and the result");
  return 0;
}
