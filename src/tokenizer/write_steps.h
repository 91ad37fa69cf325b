// SPDX-License-Identifier: Apache-2.0
// Writes what read_steps.h reads.
#pragma once

#include <string>
#include <vector>

#include "tokenizer/decoder.h"
#include "tokenizer/normalizer_chain.h"
#include "tokenizer/pre_tokenizer_chain.h"

namespace lffn {

// null for no step, else one part or a Sequence.
std::string write_normalizer_steps(const std::vector<NormalizerStep>& steps);
std::string write_pre_tokenizer_steps(const std::vector<PreTokenizerStep>& steps);
std::string write_decoder_steps(const std::vector<DecoderStep>& steps);

}  // namespace lffn
