#include <algorithm>
#include <string>

#include "format/json.h"
#include "model/tokenizer/vocabulary.h"

namespace lffn {
namespace {

void append_special(std::string& out, const SpecialToken& token) {
  const auto flag = [&](const char* name, bool value) {
    out += ", \"";
    out += name;
    out += value ? "\": true" : "\": false";
  };
  out += "{\"id\": " + std::to_string(token.id) + ", \"content\": ";
  append_json_string(out, token.content);
  flag("single_word", false);
  flag("lstrip", token.strip_left);
  flag("rstrip", token.strip_right);
  flag("normalized", false);
  flag("special", token.skipped);
  out += '}';
}

int32_t special_id(const VocabularyText& vocabulary, const char* content) {
  const auto has_content = [&](const SpecialToken& token) { return token.content == content; };
  const auto found = std::find_if(vocabulary.special.begin(), vocabulary.special.end(), has_content);
  return found->id;
}

}  // namespace

std::string write_tokenizer_json(const VocabularyText& vocabulary) {
  std::string out = "{\"version\": \"1.0\", \"truncation\": null, \"padding\": null,\n\"added_tokens\": [";
  std::vector<SpecialToken> special = vocabulary.special;
  std::sort(special.begin(), special.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  const char* separator = "\n";
  for (const SpecialToken& token : special) {
    out += separator;
    append_special(out, token);
    separator = ",\n";
  }
  out +=
      "],\n\"normalizer\": null,\n"
      "\"pre_tokenizer\": {\"type\": \"ByteLevel\", \"add_prefix_space\": false, \"trim_offsets\": true, "
      "\"use_regex\": true},\n"
      "\"post_processor\": {\"type\": \"RobertaProcessing\", \"sep\": [\"</s>\", ";
  out += std::to_string(special_id(vocabulary, "</s>")) + "], \"cls\": [\"<s>\", ";
  out += std::to_string(special_id(vocabulary, "<s>"));
  out +=
      "], \"trim_offsets\": true, \"add_prefix_space\": false},\n"
      "\"decoder\": {\"type\": \"ByteLevel\", \"add_prefix_space\": true, \"trim_offsets\": true, "
      "\"use_regex\": true},\n"
      "\"model\": {\"type\": \"BPE\", \"dropout\": null, \"unk_token\": \"<unk>\", \"continuing_subword_prefix\": "
      "\"\", "
      "\"end_of_word_suffix\": \"\", \"fuse_unk\": false, \"byte_fallback\": false,\n\"vocab\": {";
  separator = "";
  for (const auto& [token, id] : vocabulary.tokens) {
    out += separator;
    append_json_string(out, token);
    out += ": " + std::to_string(id);
    separator = ", ";
  }
  out += "},\n\"merges\": [";
  separator = "";
  for (const auto& [left, right] : vocabulary.merges) {
    out += separator;
    std::string pair = left;
    pair += ' ';
    pair += right;
    append_json_string(out, pair);
    separator = ", ";
  }
  out += "]}}\n";
  return out;
}

}  // namespace lffn
