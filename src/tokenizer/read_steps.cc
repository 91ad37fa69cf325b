// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "format/utf8.h"
#include "tokenizer/character_map.h"
#include "tokenizer/steps.h"

namespace lffn {
namespace {

constexpr size_t kMostSteps = 64;
constexpr size_t kLongestText = 256;  // bytes of a text that a step puts in

// Calls read(type, path) for each part.
template <typename Read>
void for_steps(const JsonSettings& settings, const std::string& path, const char* list, size_t& count,
               const Read& read) {
  if (!settings.has(path)) return;
  const std::string type = settings.text(path + "/type");
  if (type != "Sequence") {
    if (++count > kMostSteps) settings.refuse(path, "one of at most " + std::to_string(kMostSteps));
    return read(type, path);
  }
  const std::string parts = path + '/' + list;
  if (!settings.has(parts)) settings.refuse(parts, "an array");
  for (size_t i = 0; settings.has(parts + '/' + std::to_string(i)); ++i) {
    for_steps(settings, parts + '/' + std::to_string(i), list, count, read);
  }
}

std::string short_text(const JsonSettings& settings, const std::string& path) {
  std::string text = settings.text(path);
  if (text.size() > kLongestText) {
    settings.refuse(path, "a text of at most " + std::to_string(kLongestText) + " bytes");
  }
  return text;
}

std::string character(const JsonSettings& settings, const std::string& path) {
  std::string text = settings.text(path);
  size_t end = 0;
  if (!text.empty()) next_character(text, end);
  if (text.empty() || end != text.size()) settings.refuse(path, "one character");
  return text;
}

Pattern read_pattern(const JsonSettings& settings, const std::string& path) {
  if (settings.has(path + "/String")) return Pattern::of_text(short_text(settings, path + "/String"));
  std::optional<Pattern> result = Pattern::of_regex(settings.text(path + "/Regex"));
  if (!result) settings.refuse(path + "/Regex", "one of the expressions that are known here");
  return *std::move(result);
}

SplitBehavior read_behavior(const JsonSettings& settings, const std::string& path) {
  constexpr std::pair<const char*, SplitBehavior> kNames[] = {
      {"Isolated", SplitBehavior::kIsolated},
      {"Removed", SplitBehavior::kRemoved},
      {"Contiguous", SplitBehavior::kContiguous},
      {"MergedWithPrevious", SplitBehavior::kMergedWithPrevious},
      {"MergedWithNext", SplitBehavior::kMergedWithNext}};
  if (!settings.has(path)) return SplitBehavior::kIsolated;
  const std::string name = settings.text(path);
  for (const auto& [known, behavior] : kNames) {
    if (name == known) return behavior;
  }
  settings.refuse(path, "\"Isolated\", \"Removed\", \"Contiguous\", \"MergedWithPrevious\" or \"MergedWithNext\"");
}

// The settings of Metaspace have had several names.
void read_metaspace(const JsonSettings& settings, const std::string& path, std::string& replacement,
                    PrependScheme& scheme, bool& split) {
  replacement = character(settings, path + "/replacement");
  const std::string name = settings.text(path + "/prepend_scheme");
  if (!name.empty() && name != "always" && name != "first" && name != "never") {
    settings.refuse(path + "/prepend_scheme", "\"always\", \"first\" or \"never\"");
  }
  scheme = name == "first" ? PrependScheme::kFirst : name == "never" ? PrependScheme::kNever : PrependScheme::kAlways;
  if (!settings.flag(path + "/add_prefix_space", true)) {
    if (!name.empty() && scheme != PrependScheme::kNever) {
      settings.refuse(path + "/add_prefix_space", "true where a prepend_scheme wants a blank");
    }
    scheme = PrependScheme::kNever;
  }
  split = settings.flag(path + "/split", true);
}

std::optional<UnicodeForm> form_of(const std::string& type) {
  if (type == "NFC") return UnicodeForm::kC;
  if (type == "NFD") return UnicodeForm::kD;
  if (type == "NFKC") return UnicodeForm::kKc;
  if (type == "NFKD") return UnicodeForm::kKd;
  return std::nullopt;
}

}  // namespace

std::vector<NormalizerStep> read_normalizer_steps(const JsonSettings& settings, const std::string& path) {
  using Kind = NormalizerStep::Kind;
  std::vector<NormalizerStep> result;
  size_t count = 0;
  for_steps(settings, path, "normalizers", count, [&](const std::string& type, const std::string& at) {
    NormalizerStep step = {Kind::kLowercase};
    if (type == "Precompiled") {
      const std::string name = at + "/precompiled_charsmap";
      const std::optional<std::string> rules = from_base64(settings.text(name));
      if (!rules) settings.refuse(name, "a text of base64");
      if (rules->empty()) return;  // no rules
      step.kind = Kind::kPrecompiled;
      step.map = std::make_shared<const CharacterMap>(*rules, settings.where());
    } else if (const std::optional<UnicodeForm> form = form_of(type)) {
      step.kind = Kind::kForm;
      step.form = *form;
    } else if (type == "Replace") {
      step.kind = Kind::kReplace;
      step.pattern = read_pattern(settings, at + "/pattern");
      step.text = short_text(settings, at + "/content");
    } else if (type == "Prepend") {
      step.kind = Kind::kPrepend;
      step.text = short_text(settings, at + "/prepend");
    } else if (type == "Strip") {
      step.kind = Kind::kStrip;
      step.left = settings.flag(at + "/strip_left", true);
      step.right = settings.flag(at + "/strip_right", true);
    } else if (type == "Nmt") {
      step.kind = Kind::kNmt;
    } else if (type == "StripAccents") {
      step.kind = Kind::kStripAccents;
    } else if (type != "Lowercase") {
      settings.refuse(at + "/type",
                      "\"Precompiled\", \"NFC\", \"NFD\", \"NFKC\", \"NFKD\", \"Replace\", \"Prepend\", \"Strip\", "
                      "\"StripAccents\", \"Lowercase\", \"Nmt\" or \"Sequence\"");
    }
    result.push_back(std::move(step));
  });
  return result;
}

std::vector<PreTokenizerStep> read_pre_tokenizer_steps(const JsonSettings& settings, const std::string& path) {
  using Kind = PreTokenizerStep::Kind;
  std::vector<PreTokenizerStep> result;
  size_t count = 0;
  for_steps(settings, path, "pretokenizers", count, [&](const std::string& type, const std::string& at) {
    PreTokenizerStep step = {Kind::kWhitespaceSplit};
    if (type == "Metaspace") {
      step.kind = Kind::kMetaspace;
      read_metaspace(settings, at, step.replacement, step.scheme, step.split);
    } else if (type == "Punctuation") {
      step.kind = Kind::kPunctuation;
      step.behavior = read_behavior(settings, at + "/behavior");
    } else if (type == "Digits") {
      step.kind = Kind::kDigits;
      const bool each = settings.flag(at + "/individual_digits", false);
      step.behavior = each ? SplitBehavior::kIsolated : SplitBehavior::kContiguous;
    } else if (type == "Split") {
      step.kind = Kind::kSplit;
      step.pattern = read_pattern(settings, at + "/pattern");
      step.behavior = read_behavior(settings, at + "/behavior");
      step.inverted = settings.flag(at + "/invert", false);
    } else if (type == "CharDelimiterSplit") {
      step.kind = Kind::kSplit;
      step.pattern = Pattern::of_text(character(settings, at + "/delimiter"));
      step.behavior = SplitBehavior::kRemoved;
    } else if (type == "Whitespace") {
      // The \w of this step has joiners, unlike the \w of other expressions.
      step.kind = Kind::kSplit;
      step.pattern = *Pattern::of_regex("[\\w\u200c\u200d]+|[^\\w\\s\u200c\u200d]+");
      step.behavior = SplitBehavior::kRemoved;
      step.inverted = true;
    } else if (type == "BertPreTokenizer") {
      result.push_back(step);
      step.kind = Kind::kPunctuation;
    } else if (type == "ByteLevel") {
      step.kind = Kind::kByteLevel;
      step.add_prefix_space = settings.flag(at + "/add_prefix_space", true);
      step.use_regex = settings.flag(at + "/use_regex", true);
    } else if (type != "WhitespaceSplit") {
      settings.refuse(at + "/type",
                      "\"ByteLevel\", \"Split\", \"Metaspace\", \"WhitespaceSplit\", \"Whitespace\", \"Punctuation\", "
                      "\"Digits\", \"CharDelimiterSplit\", \"BertPreTokenizer\" or \"Sequence\"");
    }
    result.push_back(std::move(step));
  });
  return result;
}

std::vector<DecoderStep> read_decoder_steps(const JsonSettings& settings, const std::string& path) {
  using Kind = DecoderStep::Kind;
  constexpr size_t kMostGrowth = 4096;
  std::vector<DecoderStep> result;
  size_t count = 0, growth = 1;
  for_steps(settings, path, "decoders", count, [&](const std::string& type, const std::string& at) {
    DecoderStep step = {Kind::kFuse};
    if (type == "WordPiece") {
      step.kind = Kind::kWordPiece;
      step.text = settings.has(at + "/prefix") ? settings.text(at + "/prefix") : "##";
      step.cleans_up = settings.flag(at + "/cleanup", true);
    } else if (type == "ByteLevel") {
      step.kind = Kind::kByteLevel;
    } else if (type == "Metaspace") {
      PrependScheme scheme = PrependScheme::kAlways;
      bool split = true;
      step.kind = Kind::kMetaspace;
      read_metaspace(settings, at, step.text, scheme, split);
      step.prepends = scheme != PrependScheme::kNever;
    } else if (type == "BPEDecoder") {
      step.kind = Kind::kEndOfWord;
      step.text = settings.has(at + "/suffix") ? settings.text(at + "/suffix") : "</w>";
    } else if (type == "ByteFallback") {
      step.kind = Kind::kByteFallback;
    } else if (type == "Strip") {
      step.kind = Kind::kStrip;
      step.text = character(settings, at + "/content");
      step.start = settings.size(at + "/start", 0);
      step.stop = settings.size(at + "/stop", 0);
    } else if (type == "Replace") {
      step.kind = Kind::kReplace;
      step.pattern = read_pattern(settings, at + "/pattern");
      step.text = short_text(settings, at + "/content");
      growth = std::min(growth, kMostGrowth) * std::max<size_t>(1, step.text.size());
      if (growth > kMostGrowth) settings.refuse(at + "/content", "shorter: it would make texts too long");
    } else if (type != "Fuse") {
      settings.refuse(at + "/type",
                      "\"WordPiece\", \"ByteLevel\", \"Metaspace\", \"BPEDecoder\", \"ByteFallback\", \"Fuse\", "
                      "\"Strip\", \"Replace\" or \"Sequence\"");
    }
    result.push_back(std::move(step));
  });
  return result;
}

}  // namespace lffn
