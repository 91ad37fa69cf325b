// SPDX-License-Identifier: Apache-2.0
// Chat templates as Jinja renders them with transformers' settings, and what of them is refused. The expected texts are
// those that Jinja 3.1 gave.
#include "texts/chat_template.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/error.h"

namespace {

using lffn::ChatMessage;
using lffn::ChatTemplate;
using lffn::TemplateValue;

const std::vector<ChatMessage> kMessages = {
    {"system", "  Be kind.\n"}, {"query", "what is a f\u00f6x?"}, {"document", "The fox </think> jumps\n\n"}};

std::string render(const std::string& source) {
  ChatTemplate chat(source);
  chat.define("add_generation_prompt", TemplateValue::boolean(false));
  chat.define("bos_token", TemplateValue::text("<s>"));
  return chat.render(kMessages);
}

struct Failure {
  lffn_status status = LFFN_OK;
  std::string message;
};

Failure failure_of(const std::string& source) {
  try {
    render(source);
  } catch (const lffn::Error& error) {
    return {error.status(), error.what()};
  }
  return {};
}

TEST(ChatTemplate, TakesWhiteSpaceAsTransformersDo) {
  EXPECT_EQ(render("  {% if true %}x{% endif %}\n  {{ 1 }}  {% if true %}y{% endif %}\n\t{# c #}\n\tz"), "x  1  y\tz");
  EXPECT_EQ(render("a\r\nb\r{% if 1 %}\r\nc{% endif %}\n\n"), "a\nb\nc");
  EXPECT_EQ(render("a{%-if true-%} b {%-endif-%} c"), "abc");
  EXPECT_EQ(render("{%+ if true +%}\n a {%- endif %}  \n   {{ 'b' -}}\n\n c"), "\n a  \n   bc");
  EXPECT_EQ(render("{# a #}\n{#- b -#}\n c"), "c");
}

TEST(ChatTemplate, RunsStatements) {
  EXPECT_EQ(render("{% set ns = namespace(a=1, b='') %}{% for x in messages[::-1] %}{% set ns.a = ns.a + loop.index0 * "
                   "2 %}{% set ns.b = ns.b ~ x.role[0] %}{% if not loop.last %},{% endif %}{% else %}none{% endfor "
                   "%}{{ ns.a }}{{ ns.b }}"),
            ",,7dqs");
  EXPECT_EQ(render("{% for i in range(10) %}{% if i == 3 %}{% continue %}{% endif %}{% if i > 6 %}{% break %}{% endif "
                   "%}{{ i }}{% endfor %}"),
            "012456");
  EXPECT_EQ(render("{% set x = 1 %}{% for i in [1,2] %}{{ x }}{% set x = 2 %}{{ x }}{% endfor %}{{ x }}"), "12121");
  EXPECT_EQ(render("{% for k, v in {'a': 1, 'b': 'x'}.items() %}{{ k }}={{ v }};{% endfor %}"), "a=1;b=x;");
  EXPECT_EQ(render("{% for m in messages if m.role != 'system' %}{{ loop.index }}/{{ loop.length }} {% endfor %}"),
            "1/2 2/2 ");
  EXPECT_EQ(render("{% set x %}  cap {{ 1 }} {% endset %}[{{ x }}]"), "[  cap 1 ]");
  EXPECT_EQ(render("{% if false %}a{% elif messages is defined and not tools %}b{% else %}c{% endif %}"), "b");
  EXPECT_EQ(render("{% generation %}x{% endgeneration %}"), "x");
}

TEST(ChatTemplate, FindsThePairInTheWaysOfPublishedTemplates) {
  EXPECT_EQ(render("{{ messages | selectattr('role', 'eq', 'query') | map(attribute='content') | first }}"),
            "what is a f\u00f6x?");
  EXPECT_EQ(render("{{ (messages | selectattr('role', 'equalto', 'document') | first).content.split('</think>')[-1] | "
                   "trim }}"),
            "jumps");
  EXPECT_EQ(render("{% if messages[0]['role'] == 'system' %}{{ messages[0].content.strip() }}{% endif %}"), "Be kind.");
  EXPECT_EQ(render("{%- for m in messages -%}{{ '<|' + m.role + '|>' }}{%- endfor -%}"),
            "<|system|><|query|><|document|>");
  ChatTemplate structured("{{ messages[1].content[0].text }}|{{ messages[1].content[0]['type'] }}");
  structured.set_structured(true);
  EXPECT_EQ(structured.render(kMessages), "what is a f\u00f6x?|text");
}

TEST(ChatTemplate, KnowsPythonsValues) {
  EXPECT_EQ(
      render("{{ 'ab' * 2 }}{{ -3 // 2 }}{{ -3 % 5 }}{{ 1 < 2 < 3 }}{{ none }}{{ 1 if false }}{{ 5 ~ '5' + '6' }}"),
      "abab-22TrueNone556");
  EXPECT_EQ(
      render("{{ 'abcdef'[1:-1:2] }}{{ 'abc'[-2:] }}{{ '\u00e4\u00f6\u00fc'[1:] }}{{ '\u00e4\u00f6\u00fc'[::-1] }}"),
      "bdbc\u00f6\u00fc\u00fc\u00f6\u00e4");
  EXPECT_EQ(render("{{ ' a  b '.split() | join('-') }}{{ 'a-b'.rsplit('-', 1)[0] }}{{ 'xxaxx'.strip('x') }}"), "a-baa");
  EXPECT_EQ(render("{{ {'a': [1, '\u00e9\\n', none, true]} | tojson }}"), "{\"a\": [1, \"\u00e9\\n\", null, true]}");
  EXPECT_EQ(render("{{ zz | default('d') }}{{ zz is not defined }}{{ zz }}{{ 'x' in 'xyz' }}{{ 3 is in [3] }}"),
            "dTrueTrueTrue");
  EXPECT_EQ(render("{{ 'q\"\\u00e9\\x41\\101' }}{{ \"it's\" }}"), "q\"\u00e9AAit's");
}

TEST(ChatTemplate, RefusesByName) {
  const auto expect = [](const std::string& source, lffn_status status, const std::string& part) {
    const Failure failure = failure_of(source);
    EXPECT_EQ(failure.status, status) << source;
    EXPECT_NE(failure.message.find(part), std::string::npos) << failure.message;
  };
  expect("a\n{% macro f() %}{% endmacro %}", LFFN_ERROR_UNSUPPORTED, "line 2: the statement 'macro' is not supported");
  expect("{% if false %}{{ x | dictsort }}{% endif %}", LFFN_ERROR_UNSUPPORTED, "the filter 'dictsort'");
  expect("{{ x is sameas y }}", LFFN_ERROR_UNSUPPORTED, "the test 'sameas'");
  expect("{{ strftime_now('%Y') }}", LFFN_ERROR_UNSUPPORTED, "the function 'strftime_now'");
  expect("{{ x.format() }}", LFFN_ERROR_UNSUPPORTED, "the method 'format'");
  expect("{{ 1.5 }}", LFFN_ERROR_UNSUPPORTED, "numbers other than whole ones");
  expect("{{ messages }}", LFFN_ERROR_UNSUPPORTED, "to show a list");
  expect("{{ '\u00e9' | upper }}", LFFN_ERROR_UNSUPPORTED, "others than ASCII");
  expect("{% if 1 %}", LFFN_ERROR_BAD_MODEL, "expected endif");
  expect("{{ 1 ", LFFN_ERROR_BAD_MODEL, "not closed");
  expect("{{ 'a }}", LFFN_ERROR_BAD_MODEL, "has no end");
  expect("{{ (1 }}", LFFN_ERROR_BAD_MODEL, "");
  expect("{{ '\xFF'.split() }}", LFFN_ERROR_BAD_MODEL, "chat template: byte 4 is not valid UTF-8");
  expect("{{ raise_exception('Give a query.') }}", LFFN_ERROR_INVALID_ARGUMENT,
         "it refuses these texts: Give a query.");
  expect("{{ foo.bar }}", LFFN_ERROR_INVALID_ARGUMENT, "'foo', which is not defined");
  expect("{{ messages[0].content + 5 }}", LFFN_ERROR_INVALID_ARGUMENT, "a text and a number");
}

// Time and memory are bounded by the sizes of template and texts.
TEST(ChatTemplate, EndsWhateverItIsToldTo) {
  const std::string bombs[] = {
      "{% for a in range(100000) %}{% for b in range(100000) %}x{% endfor %}{% endfor %}",
      "{% set ns = namespace(x='abcdefgh') %}{% for i in range(60) %}{% set ns.x = ns.x + ns.x %}{% endfor %}{{ ns.x "
      "}}",
      "{{ 'x' * 9223372036854775 }}",
      "{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
      "{% set ns = namespace(x='a') %}{% for i in range(60) %}{% set ns.x = ns.x.replace('a', 'aa') %}{% endfor %}",
      "{{ range(999999999999999999) | length }}"};
  for (const std::string& bomb : bombs) {
    const Failure failure = failure_of(bomb);
    EXPECT_EQ(failure.status, LFFN_ERROR_INVALID_ARGUMENT) << bomb;
    EXPECT_NE(failure.message.find("it takes too long"), std::string::npos) << failure.message;
  }
  const std::string nested =
      "{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}";
  EXPECT_EQ(failure_of(nested).status, LFFN_ERROR_UNSUPPORTED);
  // Lists that hold one list many times are as large as what they show.
  EXPECT_EQ(
      failure_of("{% set ns = namespace(x=['aaaa']) %}{% for i in range(30) %}{% set ns.x = [ns.x, ns.x] %}{% endfor "
                 "%}{{ ns.x | tojson }}")
          .status,
      LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(failure_of("{{ " + std::string(5000, '(') + "1" + std::string(5000, ')') + " }}").status,
            LFFN_ERROR_BAD_MODEL);
  std::string sum = "{{ 1";
  for (int i = 0; i < 5000; ++i) sum += " + 1";
  EXPECT_EQ(failure_of(sum + " }}").status, LFFN_ERROR_BAD_MODEL);
  std::string ifs;
  for (int i = 0; i < 5000; ++i) ifs += "{% if 1 %}";
  EXPECT_EQ(failure_of(ifs).status, LFFN_ERROR_BAD_MODEL);
  EXPECT_EQ(failure_of("{% set ns = namespace() %}{% set ns.me = ns %}").status, LFFN_ERROR_UNSUPPORTED);
}

TEST(ChatTemplate, StopsWhenCancelled) {
  const int32_t cancel = 1;
  const ChatTemplate chat("{% for i in range(100) %}{{ messages[0].content }}{% endfor %}");
  try {
    chat.render(kMessages, &cancel);
    ADD_FAILURE() << "it went on";
  } catch (const lffn::Error& error) {
    EXPECT_EQ(error.status(), LFFN_ERROR_CANCELLED);
  }
}

}  // namespace
