// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/post_processor.h"

#include <algorithm>

#include "runtime/error.h"

namespace lffn {

size_t count_special(const Template& parts) {
  const auto is_special = [](const TemplatePart& part) { return part.kind == TemplatePart::Kind::kSpecial; };
  return static_cast<size_t>(std::count_if(parts.begin(), parts.end(), is_special));
}

Kept cut_longest_first(size_t first, size_t second, size_t most) {
  if (first <= most && second <= most - first) return {first, second};
  const size_t shorter = std::min(first, second);
  // The shorter one stays whole if cutting the other is enough; else each keeps half, and the longer one the odd token.
  const size_t keeps_short = shorter <= most / 2 ? shorter : most / 2;
  return first <= second ? Kept{keeps_short, most - keeps_short} : Kept{most - keeps_short, keeps_short};
}

void assemble(const PostProcessing& processing, const Sequence& first, const Sequence* second, bool special,
              bool want_spans, const Cutting& cutting, Encoding& to) {
  const Template& parts = second != nullptr ? processing.pair : processing.single;
  const size_t num_special = special ? count_special(parts) : 0;
  const size_t second_size = second != nullptr ? second->ids.size() : 0;
  to.num_tokens = num_special + first.ids.size() + second_size;
  if (cutting.most < num_special) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "at most %zu tokens are wanted, but the special ones alone are %zu", cutting.most,
         num_special);
  }
  const size_t room = cutting.most - num_special;
  if (cutting.first_only && !first.ids.empty() && second_size >= room) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "the second text leaves no room for the first one in %zu tokens", cutting.most);
  }
  const Kept kept = cutting.first_only ? Kept{std::min(first.ids.size(), room - second_size), second_size}
                                       : cut_longest_first(first.ids.size(), second_size, room);

  to.cut[0] = kept.first < first.ids.size();
  to.cut[1] = kept.second < second_size;
  to.ids.clear();
  to.types.clear();
  to.spans.clear();
  to.words.clear();
  to.texts.clear();
  for (const TemplatePart& part : parts) {
    if (part.kind == TemplatePart::Kind::kSpecial) {
      if (!special) continue;
      to.ids.push_back(part.id);
      if (want_spans) {
        to.spans.push_back({0, 0});
        to.words.push_back(-1);
        to.texts.push_back(-1);
      }
    } else {
      const bool is_second = part.kind == TemplatePart::Kind::kSecond;
      const Sequence& from = is_second ? *second : first;
      const size_t count = is_second ? kept.second : kept.first;
      const size_t begin = cutting.left ? from.ids.size() - count : 0;
      to.ids.insert(to.ids.end(), from.ids.data() + begin, from.ids.data() + begin + count);
      if (want_spans) {
        to.spans.insert(to.spans.end(), from.spans.data() + begin, from.spans.data() + begin + count);
        to.words.insert(to.words.end(), from.words.data() + begin, from.words.data() + begin + count);
        to.texts.resize(to.ids.size(), is_second ? int8_t{1} : int8_t{0});
      }
    }
    to.types.resize(to.ids.size(), part.type);
  }
}

}  // namespace lffn
