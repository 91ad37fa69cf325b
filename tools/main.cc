// SPDX-License-Identifier: Apache-2.0
// The `lookupffn` command: exit status 0 for success, 1 for an error or a failed check, 2 for a usage error.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "command.h"
#include "format/utf8.h"
#include "lookupffn/lookupffn.h"
#include "nearest.h"

namespace {

// If a parent closed standard output, a file opened later must not get its number. So something is opened in its place
// that fails on use, as a closed stream would.
void occupy_standard_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) == -1 && errno == EBADF) {
      static_cast<void>(open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
    }
  }
}

std::string version_text() { return std::string("lookupffn ") + lffn_version_text(); }

// Reports a first word that is no subcommand.
bool refuse_unknown(const CLI::App& app, const char* given) {
  std::vector<std::string> names;
  for (const CLI::App* const subcommand : app.get_subcommands({})) names.push_back(subcommand->get_name());
  if (given == nullptr || given[0] == '-' || std::find(names.begin(), names.end(), given) != names.end()) return false;
  const std::string nearest = lffn::tools::nearest_name(names, given);
  const std::string meant = nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
  std::fprintf(stderr, "lookupffn: there is no subcommand %s%s\nRun with --help for more information.\n",
               lffn::in_quotes(given).c_str(), meant.c_str());
  return true;
}

// If the reader left early, as `head` does, only the exit status says so.
int finish_output(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  if (errno != EPIPE) std::fprintf(stderr, "lookupffn: standard output: %s\n", std::strerror(errno));
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);
  try {
    CLI::App app("Run models and inspect, run, check and make LookupFFN layers.", "lookupffn");
    app.set_version_flag("--version", version_text());
    app.require_subcommand(1);
    app.footer(
        "Examples:\n"
        "  lookupffn fill-mask my-model 'Freedom is <mask> word.'\n"
        "  lookupffn embed my-model sentences.txt > vectors.jsonl\n"
        "  lookupffn create --hidden-size 512 --tables 128 --table-size 256 layer.safetensors\n"
        "  lookupffn info layer.safetensors\n"
        "  lookupffn run layer.safetensors < x.f32 > y.f32\n"
        "\n"
        "Every subcommand has its own --help. Environment: LOOKUPFFN_ISA picks the kernels,\n"
        "LOOKUPFFN_NUM_THREADS the threads; see `lookupffn isa`.");
    using namespace lffn::tools;
    const Command commands[] = {
        info_command(app),     run_command(app),      verify_command(app),   create_command(app),
        isa_command(app),      bench_command(app),    accuracy_command(app), fill_mask_command(app),
        embed_command(app),    encode_command(app),   classify_command(app), rerank_command(app),
        search_command(app),   tokenize_command(app), convert_command(app),  evaluate_command(app),
        entities_command(app), answer_command(app),   zero_shot_command(app)};
    if (argc > 1 && refuse_unknown(app, argv[1])) return 2;
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      const bool asked_for_help = error.get_exit_code() == 0;
      app.exit(error);
      return asked_for_help ? finish_output(0) : 2;
    }
    for (const Command& command : commands) {
      if (command.app->parsed()) return finish_output(command.run());
    }
  } catch (const std::exception& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "lookupffn: %s\n", error.what());
  }
  return 1;
}
