// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "tokenizer/description.h"
#include "tokenizer/json_settings.h"

namespace lffn {
namespace {

constexpr char kAddedTokens[] = "/added_tokens_decoder";

// A token is a text, or an object with its text as "content".
std::string token_at(const JsonSettings& settings, const std::string& path) {
  const std::string content = path + "/content";
  return settings.has(content) ? settings.text(content) : settings.text(path);
}

void read_roles(const JsonSettings& settings, TokenizerDescription& to) {
  for (TokenizerDescription::Role& role : to.roles) {
    std::string token = token_at(settings, std::string("/") + role.name);
    if (!token.empty()) role.token = std::move(token);
  }
}

void read_added_tokens(const JsonSettings& settings, TokenizerDescription& to) {
  const std::string all = kAddedTokens;
  std::vector<std::pair<int32_t, std::string>> ids;
  for (const std::string& key : settings.keys(all)) {
    const bool is_number = !key.empty() && key.size() < 9 && key.find_first_not_of("0123456789") == std::string::npos;
    if (!is_number || std::stoi(key) > kMaxTokenId) settings.refuse(all, "an object whose keys are ids");
    ids.emplace_back(std::stoi(key), key);
  }
  std::sort(ids.begin(), ids.end());
  for (const auto& [id, key] : ids) {
    std::string path = all;
    path.append(1, '/').append(key);
    AddedToken token;
    token.id = id;
    token.content = settings.text(path + "/content");
    if (token.content.empty()) settings.refuse(path + "/content", "a text that is not empty");
    token.single_word = settings.flag(path + "/single_word", false);
    token.strip_left = settings.flag(path + "/lstrip", false);
    token.strip_right = settings.flag(path + "/rstrip", false);
    token.special = settings.flag(path + "/special", false);
    token.normalized = settings.flag(path + "/normalized", !token.special);
    const auto plays = [&](const TokenizerDescription::Role& role) { return role.token == token.content; };
    token.special = token.special || std::any_of(to.roles.begin(), to.roles.end(), plays);
    add_token(to, std::move(token));
  }
}

// The class may be one that knows nothing of a normaliser or of trimming.
bool is_plain_class(const JsonSettings& settings) {
  const std::string name = settings.text("/tokenizer_class");
  return name == "PreTrainedTokenizerFast" || name == "PreTrainedTokenizer" || name == "TokenizersBackend";
}

void apply_kind_settings(const JsonSettings& settings, TokenizerDescription& to) {
  if (to.kind == TokenizerKind::kUnigram) return;
  const bool is_plain = is_plain_class(settings);
  if (to.kind == TokenizerKind::kWordPiece) {
    if (is_plain || !to.normalizer) return;
    to.normalizer->lowercase = settings.flag("/do_lower_case", true);
    to.normalizer->separate_chinese = settings.flag("/tokenize_chinese_chars", true);
    to.strip_accents = settings.optional_flag("/strip_accents");
    return;
  }
  const bool prefix = settings.flag("/add_prefix_space", false);
  if (to.byte_level() != nullptr) to.byte_level()->add_prefix_space = prefix;
  PostProcessing& post = to.post_processing;
  if (is_plain || !post.is_roberta) return;
  post.trims_spans = settings.flag("/trim_offsets", true);
  post.trims_after_prefix = prefix;
}

}  // namespace

bool apply_tokenizer_config(std::string_view text, TokenizerDescription& to) {
  const JsonSettings settings = read_json_settings(text, "tokenizer_config.json");
  read_roles(settings, to);
  apply_kind_settings(settings, to);
  read_added_tokens(settings, to);
  const size_t truncation = std::exchange(to.max_length, 0);
  to.limit_length(settings.size("/model_max_length", 0));
  if (to.max_length == 0) to.max_length = truncation;  // counts only where there is no other limit
  to.cleans_up_decoded = settings.flag("/clean_up_tokenization_spaces", false);
  if (settings.has("/truncation_side")) to.truncates_left = settings.text("/truncation_side") == "left";
  return settings.has(kAddedTokens);
}

void apply_special_tokens_map(std::string_view text, TokenizerDescription& to) {
  read_roles(read_json_settings(text, "special_tokens_map.json"), to);
}

}  // namespace lffn
