// SPDX-License-Identifier: Apache-2.0
#include "layer/projection_words.h"

#include <algorithm>

namespace lffn {
namespace {

// Inputs whose products are summed in integers, of outputs one after another: one block.
struct WordBlock {
  int64_t rows;      // where it begins in the file's order, and
  int64_t distance;  // how far apart its outputs are there
  int64_t outputs;   // that there are, and
  int64_t padded;    // with those that are zero
  int64_t inputs;
  int64_t tile, step;  // its first word for tiles, and how many words on the next outputs are
  int64_t token;       // its first number for one token
  int64_t start;       // of its outputs' starts
};

struct WordSizes {
  int64_t in_word;  // inputs of a word
  int64_t at_once;  // outputs that lie together for a tile, and
  int64_t panel;    // for one token
  int64_t factors, outputs, blocks;
  int64_t words;      // of a whole block, for one output
  int64_t all_words;  // of all blocks
};

WordSizes sizes_of(const HashPlan& plan, const Kernels& kernels) {
  WordSizes sizes = {};
  sizes.in_word = kernels.hash_word_inputs;
  sizes.outputs = plan.dense ? plan.outputs : plan.block;
  sizes.at_once = std::min<int64_t>(kernels.hash_outputs, sizes.outputs);
  sizes.panel = std::min(sizes.outputs, kPanel);
  sizes.factors = static_cast<int64_t>(plan.chains) * plan.factors;
  sizes.blocks = (plan.width + plan.block - 1) / plan.block;
  const auto words_of = [&](int64_t inputs) { return (inputs + sizes.in_word - 1) / sizes.in_word; };
  sizes.words = words_of(plan.block);
  sizes.all_words = (sizes.blocks - 1) * sizes.words + words_of(plan.width - (sizes.blocks - 1) * plan.block);
  return sizes;
}

template <typename Visit>
void for_blocks(const HashPlan& plan, const WordSizes& sizes, const Visit& visit) {
  for (int64_t f = 0; f < sizes.factors; ++f) {
    for (int64_t b = 0; b < sizes.blocks; ++b) {
      WordBlock block = {};
      const int64_t first = f * sizes.outputs * sizes.all_words;
      block.inputs = std::min(plan.block, plan.width - b * plan.block);
      block.token = (first + b * sizes.words * sizes.outputs) * sizes.in_word;
      block.start = (f * sizes.blocks + b) * sizes.outputs;
      block.padded = sizes.outputs;
      if (plan.dense) {
        block.rows = b * plan.block;
        block.distance = plan.width;
        block.outputs = plan.num_hashes;
        block.tile = first + b * sizes.words * sizes.outputs;
        block.step = (block.inputs + sizes.in_word - 1) / sizes.in_word * sizes.at_once;
      } else {
        block.rows = block.start * plan.block;
        block.distance = plan.block;
        block.outputs = sizes.outputs;
        block.tile = first + b * sizes.words * sizes.at_once;
        block.step = sizes.blocks * sizes.words * sizes.at_once;
      }
      visit(block);
    }
  }
}

// A block's rows and [outputs / panel][words][panel][in_word], side by side: each(row's number, or -1 beyond the rows,
// place in the panels). From one panel to the next there are `step` numbers.
template <typename Each>
void for_words(const WordBlock& block, int64_t panel, int64_t in_word, int64_t step, const Each& each) {
  for (int64_t p = 0, first = 0; p < block.outputs; p += panel, first += step) {
    int64_t at = first;
    for (int64_t i = 0; i < block.inputs; i += in_word) {
      for (int64_t o = p; o < p + panel; ++o) {
        for (int64_t j = i; j < i + in_word; ++j, ++at) {
          each(o < block.outputs && j < block.inputs ? block.rows + o * block.distance + j : -1, at);
        }
      }
    }
  }
}

// Numbers of one panel for one token.
int64_t token_step(const WordBlock& block, const WordSizes& sizes) {
  return (block.inputs + sizes.in_word - 1) / sizes.in_word * sizes.panel * sizes.in_word;
}

template <typename Number>
void lay_tile(const int8_t* rows, const WordBlock& block, const WordSizes& sizes, Number* tile) {
  Number* const to = tile + block.tile * sizes.in_word;
  for_words(block, sizes.at_once, sizes.in_word, block.step * sizes.in_word,
            [&](int64_t row, int64_t at) { to[at] = row < 0 ? Number{0} : static_cast<Number>(rows[row]); });
}

}  // namespace

void lay_words(const int8_t* rows, const Kernels& kernels, PackedProjection& packed) {
  HashPlan& plan = packed.plan;
  const WordSizes sizes = sizes_of(plan, kernels);
  const size_t bytes =
      checked_product(static_cast<size_t>(sizes.factors * sizes.outputs * sizes.all_words), sizeof(int32_t));
  packed.weights = Memory(bytes);
  packed.token_weights = Memory(bytes * static_cast<size_t>(sizes.in_word) / sizeof(int32_t));
  packed.starts =
      Memory(checked_product(static_cast<size_t>(sizes.factors * sizes.outputs * sizes.blocks), sizeof(int32_t)));
  plan.weight_words = packed.weights.as<int32_t>();
  plan.token_weights = packed.token_weights.as<int8_t>();
  plan.starts = packed.starts.as<int32_t>();
  for_blocks(plan, sizes, [&](const WordBlock& block) {
    if (sizes.in_word == 4) {
      lay_tile(rows, block, sizes, packed.weights.as<int8_t>());
    } else {
      lay_tile(rows, block, sizes, packed.weights.as<int16_t>());
    }
    int8_t* const token = packed.token_weights.as<int8_t>() + block.token;
    for_words(block, sizes.panel, sizes.in_word, token_step(block, sizes),
              [&](int64_t row, int64_t at) { token[at] = row < 0 ? int8_t{0} : rows[row]; });
    for (int64_t o = 0; o < block.padded; ++o) {
      const int8_t* const row = rows + block.rows + o * block.distance;
      int64_t sum = 0;
      for (int64_t i = 0; o < block.outputs && i < block.inputs; ++i) sum += row[i];
      // Of the last bits only: so are the sums that it is added to.
      packed.starts.as<int32_t>()[block.start + o] = static_cast<int32_t>(static_cast<uint32_t>(-128 * sum));
    }
  });
}

void lift_words(const PackedProjection& packed, const Kernels& kernels, int8_t* rows) {
  const WordSizes sizes = sizes_of(packed.plan, kernels);
  for_blocks(packed.plan, sizes, [&](const WordBlock& block) {
    const int8_t* const token = packed.token_weights.as<int8_t>() + block.token;
    for_words(block, sizes.panel, sizes.in_word, token_step(block, sizes), [&](int64_t row, int64_t at) {
      if (row >= 0) rows[row] = token[at];
    });
  });
}

}  // namespace lffn
