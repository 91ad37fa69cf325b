// SPDX-License-Identifier: Apache-2.0
// lookupffn run: floats in, floats out.
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <system_error>
#include <vector>

#include "command.h"
#include "layer_options.h"
#include "progress.h"

namespace lffn::tools {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the streams are little-endian");

constexpr int64_t kBatchBytes = int64_t{16} << 20;

struct RunOptions {
  std::string path;
  bool add = false;
  LayerOptions layer;
};

bool more_is_there_already() {
  pollfd input = {STDIN_FILENO, POLLIN, 0};
  return poll(&input, 1, 0) == 1;
}

// Reads what standard input has to give now, at least one byte, at most `room`. 0 at its end.
size_t read_some(char* to, size_t room) {
  for (;;) {
    const ssize_t got = read(STDIN_FILENO, to, room);
    if (got >= 0) return static_cast<size_t>(got);
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "standard input");
  }
}

int64_t input_bytes() {
  struct stat input;
  if (fstat(STDIN_FILENO, &input) != 0 || !S_ISREG(input.st_mode)) return 0;
  return static_cast<int64_t>(input.st_size);
}

// Runs whole tokens as they come, many at once if many are there, and writes each batch immediately. So it can be in a
// pipe with a program that waits for each answer. Results do not depend on the batches.
int run_stream(const RunOptions& options) {
  const lookupffn::Layer layer = options.layer.load(options.path);
  const lookupffn::LayerInfo info = layer.info();
  if (options.add && info.hidden_size != info.output_size) {
    throw lookupffn::InvalidArgument("--add: the layer's output size differs from its input size");
  }
  const int64_t floats_per_token = std::max(info.hidden_size, info.output_size);
  const int64_t token_bytes = info.hidden_size * static_cast<int64_t>(sizeof(float));
  const int64_t batch = std::clamp<int64_t>(kBatchBytes / (floats_per_token * 4), 1, 4096);
  std::vector<float> x(static_cast<size_t>(batch * info.hidden_size));
  std::vector<float> y(static_cast<size_t>(batch * info.output_size));
  char* const bytes = reinterpret_cast<char*>(x.data());
  const auto capacity = static_cast<int64_t>(x.size() * sizeof(float));

  Progress progress("running " + options.path, input_bytes());
  int64_t filled = 0;
  for (bool end = false; !end;) {
    const auto got = static_cast<int64_t>(read_some(bytes + filled, static_cast<size_t>(capacity - filled)));
    end = got == 0;
    filled += got;
    progress.add(got);
    if (!end && filled < capacity && more_is_there_already()) continue;
    const int64_t n_tokens = filled / token_bytes;
    if (n_tokens == 0) continue;
    const lookupffn::Span<const float> input(x.data(), static_cast<size_t>(n_tokens * info.hidden_size));
    if (options.add) std::copy(input.begin(), input.end(), y.begin());
    layer.forward(input, y, options.add ? LFFN_LAYER_RUN_ADD : 0);
    const size_t n_floats = static_cast<size_t>(n_tokens * info.output_size);
    if (std::fwrite(y.data(), sizeof(float), n_floats, stdout) != n_floats || std::fflush(stdout) != 0) return 1;
    filled -= n_tokens * token_bytes;
    std::memmove(bytes, bytes + n_tokens * token_bytes, static_cast<size_t>(filled));
  }
  if (filled != 0) {
    throw lookupffn::InvalidArgument("standard input ends with " + std::to_string(filled) +
                                     " bytes of a token that takes " + std::to_string(token_bytes) + " (" +
                                     std::to_string(info.hidden_size) + " floats)");
  }
  return 0;
}

}  // namespace

Command run_command(CLI::App& parent) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* app = parent.add_subcommand("run", "Run a layer: tokens from standard input, results to standard output");
  app->add_option("MODEL", options->path, "A layer in a safetensors file")->required();
  app->add_flag("--add", options->add, "Add the input to the output, the residual connection");
  options->layer.add_to(*app);
  app->footer(
      "Both streams are little-endian float32 without a header, token after token. Tokens are answered as they\n"
      "come, so the command can sit in a pipe.\n"
      "\n"
      "Examples:\n"
      "  lookupffn run layer.safetensors < x.f32 > y.f32\n"
      "  producer | lookupffn run --threads 1 layer.safetensors | consumer\n"
      "In Python, numpy.asarray(x, '<f4').tofile('x.f32') writes such a file.");
  return {app, [options] {
            if (isatty(STDIN_FILENO) == 1 || isatty(STDOUT_FILENO) == 1) {
              throw lookupffn::InvalidArgument(
                  "run reads and writes binary floats, but this is a terminal; redirect: lookupffn run MODEL < x > y");
            }
            return run_stream(*options);
          }};
}

}  // namespace lffn::tools
