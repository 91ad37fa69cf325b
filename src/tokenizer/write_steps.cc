// SPDX-License-Identifier: Apache-2.0
#include "format/json.h"
#include "tokenizer/character_map.h"
#include "tokenizer/steps.h"

namespace lffn {
namespace {

const char* word(bool value) { return value ? "true" : "false"; }

std::string quoted(std::string_view text) {
  std::string result;
  append_json_string(result, text);
  return result;
}

template <typename Step, typename Write>
std::string write_all(const std::vector<Step>& steps, const char* list, const Write& write) {
  if (steps.empty()) return "null";
  if (steps.size() == 1) return write(steps[0]);
  std::string out = "{\"type\": \"Sequence\", " + quoted(list) + ": [";
  for (size_t i = 0; i < steps.size(); ++i) out += (i > 0 ? ", " : "") + write(steps[i]);
  return out + "]}";
}

std::string pattern(const Pattern& pattern) {
  return std::string(pattern.is_regex() ? "{\"Regex\": " : "{\"String\": ") + quoted(pattern.source()) + '}';
}

std::string replacement(const Pattern& wanted, const std::string& by) {
  return "{\"type\": \"Replace\", \"pattern\": " + pattern(wanted) + ", \"content\": " + quoted(by) + '}';
}

std::string metaspace(const std::string& sign, const char* scheme, bool split) {
  return "{\"type\": \"Metaspace\", \"replacement\": " + quoted(sign) + ", \"prepend_scheme\": \"" + scheme +
         "\", \"split\": " + word(split) + '}';
}

std::string form(UnicodeForm form) {
  constexpr const char* kNames[] = {"NFC", "NFD", "NFKC", "NFKD"};
  return std::string("{\"type\": \"") + kNames[static_cast<size_t>(form)] + "\"}";
}

std::string normalizer(const NormalizerStep& step) {
  using Kind = NormalizerStep::Kind;
  switch (step.kind) {
    case Kind::kPrecompiled:
      return "{\"type\": \"Precompiled\", \"precompiled_charsmap\": \"" + to_base64(step.map->rules()) + "\"}";
    case Kind::kForm:
      return form(step.form);
    case Kind::kReplace:
      return replacement(step.pattern, step.text);
    case Kind::kPrepend:
      return "{\"type\": \"Prepend\", \"prepend\": " + quoted(step.text) + '}';
    case Kind::kStrip:
      return std::string("{\"type\": \"Strip\", \"strip_left\": ") + word(step.left) +
             ", \"strip_right\": " + word(step.right) + '}';
    case Kind::kLowercase:
      return "{\"type\": \"Lowercase\"}";
    case Kind::kNmt:
      return "{\"type\": \"Nmt\"}";
    default:
      return "{\"type\": \"StripAccents\"}";
  }
}

std::string behavior(SplitBehavior behavior) {
  constexpr const char* kNames[] = {"Isolated", "Removed", "Contiguous", "MergedWithPrevious", "MergedWithNext"};
  return std::string("\"behavior\": \"") + kNames[static_cast<size_t>(behavior)] + '"';
}

std::string pre_tokenizer(const PreTokenizerStep& step) {
  constexpr const char* kSchemes[] = {"always", "first", "never"};
  switch (step.kind) {
    case PreTokenizerStep::Kind::kMetaspace:
      return metaspace(step.replacement, kSchemes[static_cast<size_t>(step.scheme)], step.split);
    case PreTokenizerStep::Kind::kWhitespaceSplit:
      return "{\"type\": \"WhitespaceSplit\"}";
    case PreTokenizerStep::Kind::kDigits:
      return std::string("{\"type\": \"Digits\", \"individual_digits\": ") +
             word(step.behavior == SplitBehavior::kIsolated) + '}';
    case PreTokenizerStep::Kind::kSplit:
      return "{\"type\": \"Split\", \"pattern\": " + pattern(step.pattern) + ", " + behavior(step.behavior) +
             ", \"invert\": " + word(step.inverted) + '}';
    case PreTokenizerStep::Kind::kByteLevel:
      return std::string("{\"type\": \"ByteLevel\", \"add_prefix_space\": ") + word(step.add_prefix_space) +
             ", \"trim_offsets\": true, \"use_regex\": " + word(step.use_regex) + '}';
    default:
      return "{\"type\": \"Punctuation\", " + behavior(step.behavior) + '}';
  }
}

std::string decoder(const DecoderStep& step) {
  using Kind = DecoderStep::Kind;
  switch (step.kind) {
    case Kind::kWordPiece:
      return "{\"type\": \"WordPiece\", \"prefix\": " + quoted(step.text) + ", \"cleanup\": " + word(step.cleans_up) +
             '}';
    case Kind::kByteLevel:
      return "{\"type\": \"ByteLevel\", \"add_prefix_space\": true, \"trim_offsets\": true, \"use_regex\": true}";
    case Kind::kMetaspace:
      return metaspace(step.text, step.prepends ? "always" : "never", true);
    case Kind::kEndOfWord:
      return "{\"type\": \"BPEDecoder\", \"suffix\": " + quoted(step.text) + '}';
    case Kind::kByteFallback:
      return "{\"type\": \"ByteFallback\"}";
    case Kind::kStrip:
      return "{\"type\": \"Strip\", \"content\": " + quoted(step.text) + ", \"start\": " + std::to_string(step.start) +
             ", \"stop\": " + std::to_string(step.stop) + '}';
    case Kind::kReplace:
      return replacement(step.pattern, step.text);
    default:
      return "{\"type\": \"Fuse\"}";
  }
}

}  // namespace

std::string write_normalizer_steps(const std::vector<NormalizerStep>& steps) {
  return write_all(steps, "normalizers", normalizer);
}
std::string write_pre_tokenizer_steps(const std::vector<PreTokenizerStep>& steps) {
  return write_all(steps, "pretokenizers", pre_tokenizer);
}
std::string write_decoder_steps(const std::vector<DecoderStep>& steps) { return write_all(steps, "decoders", decoder); }

}  // namespace lffn
