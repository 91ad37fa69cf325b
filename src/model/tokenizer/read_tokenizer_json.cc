// tokenizer.json of Hugging Face's tokenizers library, as far as it describes a tokenizer like RoBERTa's.
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "format/json.h"
#include "format/utf8.h"
#include "model/tokenizer/vocabulary.h"
#include "runtime/error.h"

namespace lffn {
namespace {

using Kind = JsonScalar::Kind;

constexpr char kWhere[] = "tokenizer.json";
constexpr char kMergesPath[] = "/model/merges";
constexpr size_t kMaxDepth = 16;
constexpr size_t kMaxSettings = 4096;  // values besides vocabulary and merges; usually there are about 100

// A value under its path, such as "/added_tokens/0/content"; without a scalar it is an object or an array.
using Settings = std::map<std::string, std::optional<JsonScalar>, std::less<>>;

[[noreturn]] void refuse(const std::string& path, const char* wanted) {
  fail(LFFN_ERROR_BAD_MODEL, "%s: %s must be %s", kWhere, in_quotes(path).c_str(), wanted);
}

// Takes the vocabulary and the merges as they come, and keeps what else there is.
class Reader : public JsonEvents {
 public:
  Reader(VocabularyText& to, Settings& settings) : to_(to), settings_(settings) {}

  void begin_object() override { begin(false); }
  void end_object() override { levels_.pop_back(); }
  void begin_array() override { begin(true); }
  void end_array() override {
    levels_.pop_back();
    if (levels_.empty() || levels_.back().path != kMergesPath) return;
    if (pair_.size() != 2) refuse(kMergesPath, "an array of pairs");
    to_.merges.emplace_back(std::move(pair_[0]), std::move(pair_[1]));
    pair_.clear();
  }
  void key(std::string& name) override { levels_.back().key = std::move(name); }
  void scalar(JsonScalar&& value) override {
    if (levels_.empty()) return;
    Level& level = levels_.back();
    if (level.path == "/model/vocab" && !level.is_array) {
      add_token(to_, std::move(level.key), value, kWhere);
    } else if (level.path == kMergesPath) {
      if (value.kind != Kind::kString) refuse(kMergesPath, "an array of pairs");
      add_merge(to_, value.text, kWhere);
    } else if (in_pair()) {
      if (value.kind != Kind::kString) refuse(kMergesPath, "an array of pairs of strings");
      pair_.push_back(std::move(value.text));
    } else {
      keep(next_path(), std::move(value));
    }
  }
  std::string where() const override { return kWhere; }

 private:
  struct Level {
    std::string path;
    bool is_array;
    std::string key;
    size_t next_place;
  };

  bool in_pair() const { return levels_.size() > 1 && levels_[levels_.size() - 2].path == kMergesPath; }
  std::string next_path() {
    if (levels_.empty()) return "";
    Level& level = levels_.back();
    return level.path + '/' + (level.is_array ? std::to_string(level.next_place++) : level.key);
  }
  void begin(bool is_array) {
    const bool is_pair = !levels_.empty() && levels_.back().path == kMergesPath;
    if ((is_pair && !is_array) || in_pair()) refuse(kMergesPath, "an array of pairs");
    std::string path = next_path();
    if (!is_pair) keep(path, std::nullopt);
    levels_.push_back({std::move(path), is_array, "", 0});
  }
  void keep(std::string path, std::optional<JsonScalar>&& value) {
    if (settings_.size() == kMaxSettings) {
      fail(LFFN_ERROR_BAD_MODEL, "%s: more than %zu values besides vocabulary and merges", kWhere, kMaxSettings);
    }
    settings_.emplace(std::move(path), std::move(value));
  }

  VocabularyText& to_;
  Settings& settings_;
  std::vector<Level> levels_;
  std::vector<std::string> pair_;
};

// The settings by their path. What is missing is null.
class Checked {
 public:
  explicit Checked(const Settings& settings) : settings_(settings) {}

  bool has(const std::string& path) const {
    const auto found = settings_.find(path);
    return found != settings_.end() && !(found->second.has_value() && found->second->kind == Kind::kNull);
  }
  std::string text(const std::string& path) const {
    const JsonScalar* value = scalar(path);
    return value != nullptr && value->kind == Kind::kString ? value->text : "";
  }
  void want_text(const std::string& path, const char* wanted) const {
    if (text(path) != wanted) refuse(path, (std::string("\"") + wanted + '"').c_str());
  }
  void want_empty(const std::string& path) const {
    const JsonScalar* value = scalar(path);
    const bool is_empty = value != nullptr && value->kind == Kind::kString && value->text.empty();
    if (has(path) && !is_empty) refuse(path, "null or \"\"; nothing else is known here");
  }
  bool flag(const std::string& path, bool otherwise) const {
    if (!has(path)) return otherwise;
    const JsonScalar* value = scalar(path);
    if (value == nullptr || value->kind != Kind::kBoolean) refuse(path, "true or false");
    return value->boolean;
  }
  void want_flag(const std::string& path, bool wanted, bool otherwise) const {
    if (flag(path, otherwise) != wanted) {
      refuse(path, wanted ? "true; nothing else is known here" : "false; nothing else is known here");
    }
  }
  int32_t id(const std::string& path) const {
    const JsonScalar* value = scalar(path);
    if (value == nullptr || value->kind != Kind::kUnsigned || value->integer > kMaxTokenId) {
      refuse(path, ("a whole number from 0 to " + std::to_string(kMaxTokenId)).c_str());
    }
    return static_cast<int32_t>(value->integer);
  }

 private:
  const JsonScalar* scalar(const std::string& path) const {
    const auto found = settings_.find(path);
    return found != settings_.end() && found->second.has_value() ? &*found->second : nullptr;
  }

  const Settings& settings_;
};

void check_model(const Checked& settings) {
  if (!settings.has("/model/vocab") || !settings.has(kMergesPath)) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: '/model/vocab' or '%s' is missing", kWhere, kMergesPath);
  }
  if (settings.has("/model/type")) settings.want_text("/model/type", "BPE");
  if (settings.has("/model/unk_token")) settings.want_text("/model/unk_token", "<unk>");
  settings.want_empty("/model/dropout");
  settings.want_empty("/model/continuing_subword_prefix");
  settings.want_empty("/model/end_of_word_suffix");
  settings.want_flag("/model/fuse_unk", false, false);
  settings.want_flag("/model/byte_fallback", false, false);
  settings.want_flag("/model/ignore_merges", false, false);
}

void check_pipeline(const Checked& settings) {
  if (settings.has("/normalizer")) refuse("/normalizer", "null; nothing else is known here");
  settings.want_text("/pre_tokenizer/type", "ByteLevel");
  settings.want_flag("/pre_tokenizer/add_prefix_space", false, true);
  settings.want_flag("/pre_tokenizer/use_regex", true, true);
  if (!settings.has("/post_processor")) return;
  const std::string type = settings.text("/post_processor/type");
  if (type == "RobertaProcessing") {
    settings.want_text("/post_processor/cls/0", "<s>");
    settings.want_text("/post_processor/sep/0", "</s>");
  } else if (type == "TemplateProcessing") {
    settings.want_text("/post_processor/single/0/SpecialToken/id", "<s>");
    settings.want_text("/post_processor/single/1/Sequence/id", "A");
    settings.want_text("/post_processor/single/2/SpecialToken/id", "</s>");
    if (settings.has("/post_processor/single/3")) refuse("/post_processor/single", "<s>, the text and </s>");
  } else if (type != "ByteLevel") {
    refuse("/post_processor/type", "\"RobertaProcessing\", \"TemplateProcessing\" or \"ByteLevel\"");
  }
}

std::vector<SpecialToken> read_special(const Checked& settings) {
  std::vector<SpecialToken> result;
  for (;;) {
    const std::string path = "/added_tokens/" + std::to_string(result.size());
    if (!settings.has(path)) return result;
    if (result.size() == kMaxSpecialTokens) {
      fail(LFFN_ERROR_BAD_MODEL, "%s: more than %zu added tokens", kWhere, kMaxSpecialTokens);
    }
    settings.want_flag(path + "/single_word", false, false);
    SpecialToken token;
    token.content = settings.text(path + "/content");
    if (token.content.empty()) refuse(path + "/content", "a text that is not empty");
    token.id = settings.id(path + "/id");
    token.strip_left = settings.flag(path + "/lstrip", false);
    token.strip_right = settings.flag(path + "/rstrip", false);
    token.skipped = settings.flag(path + "/special", true);
    result.push_back(std::move(token));
  }
}

}  // namespace

VocabularyText read_tokenizer_json(std::string_view text) {
  check_vocabulary_size(text.size(), kWhere);
  VocabularyText result;
  Settings settings;
  Reader reader(result, settings);
  parse_json(text, 0, kMaxDepth, reader);
  const Checked checked(settings);
  check_model(checked);
  check_pipeline(checked);
  result.special = read_special(checked);
  return result;
}

}  // namespace lffn
