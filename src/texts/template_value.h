// SPDX-License-Identifier: Apache-2.0
// What a chat template computes with: Python's values, as far as such templates need them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lffn {

class TemplateMembers;

class TemplateValue {
 public:
  enum class Kind { kUndefined, kNone, kBoolean, kInteger, kText, kList, kMap, kNamespace };
  using List = std::vector<TemplateValue>;
  using Map = std::vector<std::pair<std::string, TemplateValue>>;  // the last of equal names counts

  TemplateValue() = default;
  // Of a long name it keeps as much as messages show, so that these values cost little, however many there are.
  static TemplateValue undefined(std::string_view name);
  static TemplateValue none();
  static TemplateValue boolean(bool value);
  static TemplateValue integer(int64_t value);
  static TemplateValue text(std::string value);
  // Lists and maps are never changed after they were made, and hold no namespaces, so nothing holds itself. Throws
  // Error(LFFN_ERROR_UNSUPPORTED) for a namespace inside, or lists in lists deeper than anybody needs.
  static TemplateValue list(List items);
  static TemplateValue map(Map items);
  static TemplateValue name_space(Map items);
  // A generator, as Python's filters return: true whatever is in it, and good for one use only.
  static TemplateValue stream(List items);

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool is_number() const { return kind_ == Kind::kInteger || kind_ == Kind::kBoolean; }
  bool is_true() const;
  bool is_stream() const { return stream_ != nullptr; }
  int64_t number() const { return number_; }
  const std::string& text() const { return *text_; }  // of a text, or the name of an undefined value
  const List& items() const { return *list_; }
  // Throws Error(LFFN_ERROR_UNSUPPORTED) for a stream that was used.
  void use() const;
  const TemplateMembers& members() const { return *map_; }
  // Sets a member of a namespace; all values that share the namespace see it.
  void set_member(std::string_view name, TemplateValue value) const;

  const char* kind_name() const;

 private:
  void hold(const TemplateValue& value);

  Kind kind_ = Kind::kUndefined;
  int32_t depth_ = 0;
  int64_t number_ = 0;
  std::shared_ptr<const std::string> text_;
  std::shared_ptr<const List> list_;
  std::shared_ptr<TemplateMembers> map_;
  std::shared_ptr<bool> stream_;  // whether it was used
};

}  // namespace lffn
