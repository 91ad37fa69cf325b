// SPDX-License-Identifier: Apache-2.0
// Chat templates: read, and run for one short pair.
#include <string>

#include "runtime/error.h"
#include "tests/growth/growth_case.h"
#include "texts/chat_template.h"

namespace growth {
namespace {

Work rendered(std::string source, const std::string& text = "what is a fox?") {
  const size_t bytes = source.size() + text.size();
  return {bytes, [source = std::move(source), text]() -> std::string {
            try {
              lffn::ChatTemplate(source).render({{"query", text}, {"document", "The fox jumps."}});
            } catch (const lffn::Error& error) {
              return error.what();
            }
            return "";
          }};
}

std::string name(size_t i) { return "v" + std::to_string(i); }
std::string key(size_t i) { return '\'' + name(i) + "':1"; }

}  // namespace

std::vector<Case> template_cases() {
  static constexpr char kKind[] = "chat template";
  const auto set_all = [](size_t n) { return listed(n, "", [](size_t i) { return "{% set " + name(i) + " = 1 %}"; }); };
  return {
      {kKind, "text", [](size_t n) { return rendered(std::string(n, 't')); }, 4000},
      {kKind, "values", [](size_t n) { return rendered(repeated("{{1}}", n)); }, 500},
      {kKind, "variables", [=](size_t n) { return rendered(set_all(n)); }, 128},
      {kKind, "variables that are read",
       [=](size_t n) { return rendered(set_all(n) + listed(n, "", [](size_t i) { return "{{" + name(i) + "}}"; })); },
       128},
      {kKind, "undefined names",
       [](size_t n) { return rendered(listed(n, "", [](size_t i) { return "{{" + name(i) + "}}"; })); }, 256},
      {kKind, "a map", [](size_t n) { return rendered("{% set m = {" + listed(n, ",", key) + "} %}"); }, 256},
      {kKind, "members of a map",
       [](size_t n) {
         return rendered("{% set m = {" + listed(n, ",", key) + "} %}" +
                         listed(n, "", [](size_t i) { return "{{m." + name(i) + "}}"; }));
       },
       128},
      {kKind, "equal maps",
       [](size_t n) {
         const std::string map = "{" + listed(n, ",", key) + "}";
         return rendered("{{ " + map + " == " + map + " }}");
       },
       128},
      {kKind, "dict()",
       [](size_t n) {
         return rendered("{% set m = dict(" + listed(n, ",", [](size_t i) { return name(i) + "=1"; }) + ") %}");
       },
       256},
      {kKind, "members of a namespace",
       [](size_t n) {
         return rendered("{% set m = namespace() %}" +
                         listed(n, "", [](size_t i) { return "{% set m." + name(i) + " = 1 %}"; }));
       },
       128},
      {kKind, "a list", [](size_t n) { return rendered("{% set l = [" + repeated("1,", n) + "1] %}{{ l|length }}"); },
       1000},
      {kKind, "a list as JSON", [](size_t n) { return rendered("{{ [" + repeated("1,", n) + "1]|tojson }}"); }, 1000},
      {kKind, "conditions",
       [](size_t n) { return rendered("{% if false %}" + repeated("{% elif false %}", n) + "{% endif %}"); }, 256},
      {kKind, "loops", [](size_t n) { return rendered(repeated("{% for m in messages %}x{% endfor %}", n)); }, 64},
      {kKind, "blocks", [](size_t n) { return rendered(repeated("{% set x %}y{% endset %}", n)); }, 128},
      {kKind, "comments", [](size_t n) { return rendered(repeated("{#c#}", n)); }, 500},
      {kKind, "single braces", [](size_t n) { return rendered(repeated("{ ", n)); }, 2000},
      {kKind, "a text in quotes", [](size_t n) { return rendered("{{ '" + std::string(n, 'q') + "' }}"); }, 4000},
      {kKind, "texts side by side", [](size_t n) { return rendered("{{ " + repeated("'a' ", n) + "}}"); }, 1000},
      {kKind, "texts put together", [](size_t n) { return rendered("{{ 'a'" + repeated("~'a'", n) + " }}"); }, 1000},
      {kKind, "prefixes",
       [](size_t n) { return rendered("{{ messages[0].content.startswith((" + repeated("'x',", n) + ")) }}"); }, 1000},
      {kKind, "a long text",
       [](size_t n) {
         return rendered("{{ messages[0].content|trim|upper }}{{ messages[0].content.split(' ')|length }}",
                         repeated("fox ", n));
       },
       1000},
      {kKind, "a text with parts to look for",
       [](size_t n) {
         return rendered("{{ messages[0].content.replace('aaaaaaaaaaaaaaab', '') }}", std::string(n, 'a'));
       },
       4000},
  };
}

}  // namespace growth
