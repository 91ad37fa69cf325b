// SPDX-License-Identifier: Apache-2.0
// Reads and writes those parts of tokenizer.json that may be sequences of steps.
#pragma once

#include <string>
#include <vector>

#include "tokenizer/decoder.h"
#include "tokenizer/json_settings.h"
#include "tokenizer/normalizer.h"
#include "tokenizer/post_processor.h"
#include "tokenizer/pre_tokenizer_chain.h"

namespace lffn {

// What stands under the path: null, one part, or a Sequence of parts. Each throws Error(LFFN_ERROR_BAD_MODEL).
std::vector<NormalizerStep> read_normalizer_steps(const JsonSettings& settings, const std::string& path);
std::vector<PreTokenizerStep> read_pre_tokenizer_steps(const JsonSettings& settings, const std::string& path);
std::vector<DecoderStep> read_decoder_steps(const JsonSettings& settings, const std::string& path);
// Takes at most one template and one step that trims spans.
PostProcessing read_post_processing(const JsonSettings& settings, const std::string& path, bool is_byte_pairs);

// null for no step, else one part or a Sequence.
std::string write_normalizer_steps(const std::vector<NormalizerStep>& steps);
std::string write_pre_tokenizer_steps(const std::vector<PreTokenizerStep>& steps);
std::string write_decoder_steps(const std::vector<DecoderStep>& steps);

}  // namespace lffn
