// SPDX-License-Identifier: Apache-2.0
// The subcommands of `lookupffn`. Each lives in a file of its own, which adds its options and knows how to run.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "numbers.h"

namespace lffn::tools {

struct Command {
  CLI::App* app;
  std::function<int()> run;  // returns the exit status; throws std::exception for what goes to stderr with status 1
};

Command accuracy_command(CLI::App& parent);
Command answer_command(CLI::App& parent);
Command bench_command(CLI::App& parent);
Command classify_command(CLI::App& parent);
Command convert_command(CLI::App& parent);
Command create_command(CLI::App& parent);
Command embed_command(CLI::App& parent);
Command encode_command(CLI::App& parent);
Command entities_command(CLI::App& parent);
Command evaluate_command(CLI::App& parent);
Command fill_mask_command(CLI::App& parent);
Command info_command(CLI::App& parent);
Command isa_command(CLI::App& parent);
Command rerank_command(CLI::App& parent);
Command run_command(CLI::App& parent);
Command search_command(CLI::App& parent);
Command tokenize_command(CLI::App& parent);
Command verify_command(CLI::App& parent);
Command zero_shot_command(CLI::App& parent);

}  // namespace lffn::tools
