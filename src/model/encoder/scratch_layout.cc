// SPDX-License-Identifier: Apache-2.0
#include "model/encoder/scratch_layout.h"

#include <algorithm>

#include "runtime/cpu.h"

namespace lffn {
namespace {

// A lookup layer reads all of its tables once for a chunk.
constexpr int64_t kChunkTokens = 8192;
// Fewer tokens if those would take more than about this much memory.
constexpr int64_t kChunkBytes = int64_t{256} << 20;
constexpr int64_t kFewestBatchTokens = 64, kMostBatchTokens = 1024;

// What decides how much a call needs.
struct Extent {
  ChunkExtent chunk;
  int64_t longest = 0;  // tokens of a sequence
  bool some = false;    // not all tokens may be asked for
};

ScratchLayout lay_out(const ModelCore& model, const ModelCall& call, const Extent& extent, const HeadTable& heads) {
  const ModelConfig& config = model.config();
  const Running& running = model.running();
  const int64_t d = config.hidden_size, a = config.attention_size(), width = config.attention_width();
  ScratchLayout layout;
  layout.batch_tokens = std::min(extent.chunk.tokens, std::max(batch_tokens(model), extent.longest));

  int64_t neurons = 0;
  const bool before = config.layers.back().norms != NormPlace::kAfter;
  const Linear& widener = model.weights().widener;
  bool reads_apart = false, integers = false;
  int64_t widened = 0;
  const auto look_at = [&](const Linear& linear) {
    integers |= linear.dtype() == LFFN_DTYPE_INT8;
    if (linear.dtype() == LFFN_DTYPE_BF16) widened = std::max(widened, Linear::widened_cells(linear.inputs()));
  };
  look_at(widener);
  for (const LayerWeights& layer : model.weights().layers) {
    neurons = std::max(neurons, layer.up.outputs());
    reads_apart |= !layer.linear.empty() || (!layer.lookup.empty() && !layer.ffn_norm.empty() && before);
    for (const Linear* linear : {&layer.query_key_value, &layer.attention_out, &layer.linear, &layer.up, &layer.down}) {
      look_at(*linear);
    }
  }
  ScratchParts& parts = layout.call;
  if (call.hidden == nullptr) layout.hidden = parts.place(floats_bytes(extent.chunk.tokens, d));
  if (extent.some) layout.kept = parts.place(floats_bytes(extent.chunk.tokens, 2));
  for (size_t i = 0; i < heads.size(); ++i) {
    if (heads[i].kept_bytes != nullptr) layout.of_heads[i] = parts.place(heads[i].kept_bytes(call, model));
  }
  layout.longest = std::max<int64_t>(extent.longest, 1);
  layout.places = parts.place(model.places().call_bytes(layout.longest));
  layout.angles = parts.place(model.rotations().call_bytes(layout.longest));
  layout.inputs = parts.place(reads_apart ? floats_bytes(extent.chunk.tokens, d) : 0);
  layout.stage = parts.end();
  ScratchParts& encoder = layout.encoder = ScratchParts(layout.stage);
  layout.normed = encoder.place(floats_bytes(layout.batch_tokens, row_stride(d)));
  const int64_t narrow = widener.empty() ? 0 : config.embedding_size;
  layout.wide = encoder.place(floats_bytes(layout.batch_tokens, row_stride(std::max({width, neurons, narrow}))));
  layout.summed = encoder.place(floats_bytes(layout.batch_tokens, row_stride(a)));
  layout.packed_stride = Linear::packed_cells(std::max({d, a, neurons, narrow}));
  layout.packed = encoder.place(std::max(integers ? floats_bytes(layout.batch_tokens, layout.packed_stride) : 0,
                                         floats_bytes(running.num_threads, widened)));
  size_t attention = 0;
  for (size_t i = 0; i < model.weights().layers.size(); ++i) {
    attention = std::max(attention, model.attends_in_int8(i)
                                        ? running.kernels.attention_int8_scratch(layout.longest, config.head_size)
                                        : running.kernels.attention_scratch(layout.longest, config.head_size,
                                                                            model.places().num_places()));
  }
  layout.thread = encoder.place_each(running.num_threads, attention, layout.thread_bytes);
  layout.total = encoder.end();
  for (const LayerWeights& layer : model.weights().layers) {
    if (layer.lookup.empty()) continue;
    layout.total = std::max(layout.total, layout.stage + layer.lookup.layer().scratch_bytes(extent.chunk.tokens));
  }
  for (size_t i = 0; i < heads.size(); ++i) {
    if (heads[i].stage_end == nullptr) continue;
    layout.total = std::max(layout.total, heads[i].stage_end(call, model, extent.chunk, layout.stage));
  }
  return layout;
}

}  // namespace

int64_t chunk_tokens(const ModelCore& model) {
  const int64_t token_bytes = model.config().hidden_size * static_cast<int64_t>(sizeof(float));
  return std::clamp<int64_t>(kChunkBytes / token_bytes, 1, kChunkTokens);
}

// As many tokens as leave a quarter of each thread's L2 cache free, within bounds. A longer sequence is a batch of its
// own.
int64_t batch_tokens(const ModelCore& model) {
  // Where attention is narrower than the model, or has no heads, the hidden size decides.
  const int64_t width = std::max(model.config().attention_width(), int64_t{model.config().hidden_size});
  const int64_t bytes = width * static_cast<int64_t>(sizeof(float));
  const int64_t fitting = static_cast<int64_t>(cache_sizes().l2) / 4 * 3 * model.running().num_threads / bytes;
  return std::clamp(fitting / kFewestBatchTokens * kFewestBatchTokens, kFewestBatchTokens, kMostBatchTokens);
}

ScratchLayout lay_out(const ModelCore& model, const ModelCall& call, const HeadTable& heads, bool some) {
  Extent extent;
  extent.some = some;
  for (int64_t s = 0; s < call.num_sequences;) {
    const Span span = next_span(call, s, call.num_sequences, chunk_tokens(model));
    extent.chunk.tokens = std::max(extent.chunk.tokens, span.tokens);
    extent.chunk.sequences = std::max(extent.chunk.sequences, span.last - span.first);
    s = span.last;
  }
  for (int64_t s = 0; s < call.num_sequences; ++s) extent.longest = std::max(extent.longest, call.length(s));
  return lay_out(model, call, extent, heads);
}

size_t most_scratch_bytes(const ModelCore& model, const HeadTable& heads) {
  ModelCall call;
  call.num_positions = call.num_masks = kHeadRows;
  Extent extent;
  extent.some = true;
  extent.longest = model.config().max_tokens();
  extent.chunk.tokens = extent.chunk.sequences = std::max(chunk_tokens(model), extent.longest);
  return lay_out(model, call, extent, heads).total;
}

}  // namespace lffn
