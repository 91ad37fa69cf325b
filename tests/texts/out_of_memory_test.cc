// SPDX-License-Identifier: Apache-2.0
// Makes each allocation of a chat template fail in turn.
#include "tests/format/out_of_memory.h"

#include "runtime/error.h"
#include "texts/chat_template.h"

namespace lffn {
namespace {

// Statements, expressions, lists, maps and texts.
TEST(ChatTemplateOutOfMemory, ParsesAndRenders) {
  const std::string source =
      "{% set ns = namespace(found='') %}{% for m in messages if m.role != 'system' %}{% if loop.first %}{% set "
      "ns.found "
      "= m['content'] | trim %}{% endif %}<|{{ m.role }}|>{{ m.content.split('</think>')[-1] }}{% endfor %}"
      "{{ ns.found ~ (messages | selectattr('role', 'eq', 'document') | map(attribute='content') | first) }}"
      "{% for k, v in {'a': [1, 2], 'b': 'x'}.items() %}{{ k }}{{ v[0] }}{% endfor %}";
  const std::vector<ChatMessage> messages = {
      {"system", "Be kind, and say whether the document answers the query."},
      {"query", " What is the sun, which shines upon us all? "},
      {"document", "The sun, so I think</think>, is a star that is near to us."}};
  for (int failures = 0;; ++failures) {
    const Balance before;
    bool done = false;
    {
      left = failures;
      refused = 0;
      try {
        ChatTemplate chat(source);
        chat.define("bos_token", TemplateValue::text("<s>"));
        done = !chat.render(messages).empty();
      } catch (const std::bad_alloc&) {
      } catch (const Error& error) {
        left = INT64_MAX;
        FAIL() << error.what();
      }
      left = INT64_MAX;
    }
    EXPECT_TRUE(before == Balance()) << "something is left after " << failures << " allocations";
    EXPECT_EQ(refused == 0, done) << "an allocation failed unnoticed, after " << failures;
    if (done || HasFailure()) {
      EXPECT_GT(failures, 100);
      break;
    }
  }
}

}  // namespace
}  // namespace lffn
