// SPDX-License-Identifier: Apache-2.0
// The chains of a hash with int8 weights.
#pragma once

#include "kernels/hash/transform.h"
#include "kernels/kernels.h"
#include "kernels/linear/parts.h"
#include "kernels/linear/product_int8.h"
#include "kernels/linear/quantise.h"

namespace lffn {
namespace {

// The sizes of one factor: of its blocks, or of the pieces that a dense projection's inputs are cut into.
struct Int8Shape {
  int64_t block, blocks, outputs, cells, steps;
  explicit Int8Shape(const HashPlan& plan)
      : block(plan.block),
        blocks((plan.width + plan.block - 1) / plan.block),
        outputs(plan.dense ? plan.outputs : plan.block),
        cells(cells_of(plan.block)),
        steps((plan.width + plan.step_rows - 1) / plan.step_rows) {}
  int64_t at_once() const { return outputs < kOutputsInt8 ? outputs : kOutputsInt8; }
  int64_t block_cells(const HashPlan& plan, int64_t b) const {
    return b + 1 < blocks ? cells : cells_of(plan.width - b * block);
  }
};

// What the chains of so many tokens need.
struct Int8Buffers {
  Quantised first, later;  // the first factor's inputs are the same for all chains
  float* panels;           // [blocks][outputs at once][tokens]
  int32_t* largest;        // [blocks][tokens]
  float* between;          // [width][tokens]
};
inline Int8Buffers int8_buffers(const HashPlan& plan, int64_t tokens, Parts& parts) {
  const Int8Shape shape(plan);
  const int64_t cells = shape.blocks * shape.cells;
  Int8Buffers buffers = {};
  for (Quantised* q : {&buffers.first, &buffers.later}) {
    q->cells = parts.take<int32_t>(cells * tokens);
    q->steps = parts.take<float>(shape.steps * tokens);
    q->high = q->high_starts = q->listed = q->counts = q->cells;  // where there are none
    if (!kByteDot || q == &buffers.later) continue;
    q->high = parts.take<int32_t>(cells * tokens);
    q->high_starts = parts.take<int32_t>(shape.blocks * tokens);
    q->listed = parts.take<int32_t>(cells);
    q->counts = parts.take<int32_t>(shape.blocks);
  }
  buffers.between = parts.take<float>(plan.dense ? 0 : plan.width * tokens);
  buffers.panels = parts.take<float>(plan.dense ? 0 : shape.blocks * shape.at_once() * tokens);
  buffers.largest = parts.take<int32_t>(plan.dense ? 0 : shape.blocks * tokens);
  return buffers;
}

// The last kStages of the butterflies over the `step` << kStages blocks, for some outputs of each:
// panels[blocks][outputs][tokens] -> out[blocks][block][tokens], and the blocks' largest magnitudes.
template <int kStages, int kVectors>
void finish_panels(const float* panels, int64_t step, int64_t outputs, bool magnitudes, int32_t* largest, int64_t block,
                   float* out) {
  constexpr int64_t kTokens = kVectors * kLanes;
  constexpr int kBlocks = 1 << kStages;
  const int64_t from_step = step * outputs * kTokens, to_step = step * block * kTokens;
  for (int64_t inner = 0; inner < step; ++inner) {
    for (int64_t lane = 0; lane < kTokens; lane += kLanes) {
      const float* from = panels + inner * outputs * kTokens + lane;
      float* to = out + inner * block * kTokens + lane;
      int32_t* most = largest + inner * kTokens + lane;
      I32 found[kBlocks];
      unroll<kBlocks>([&](auto k) LFFN_INLINE { found[k] = I32::load(most + k * step * kTokens); });
      for (int64_t o = 0; o < outputs; ++o) {
        F32 b[kBlocks];
        unroll<kBlocks>([&](auto k) LFFN_INLINE { b[k] = F32::load(from + k * from_step + o * kTokens); });
        unroll_constants<kStages>([&](auto stage) LFFN_INLINE {
          constexpr int kDistance = 1 << decltype(stage)::value;
          unroll_constants<kBlocks>([&](auto k) LFFN_INLINE {
            if constexpr ((decltype(k)::value & kDistance) == 0) {
              const F32 low = b[k], high = b[k + kDistance];
              b[k] = low + high;
              b[k + kDistance] = low - high;
            }
          });
        });
        unroll<kBlocks>([&](auto k) LFFN_INLINE {
          b[k].store(to + k * to_step + o * kTokens);
          if (magnitudes) found[k] = larger_magnitude(found[k], b[k]);
        });
      }
      unroll<kBlocks>([&](auto k) LFFN_INLINE { found[k].store(most + k * step * kTokens); });
    }
  }
}

template <int kVectors>
void transform_panels(float* panels, int64_t blocks, int64_t outputs, bool magnitudes, int32_t* largest, int64_t block,
                      float* out) {
  constexpr int64_t kTokens = kVectors * kLanes;
  int64_t step = 1;
  for (; step * 8 < blocks; step *= 8) butterfly_stages<3>(panels, blocks, outputs * kTokens, step);
  switch (blocks / step) {
    case 1:
      return finish_panels<0, kVectors>(panels, step, outputs, magnitudes, largest, block, out);
    case 2:
      return finish_panels<1, kVectors>(panels, step, outputs, magnitudes, largest, block, out);
    case 4:
      return finish_panels<2, kVectors>(panels, step, outputs, magnitudes, largest, block, out);
    default:
      return finish_panels<3, kVectors>(panels, step, outputs, magnitudes, largest, block, out);
  }
}

// All chains: in[width][tokens] -> out[chains][outputs][tokens].
template <int kVectors>
void run_chains_int8(const HashPlan& plan, const float* in, float* out, void* scratch) {
  constexpr int64_t kTokens = kVectors * kLanes;
  const Int8Shape shape(plan);
  Parts parts(scratch);
  const Int8Buffers buffers = int8_buffers(plan, kTokens, parts);
  const int32_t* weights = plan.weight_cells;
  const int32_t* starts = plan.starts;
  const float* scales = plan.weight_scales;
  const int64_t at_once = shape.at_once();
  quantise<TileRows<kVectors>, true>(plan, in, nullptr, buffers.first);
  if (plan.dense) {
    for (int64_t b = 0; b < shape.blocks; ++b, starts += plan.outputs) {
      const int64_t cells = shape.block_cells(plan, b);
      const BlockInputs inputs = block_inputs(buffers.first, b, shape.cells, kTokens, true);
      for (int64_t o = 0; o < plan.outputs; o += at_once, weights += cells * at_once) {
        product_int8<kVectors>(at_once, weights, starts + o, scales + o, inputs, cells,
                               buffers.first.steps + b * kTokens, b > 0, out + o * kTokens);
      }
    }
    return;
  }
  for (int32_t chain = 0; chain < plan.chains; ++chain) {
    for (int32_t f = 0; f < plan.factors; ++f, starts += plan.width, scales += plan.width) {
      const bool last = f + 1 == plan.factors;
      float* to = last ? out + chain * plan.width * kTokens : buffers.between;
      const Quantised& from = f == 0 ? buffers.first : buffers.later;
      if (f > 0) quantise<TileRows<kVectors>, false>(plan, buffers.between, buffers.largest, buffers.later);
      for (int64_t i = 0; i < shape.blocks * kTokens; i += kLanes) I32::set1(0).store(buffers.largest + i);
      for (int64_t o = 0; o < shape.block; o += at_once) {
        for (int64_t b = 0; b < shape.blocks; ++b, weights += shape.cells * at_once) {
          const int64_t row = b * shape.block + o;
          const BlockInputs inputs = block_inputs(from, b, shape.cells, kTokens, f == 0);
          product_int8<kVectors>(at_once, weights, starts + row, scales + row, inputs, shape.cells,
                                 from.steps + b * shape.block / plan.step_rows * kTokens, false,
                                 buffers.panels + b * at_once * kTokens);
        }
        transform_panels<kVectors>(buffers.panels, shape.blocks, at_once, !last, buffers.largest, shape.block,
                                   to + o * kTokens);
      }
    }
  }
}

// One token: in[width] -> out[chains][outputs].
inline void run_chains_int8_token(const HashPlan& plan, const float* in, float* out, void* scratch) {
  const Int8Shape shape(plan);
  Parts parts(scratch);
  const Int8Buffers buffers = int8_buffers(plan, 1, parts);
  const int8_t* weights = plan.token_weights;
  const int32_t* starts = plan.starts;
  const float* scales = plan.weight_scales;
  quantise<OneTokenRows, true>(plan, in, nullptr, buffers.first);
  for (int32_t chain = 0; chain < plan.chains; ++chain) {
    float* to = out + chain * plan.width;
    for (int32_t f = 0; f < plan.factors; ++f, starts += plan.width, scales += plan.width) {
      if (f > 0) quantise<OneTokenRows, false>(plan, to, nullptr, buffers.later);
      token_factor(plan, weights, starts, scales, f == 0 ? buffers.first : buffers.later, f == 0, to);
      weights += plan.width * shape.cells * kCellInputs;
      butterflies(to, shape.blocks, shape.block);
    }
  }
}

}  // namespace
}  // namespace lffn
