// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "runtime/cancel_flag.h"
#include "runtime/seeded_hash.h"
#include "tokenizer/description.h"
#include "tokenizer/json_settings.h"
#include "tokenizer/tokenizer_family.h"

namespace lffn {
namespace {

constexpr char kAddedTokens[] = "/added_tokens_decoder";

// A token is a text, or an object with its text as "content".
std::string token_at(const JsonSettings& settings, const std::string& path) {
  const std::string content = path + "/content";
  return settings.has(content) ? settings.text(content) : settings.text(path);
}

// A token's flags; a text has none.
void read_flags(const JsonSettings& settings, const std::string& path, AddedToken& token) {
  token.single_word = settings.flag(path + "/single_word", false);
  token.strip_left = settings.flag(path + "/lstrip", false);
  token.strip_right = settings.flag(path + "/rstrip", false);
  token.normalized = settings.flag(path + "/normalized", !token.special);
}

void name_token(const JsonSettings& settings, const std::string& path, TokenizerDescription& to) {
  AddedToken token;
  token.content = token_at(settings, path);
  read_flags(settings, path, token);
  if (!token.content.empty()) to.named.push_back(std::move(token));
}

void read_roles(const JsonSettings& settings, TokenizerDescription& to) {
  for (TokenizerDescription::Role& role : to.roles) {
    const std::string path = std::string("/") + role.name;
    if (!settings.is_said(path)) continue;
    role.is_said = true;
    role.token = token_at(settings, path);
    if (settings.has(path + "/content")) name_token(settings, path, to);
  }
  for (const char* others : {"/additional_special_tokens", "/extra_special_tokens"}) {
    for (const std::string& key : settings.keys(others)) name_token(settings, others + ('/' + key), to);
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
    poll(to.cancel);
    std::string path = all;
    path.append(1, '/').append(key);
    AddedToken token;
    token.id = id;
    token.content = settings.text(path + "/content");
    if (token.content.empty()) settings.refuse(path + "/content", "a text that is not empty");
    token.special = settings.flag(path + "/special", false);
    read_flags(settings, path, token);
    const auto plays = [&](const TokenizerDescription::Role& role) { return role.token == token.content; };
    token.special = token.special || std::any_of(to.roles.begin(), to.roles.end(), plays);
    add_token(to, std::move(token));
  }
}

void apply_kind_settings(const JsonSettings& settings, TokenizerDescription& to) {
  if (to.kind == TokenizerKind::kUnigram) return;
  // A plain class knows nothing of a normaliser or of trimming.
  const bool is_plain = is_plain_class(settings.text("/tokenizer_class"));
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

void apply_tokenizer_config(const JsonSettings& settings, TokenizerDescription& to) {
  read_roles(settings, to);
  apply_kind_settings(settings, to);
  read_added_tokens(settings, to);
  const size_t truncation = std::exchange(to.max_length, 0);
  to.limit_length(settings.size("/model_max_length", 0));
  if (to.max_length == 0) to.max_length = truncation;  // it counts only where there is no other limit
  to.cleans_up_decoded = settings.flag("/clean_up_tokenization_spaces", false);
  if (settings.has("/truncation_side")) to.truncates_left = settings.text("/truncation_side") == "left";
}

}  // namespace

void apply_config_files(const TokenizerFiles& files, const JsonSettings& tokenizer_config, TokenizerDescription& to) {
  if (files.tokenizer_config) apply_tokenizer_config(tokenizer_config, to);
  if (!files.special_tokens_map || tokenizer_config.has(kAddedTokens)) return;
  read_roles(read_json_settings(*files.special_tokens_map, "special_tokens_map.json", files.cancel), to);
}

void add_special_tokens(TokenizerDescription& to, bool mask_strips_left) {
  std::vector<AddedToken> wanted;
  for (const TokenizerDescription::Role& role : to.roles) {
    AddedToken token;
    token.content = role.token;
    token.strip_left = mask_strips_left && std::string_view(role.name) == "mask_token";
    wanted.push_back(std::move(token));
  }
  // A token that is named with flags takes the place of one without; the last one counts.
  std::unordered_map<std::string_view, const AddedToken*, SeededHash> flags;
  for (const AddedToken& token : to.named) flags[token.content] = &token;
  for (AddedToken& token : wanted) {
    if (const auto found = flags.find(token.content); found != flags.end()) token = *found->second;
  }
  wanted.insert(wanted.end(), to.named.begin(), to.named.end());
  std::unordered_map<std::string, int32_t, SeededHash> ids;
  for (const AddedToken& token : wanted) ids.emplace(token.content, -1);
  for (const auto& [token, id] : to.tokens) {
    if (const auto found = ids.find(token); found != ids.end()) found->second = id;
  }
  for (AddedToken& token : wanted) {
    if (token.content.empty() || to.place_of_added.count(token.content) != 0) continue;
    token.id = ids.at(token.content);
    if (token.id >= 0) add_token(to, std::move(token));
  }
}

}  // namespace lffn
