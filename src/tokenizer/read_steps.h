// SPDX-License-Identifier: Apache-2.0
// Reads the parts of tokenizer.json of which there may be several, one after another.
#pragma once

#include <string>
#include <vector>

#include "tokenizer/decoder.h"
#include "tokenizer/json_settings.h"
#include "tokenizer/normalizer_chain.h"
#include "tokenizer/pre_tokenizer_chain.h"

namespace lffn {

// What stands under the path: null, one part, or a Sequence of parts. Each throws Error(LFFN_ERROR_BAD_MODEL).
std::vector<NormalizerStep> read_normalizer_steps(const JsonSettings& settings, const std::string& path);
std::vector<PreTokenizerStep> read_pre_tokenizer_steps(const JsonSettings& settings, const std::string& path);
std::vector<DecoderStep> read_decoder_steps(const JsonSettings& settings, const std::string& path);

}  // namespace lffn
