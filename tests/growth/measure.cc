// SPDX-License-Identifier: Apache-2.0
// Does what each case says at growing sizes, and prints bytes from outside and the most memory that each took. Under
// callgrind the instructions of each are dumped, too. See check_growth.py.
//
//     measure DOUBLINGS START [PART OF A NAME]
//
// from START times each case's least size on.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "lookupffn/lookupffn.h"
#include "tests/growth/counted_memory.h"
#include "tests/growth/growth_case.h"

#ifdef LFFN_VALGRIND
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_ZERO_STATS
#define CALLGRIND_DUMP_STATS_AT(name) static_cast<void>(name)
#define CALLGRIND_STOP_INSTRUMENTATION
#endif

namespace {

// False: it did not end as it should.
bool measure(const growth::Case& one, size_t doublings, double start) {
  for (size_t i = 0; i <= doublings; ++i) {
    const growth::Work work = one.make(static_cast<size_t>(static_cast<double>(one.least) * start) << i);
    if (i == 0) work.run();  // what is made once in a process
    lffn_trim();
    const std::string name = std::string(one.kind) + "|" + one.name + "|" + std::to_string(work.bytes);
    std::string outcome;
    const size_t peak = counted_memory::peak_of([&] {
      CALLGRIND_START_INSTRUMENTATION;
      CALLGRIND_ZERO_STATS;
      outcome = work.run();
      CALLGRIND_DUMP_STATS_AT(name.c_str());
      CALLGRIND_STOP_INSTRUMENTATION;
    });
    std::printf("%s|%zu\n", name.c_str(), peak);
    const bool is_meant = one.outcome[0] == '\0' ? outcome.empty() : outcome.rfind(one.outcome, 0) == 0;
    if (!is_meant) {
      std::fprintf(stderr, "%s: '%s', not '%s'\n", name.c_str(), outcome.c_str(), one.outcome);
      return false;
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const size_t doublings = std::strtoul(argv[1], nullptr, 10);
  const double start = std::strtod(argv[2], nullptr);
  counted_memory::count_blocks();
  bool good = true;
  for (auto* const cases : {growth::weight_cases, growth::settings_cases, growth::template_cases,
                            growth::tokenizer_cases, growth::text_cases, growth::sql_cases}) {
    for (const growth::Case& one : cases()) {
      const std::string name = std::string(one.kind) + "|" + one.name;
      if (argc < 4 || name.find(argv[3]) != std::string::npos) good &= measure(one, doublings, start);
    }
  }
  return good ? 0 : 1;
}
