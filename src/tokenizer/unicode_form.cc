// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/unicode_form.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "format/utf8.h"
#include "runtime/cancel_flag.h"
#include "tokenizer/unicode.h"

namespace lffn {
namespace {

// A character of the new text, and how many of the old one it stands for.
struct Part {
  uint32_t code_point;
  uint8_t order;
  size_t taken;
};

// Puts together what was taken apart.
class Composer {
 public:
  explicit Composer(Rewriter& to) : to_(to) {}

  void add(const Part& part) {
    if (!base_) {
      if (part.order != 0) return put(part);
      base_ = part;
      return;
    }
    // A mark that stays may stand between the base and what follows.
    const bool is_blocked = !waiting_.empty() && waiting_.back().order >= part.order;
    const uint32_t whole = is_blocked ? 0 : compose(base_->code_point, part.code_point);
    if (whole != 0) {
      // As the reference counts: two characters that became one stand for both.
      base_->code_point = whole;
      base_->taken += part.taken;
      return;
    }
    if (part.order != 0) return waiting_.push_back(part);
    finish();
    base_ = part;
  }

  void finish() {
    if (base_) put(*base_);
    base_.reset();
    for (const Part& part : waiting_) put(part);
    waiting_.clear();
  }

 private:
  void put(const Part& part) { to_.put(part.code_point, part.taken); }

  Rewriter& to_;
  std::optional<Part> base_;
  std::vector<Part> waiting_;
};

// Takes characters apart and sorts the marks behind each.
class Decomposer {
 public:
  Decomposer(UnicodeForm form, Rewriter& to)
      : compatibly_(form == UnicodeForm::kKc || form == UnicodeForm::kKd),
        composes_(form == UnicodeForm::kC || form == UnicodeForm::kKc),
        to_(to),
        composer_(to) {}

  void add(uint32_t code_point) {
    size_t taken = 1;
    const auto add_part = [&](uint32_t part) {
      add_sorted({part, unicode_record(part).order, taken});
      taken = 0;
    };
    if (compatibly_ && unicode_record(code_point).is_compatible()) {
      const std::string_view parts = decompose_compatibly(code_point);
      for (size_t at = 0; at < parts.size();) add_part(next_character(parts, at));
      return;
    }
    const CodePoints parts = decompose(code_point);
    for (size_t i = 0; i < parts.size; ++i) add_part(parts.values[i]);
  }

  void finish() {
    flush();
    composer_.finish();
  }

 private:
  void add_sorted(const Part& part) {
    if (part.order != 0) return marks_.push_back(part);
    flush();
    put(part);
  }
  void flush() {
    if (marks_.empty()) return;
    std::stable_sort(marks_.begin(), marks_.end(), [](const Part& a, const Part& b) { return a.order < b.order; });
    for (const Part& mark : marks_) put(mark);
    marks_.clear();
  }
  void put(const Part& part) {
    if (composes_) {
      composer_.add(part);
    } else {
      to_.put(part.code_point, part.taken);
    }
  }

  bool compatibly_, composes_;
  Rewriter& to_;
  Composer composer_;
  std::vector<Part> marks_;
};

}  // namespace

bool bring_into_form(const AlignedText& text, UnicodeForm form, AlignedText& to, const int32_t* cancel) {
  const std::string_view all = text.text();
  const auto is_ascii = [](char byte) { return static_cast<unsigned char>(byte) < 128; };
  if (std::all_of(all.begin(), all.end(), is_ascii)) return false;
  Rewriter rewriter(text, to);
  Decomposer decomposer(form, rewriter);
  for (size_t at = 0; at < all.size();) {
    poll(cancel);
    decomposer.add(next_character(all, at));
  }
  decomposer.finish();
  return true;
}

}  // namespace lffn
