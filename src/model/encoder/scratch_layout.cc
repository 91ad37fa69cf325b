// SPDX-License-Identifier: Apache-2.0
#include "model/encoder/scratch_layout.h"

#include <algorithm>

#include "model/encoder/asked_tokens.h"
#include "model/late/late_vectors.h"
#include "runtime/cpu.h"

namespace lffn {
namespace {

// A lookup layer reads all of its tables once for a chunk.
constexpr int64_t kChunkTokens = 8192;
// But no more than fit in about this much memory.
constexpr int64_t kChunkBytes = int64_t{256} << 20;
// The logits of masks that exist at once.
constexpr int64_t kMaskLogitBytes = int64_t{16} << 20;
constexpr int64_t kFewestBatchTokens = 64, kMostBatchTokens = 1024;

// What decides how much a call needs.
struct Extent {
  int64_t chunk = 0;      // most tokens that go through all layers together
  int64_t longest = 0;    // tokens of a sequence
  bool hidden = false;    // the hidden states need scratch memory
  bool some = false;      // not all tokens may be asked for
  int64_t positions = 0;  // that logits are wanted of
  int64_t masks = 0;      // that are filled
  int64_t sequences = 0;  // of a chunk, that class scores are wanted of
  int64_t pooled = 0;     // sequences of a chunk whose embeddings go through modules
};

size_t floats_bytes(int64_t rows, int64_t stride) {
  return checked_product(checked_product(static_cast<size_t>(rows), static_cast<size_t>(stride)), sizeof(float));
}

size_t block_bytes(int64_t rows, int64_t size) { return floats_bytes(std::min(rows, kHeadRows), row_stride(size)); }

WordScratch place_words(const Model& model, int64_t rows, ScratchParts& parts) {
  WordScratch words;
  words.block = parts.place(block_bytes(rows, model.config().embedding_size));
  words.words = parts.place(model.decoder().scratch_bytes(rows));
  return words;
}

void place_masks(const Model& model, int64_t masks, ScratchLayout& layout) {
  const int64_t vocabulary = model.config().vocab_size;
  const int64_t fitting = kMaskLogitBytes / (vocabulary * static_cast<int64_t>(sizeof(float)));
  layout.head_rows = std::min(masks, std::clamp<int64_t>(fitting, 1, kHeadRows));
  layout.mask_states = layout.masks.place(floats_bytes(layout.head_rows, model.config().hidden_size));
  layout.mask_logits = layout.masks.place(floats_bytes(layout.head_rows, vocabulary));
  layout.mask_words = place_words(model, layout.head_rows, layout.masks);
}

// Behind the hidden states, as the stages of the encoder. Gives where the largest ends.
size_t place_heads(const Model& model, const Extent& extent, ScratchLayout& layout) {
  ScratchParts* const stages[] = {&layout.logits,  &layout.masks, &layout.classes,
                                  &layout.modules, &layout.late,  &layout.weights};
  for (ScratchParts* stage : stages) *stage = ScratchParts(layout.stage);
  const int64_t positions = std::min(extent.positions, kHeadRows);
  if (positions > 0) layout.positions = place_words(model, positions, layout.logits);
  if (extent.masks > 0) place_masks(model, extent.masks, layout);
  const int64_t dense_rows = model.puts_tokens_through_dense() ? extent.chunk : extent.sequences;
  layout.classes.place(block_bytes(dense_rows, model.config().hidden_size));
  layout.modules.place_each(2, block_bytes(extent.pooled, widest_module(model)), layout.module_bytes);
  place_late_stage(model, extent.chunk, layout);
  size_t end = 0;
  for (const ScratchParts* stage : stages) end = std::max(end, stage->end());
  return end;
}

ScratchLayout lay_out(const Model& model, const Extent& extent) {
  const ModelConfig& config = model.config();
  const Running& running = model.running();
  const int64_t d = config.hidden_size, a = config.attention_size(), width = config.attention_width();
  ScratchLayout layout;
  layout.batch_tokens = std::min(extent.chunk, std::max(batch_tokens(model), extent.longest));

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
  if (extent.hidden) layout.hidden = parts.place(floats_bytes(extent.chunk, d));
  if (extent.some) layout.kept = parts.place(floats_bytes(extent.chunk, 2));
  layout.asked = parts.place(floats_bytes(extent.positions, d));
  layout.firsts = parts.place(floats_bytes(extent.sequences, d));
  layout.pooled = parts.place(floats_bytes(extent.pooled, widest_module(model)));
  layout.longest = std::max<int64_t>(extent.longest, 1);
  layout.places = parts.place(model.places().call_bytes(layout.longest));
  layout.angles = parts.place(model.rotations().call_bytes(layout.longest));
  layout.inputs = parts.place(reads_apart ? floats_bytes(extent.chunk, d) : 0);
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
    layout.total = std::max(layout.total, layout.stage + layer.lookup.layer().scratch_bytes(extent.chunk));
  }
  layout.total = std::max(layout.total, place_heads(model, extent, layout));
  return layout;
}

}  // namespace

int64_t chunk_tokens(const Model& model) {
  const int64_t token_bytes = model.config().hidden_size * static_cast<int64_t>(sizeof(float));
  return std::clamp<int64_t>(kChunkBytes / token_bytes, 1, kChunkTokens);
}

// As many as leave a quarter of each thread's L2 cache, within bounds. A longer sequence is a batch of its own.
int64_t batch_tokens(const Model& model) {
  // Without any head a batch is cut by what a token is wide.
  const int64_t width = std::max(model.config().attention_width(), int64_t{model.config().hidden_size});
  const int64_t bytes = width * static_cast<int64_t>(sizeof(float));
  const int64_t fitting = static_cast<int64_t>(cache_sizes().l2) / 4 * 3 * model.running().num_threads / bytes;
  return std::clamp(fitting / kFewestBatchTokens * kFewestBatchTokens, kFewestBatchTokens, kMostBatchTokens);
}

ScratchLayout lay_out(const Model& model, const ModelCall& call) {
  Extent extent;
  int64_t sequences = 0;
  for (int64_t s = 0; s < call.num_sequences;) {
    const Span span = next_span(call, s, call.num_sequences, chunk_tokens(model));
    extent.chunk = std::max(extent.chunk, span.tokens);
    sequences = std::max(sequences, span.last - span.first);
    s = span.last;
  }
  for (int64_t s = 0; s < call.num_sequences; ++s) extent.longest = std::max(extent.longest, call.length(s));
  extent.hidden = call.hidden == nullptr;
  extent.some = AskedTokens(model, call).may_be_some();
  if (call.logits != nullptr) extent.positions = call.num_positions;
  if (call.wants_fillings()) extent.masks = call.num_masks;
  if (call.class_scores != nullptr) extent.sequences = sequences;
  if (call.embeddings != nullptr && runs_modules(model, call)) extent.pooled = sequences;
  return lay_out(model, extent);
}

size_t most_scratch_bytes(const Model& model) {
  Extent extent;
  extent.longest = model.config().max_tokens();
  extent.chunk = std::max(chunk_tokens(model), extent.longest);
  extent.hidden = extent.some = true;
  if (model.has_lm_head()) extent.positions = extent.masks = kHeadRows;
  if (model.num_classes() > 0) extent.sequences = extent.chunk;
  if (runs_modules(model, ModelCall())) extent.pooled = extent.chunk;
  return lay_out(model, extent).total;
}

bool runs_modules(const Model& model, const ModelCall& call) {
  const std::vector<SentenceSettings::Module>& modules = model.sentence().modules;
  return !call.pooling.has_value() &&
         std::any_of(modules.begin(), modules.end(), [](const auto& module) { return !module.normalise; });
}

int64_t widest_module(const Model& model) {
  const SentenceSettings& sentence = model.sentence();
  int64_t widest = model.config().hidden_size * static_cast<int64_t>(sentence.pooling.size());
  for (const SentenceSettings::Module& module : sentence.modules) widest = std::max<int64_t>(widest, module.outputs);
  return widest;
}

}  // namespace lffn
