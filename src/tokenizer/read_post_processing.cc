// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tokenizer/steps.h"

namespace lffn {
namespace {

constexpr size_t kMaxTemplate = 4096;  // tokens; more than any model can run, if small files name many

constexpr auto kSpecial = TemplatePart::Kind::kSpecial;
constexpr auto kFirst = TemplatePart::Kind::kFirst, kSecond = TemplatePart::Kind::kSecond;

class PostReader {
 public:
  PostReader(const JsonSettings& settings, bool is_byte_pairs, PostProcessing& to)
      : settings_(settings), is_byte_pairs_(is_byte_pairs), to_(to) {}

  void read(const std::string& path) {
    const std::string type = settings_.text(path + "/type");
    if (type == "Sequence") {
      for (size_t i = 0; settings_.has(path + "/processors/" + std::to_string(i)); ++i) {
        read(path + "/processors/" + std::to_string(i));
      }
    } else if (type == "TemplateProcessing") {
      want_first(path, has_template_);
      to_.single = read_template(path, "/single", false);
      to_.pair = read_template(path, "/pair", true);
    } else if (type == "BertProcessing" || type == "RobertaProcessing") {
      want_first(path, has_template_);
      read_fixed(path, type == "RobertaProcessing");
    } else if (type != "ByteLevel" || !is_byte_pairs_) {
      settings_.refuse(path + "/type",
                       std::string("\"TemplateProcessing\", \"BertProcessing\", \"RobertaProcessing\", ") +
                           (is_byte_pairs_ ? "\"ByteLevel\" " : "") + "or \"Sequence\"");
    }
    if (type == "ByteLevel" || type == "RobertaProcessing") read_trimming(path);
  }

 private:
  // The order of the two does not matter: spans are trimmed first, and special tokens have no blanks to trim.
  void want_first(const std::string& path, bool& was_there) {
    if (was_there) settings_.refuse(path, "the only one of its kind");
    was_there = true;
  }

  void read_trimming(const std::string& path) {
    want_first(path, to_.has_trimming);
    to_.trims_spans = settings_.flag(path + "/trim_offsets", true);
    to_.trims_after_prefix = settings_.flag(path + "/add_prefix_space", true);
  }

  void read_fixed(const std::string& path, bool is_roberta) {
    to_.is_roberta = is_roberta;
    const int32_t cls = settings_.id(path + "/cls/1"), sep = settings_.id(path + "/sep/1");
    to_.single = {{kSpecial, 0, cls}, {kFirst, 0, -1}, {kSpecial, 0, sep}};
    to_.pair = to_.single;
    const int32_t second = is_roberta ? 0 : 1;
    if (is_roberta) to_.pair.push_back({kSpecial, 0, sep});
    to_.pair.push_back({kSecond, second, -1});
    to_.pair.push_back({kSpecial, second, sep});
  }

  // The parts of one of the two templates.
  Template read_template(const std::string& processor, const char* name, bool is_pair) {
    const std::string path = processor + name;
    Template result;
    size_t firsts = 0, seconds = 0;
    const auto append = [&](const TemplatePart& part) {
      if (result.size() == kMaxTemplate) {
        settings_.refuse(path, "a template of at most " + std::to_string(kMaxTemplate) + " tokens");
      }
      result.push_back(part);
    };
    for (size_t i = 0; settings_.has(path + '/' + std::to_string(i)); ++i) {
      const std::string part = path + '/' + std::to_string(i);
      if (settings_.has(part + "/Sequence")) {
        const std::string id = settings_.text(part + "/Sequence/id");
        if (id != "A" && id != "B") settings_.refuse(part + "/Sequence/id", "\"A\" or \"B\"");
        ++(id == "A" ? firsts : seconds);
        append({id == "A" ? kFirst : kSecond, settings_.id(part + "/Sequence/type_id"), -1});
        continue;
      }
      const int32_t type = settings_.id(part + "/SpecialToken/type_id");
      const std::string ids = processor + "/special_tokens/" + settings_.text(part + "/SpecialToken/id") + "/ids/";
      if (!settings_.has(ids + '0')) settings_.refuse(part + "/SpecialToken/id", "one of the special tokens");
      for (size_t k = 0; settings_.has(ids + std::to_string(k)); ++k) {
        append({kSpecial, type, settings_.id(ids + std::to_string(k))});
      }
    }
    if (firsts != 1 || seconds != (is_pair ? 1 : 0)) {
      settings_.refuse(path, is_pair ? "a template with one A and one B" : "a template with one A and no B");
    }
    return result;
  }

  const JsonSettings& settings_;
  bool is_byte_pairs_;
  bool has_template_ = false;
  PostProcessing& to_;
};

}  // namespace

PostProcessing read_post_processing(const JsonSettings& settings, const std::string& path, bool is_byte_pairs) {
  PostProcessing result;
  if (settings.has(path)) PostReader(settings, is_byte_pairs, result).read(path);
  return result;
}

}  // namespace lffn
