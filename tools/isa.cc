// SPDX-License-Identifier: Apache-2.0
// lookupffn isa: which kernels run on this machine, and what the library knows about it.
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command.h"
#include "kernels/kernels.h"
#include "lookupffn/lookupffn.hpp"
#include "runtime/cpu.h"
#include "runtime/environment.h"
#include "runtime/threads.h"

namespace lffn::tools {
namespace {

struct Machine {
  std::string in_use;
  std::vector<std::string> built, usable;
  CacheSizes caches = cache_sizes();
  int32_t threads = 0;
};

Machine look() {
  if (!environment().problem.empty()) throw lookupffn::InvalidArgument(environment().problem);
  Machine machine;
  machine.in_use = kernels().name;
  for (auto name = std::rbegin(kKernelNames); name != std::rend(kKernelNames); ++name) {
    if (built_kernels(*name)) machine.built.emplace_back(*name);
    if (find_kernels(*name) != nullptr) machine.usable.emplace_back(*name);
  }
  machine.threads = environment().num_threads > 0 ? environment().num_threads : default_executor()->default_threads();
  return machine;
}

std::string listed(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

void print_table(const Machine& machine) {
  std::printf("kernels in use   %s%s\n", machine.in_use.c_str(), environment().isa.empty() ? "" : " (LOOKUPFFN_ISA)");
  std::printf("kernels usable   %s\n", listed(machine.usable).c_str());
  std::printf("kernels built    %s\n", listed(machine.built).c_str());
  std::printf("caches           L1 %zu KiB, L2 %zu KiB per core, L3 %zu KiB\n", machine.caches.l1 >> 10,
              machine.caches.l2 >> 10, machine.caches.l3 >> 10);
  std::printf("threads          %d%s\n", machine.threads,
              environment().num_threads > 0 ? " (LOOKUPFFN_NUM_THREADS)" : "");
}

void print_json(const Machine& machine) {
  const nlohmann::ordered_json json = {{"in_use", machine.in_use},      {"usable", machine.usable},
                                       {"built", machine.built},        {"l1_bytes", machine.caches.l1},
                                       {"l2_bytes", machine.caches.l2}, {"l3_bytes", machine.caches.l3},
                                       {"threads", machine.threads}};
  std::printf("%s\n", json.dump(2).c_str());
}

}  // namespace

Command isa_command(CLI::App& parent) {
  auto json = std::make_shared<bool>(false);
  CLI::App* app = parent.add_subcommand("isa", "Show this machine's kernels, caches and threads");
  app->add_flag("--json", *json, "Print one JSON object instead of a table");
  app->footer(
      "LOOKUPFFN_ISA chooses other kernels than the best, LOOKUPFFN_NUM_THREADS another number of threads.\n"
      "\n"
      "Examples:\n"
      "  lookupffn isa\n"
      "  LOOKUPFFN_ISA=baseline lookupffn isa --json");
  return {app, [json] {
            const Machine machine = look();
            if (*json) {
              print_json(machine);
            } else {
              print_table(machine);
            }
            return 0;
          }};
}

}  // namespace lffn::tools
