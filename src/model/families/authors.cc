// SPDX-License-Identifier: Apache-2.0
#include "model/families/family.h"

namespace lffn {
namespace {

// A pre-norm RoBERTa whose FFNs are lookups.
constexpr Family make() {
  Family family;
  family.name = "lookupffn";
  family.prefix = "roberta.";
  family.ties_decoder = false;
  family.extra_positions = true;
  family.norms = NormPlace::kBefore;
  family.positions = PositionRule::kPlainlyAfterPad;
  family.lookup_norm = LookupNorm::kItsOwn;
  family.query = "attention.query";
  family.key = "attention.key";
  family.value = "attention.value";
  family.attention_out = "attention.dense";
  family.attention_norm = "attention.LayerNorm";
  family.up = "FFN.1";
  family.down = "FFN.3";
  family.ffn_norm = "FFN.0";
  family.final_norm = "encoder.LayerNorm";
  family.lm_dense = "lm_head.dense";
  family.lm_norm = "lm_head.layer_norm";
  family.decoder = "lm_head.decoder";
  family.decoder_biases[0] = "lm_head.decoder.bias";
  family.decoder_biases[1] = "lm_head.bias";
  family.class_dense = "classifier.dense";
  family.class_out = "classifier.out_proj";
  return family;
}

}  // namespace

const Family kAuthors = make();

}  // namespace lffn
