// SPDX-License-Identifier: Apache-2.0
// Chat templates of a few KB that would take without end, or fill the memory, if not each step were counted.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/error.h"
#include "tests/growth/counted_memory.h"
#include "texts/chat_template.h"

namespace {

using lffn::ChatMessage;
using lffn::ChatTemplate;

const std::vector<ChatMessage> kMessages = {{"query", "what is a fox?"}, {"document", "The fox jumps."}};

struct Outcome {
  lffn_status status = LFFN_OK;
  std::string message;
};

Outcome outcome_of(const std::string& source, const int32_t* cancel = nullptr) {
  try {
    ChatTemplate(source).render(kMessages, cancel);
  } catch (const lffn::Error& error) {
    return {error.status(), error.what()};
  }
  return {};
}

// Eight lists that are one, in eight that are one, and so on.
std::string nested(const std::string& name, const std::string& inner, int depth) {
  std::string source = "{% set " + name + " = " + inner + " %}";
  for (int i = 0; i < depth; ++i) {
    source += "{% set " + name + " = [" + name;
    for (int j = 1; j < 8; ++j) source += "," + name;
    source += "] %}";
  }
  return source;
}

TEST(TemplateGrowth, CountsWhatItLooksAtInNestedLists) {
  const std::string both = nested("a", "['x']", 20) + nested("b", "['x']", 20);
  for (const char* use : {"{{ a == b }}", "{{ a != b }}", "{{ a in [b] }}", "{{ a | tojson }}", "{{ [a] is in [[b]] }}",
                          "{{ {'a': a} == {'a': b} }}", "{{ [a] | select('eq', b) | list | length }}",
                          "{{ [{'a': a}] | selectattr('a', 'eq', b) | list | length }}", "{{ a is eq b }}"}) {
    const Outcome outcome = outcome_of(both + use);
    EXPECT_EQ(outcome.status, LFFN_ERROR_INVALID_ARGUMENT) << use;
    EXPECT_NE(outcome.message.find("it takes too long"), std::string::npos) << use << ": " << outcome.message;
  }
  // As in Python, texts begin with one of several texts, not of lists of them.
  for (const char* use : {"{{ 'xy'.startswith(a) }}", "{{ 'xy'.endswith(a) }}"}) {
    const Outcome outcome = outcome_of(nested("a", "['x']", 5) + use);
    EXPECT_EQ(outcome.status, LFFN_ERROR_UNSUPPORTED) << use;
  }
  EXPECT_EQ(outcome_of("{% if not 'xy'.startswith(('a', 'x')) %}{{ raise_exception('') }}{% endif %}").status, LFFN_OK);
}

TEST(TemplateGrowth, StopsInNestedListsWhenCancelled) {
  const std::string both = nested("a", "['x']", 20) + nested("b", "['x']", 20);
  const int32_t cancel = 1;
  for (const char* use : {"{{ a == b }}", "{{ a | tojson }}", "{{ 'x'.startswith(a) }}"}) {
    EXPECT_EQ(outcome_of(both + use, &cancel).status, LFFN_ERROR_CANCELLED) << use;
  }
  EXPECT_THROW(ChatTemplate("{{ 1 }}", &cancel), lffn::Error);
}

// Memory is at most this many times the template's bytes, beside the budget's least.
void expect_little_memory(const std::string& source) {
  constexpr size_t kTimes = 512, kLeast = size_t{4} << 20;
  const size_t peak = counted_memory::peak_of([&] { outcome_of(source); });
  EXPECT_LE(peak, kLeast + kTimes * source.size()) << source.substr(0, 60) << "... of " << source.size() << " bytes";
}

TEST(TemplateGrowth, NoValueCopiesALongName) {
  const std::string name(40000, 'n');
  const auto many = [](const std::string& one) {
    std::string list = "{% set l = [" + one;
    for (int i = 0; i < 4000; ++i) list += "," + one;
    return list + "] %}";
  };
  expect_little_memory("{% set s = '" + name + "' %}{% set m = {'a': 1} %}" + many("m[s]"));
  expect_little_memory("{% set s = '" + name + "' %}{% set m = [1] %}" + many("m[s]"));
  expect_little_memory("{% set m = 'x' %}{% set l = range(7000) | map(attribute='" + name + "') | list %}");
  expect_little_memory("{% set l = [] %}{% for i in range(4000) %}{% set x = " + name + " %}{% endfor %}");
}

TEST(TemplateGrowth, NamesOfMembersCount) {
  const std::string name(60000, 'n');
  std::string source = "{% set a = {'" + name + "': 1} %}";
  for (int i = 0; i < 5; ++i) source += "{% set a = [a, a, a, a] %}";
  expect_little_memory(source + "{{ a | tojson }}");
}

TEST(TemplateGrowth, RefusesLongTemplatesWhereverTheyComeFrom) {
  const std::string start = "{{ messages[0].content }}";
  const std::string longest = start + std::string((size_t{1} << 20) - start.size(), 'x');
  EXPECT_EQ(outcome_of(longest).status, LFFN_OK);
  const Outcome outcome = outcome_of(longest + "x");
  EXPECT_EQ(outcome.status, LFFN_ERROR_BAD_MODEL);
  EXPECT_EQ(outcome.message, "chat template: 1048577 bytes, more than the 1048576 allowed");
}

}  // namespace
