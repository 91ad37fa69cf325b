// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include "engine.h"

namespace compare {
namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  if (parts.empty()) throw std::invalid_argument("an empty list");
  return parts;
}

int64_t positive(const std::string& text) {
  size_t used = 0;
  int64_t value = 0;
  try {
    value = std::stoll(text, &used);
  } catch (const std::exception&) {
  }
  if (used != text.size() || value < 1) throw std::invalid_argument("'" + text + "' is not a positive number");
  return value;
}

std::vector<int64_t> numbers(const std::string& text) {
  std::vector<int64_t> values;
  for (const std::string& part : split(text)) values.push_back(positive(part));
  return values;
}

std::vector<std::string> names(const std::string& text, const std::vector<std::string>& known) {
  std::vector<std::string> chosen = split(text);
  for (const std::string& name : chosen) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw std::invalid_argument("no '" + name + "' here");
  }
  return chosen;
}

}  // namespace

const char* usage() {
  return "compare - times LookupFFN layers and vanilla feed-forward layers side by side\n"
         "\n"
         "  --engines A,B    which engines (default: all that this build has)\n"
         "  --sizes A,B      d512, d384, d768, linear-384x384, linear-512x512, linear-384x1536 (default: all)\n"
         "  --batches A,B    tokens per call (default: 1 to 4096, 32768 for d512)\n"
         "  --threads A,B    threads per engine (default: 1,2)\n"
         "  --seconds S      time for one size, batch and thread count (default: 4)\n"
         "  --quick          d512, d384 and linear-512x512, batches 1, 64 and 4096, one thread, 2 seconds each\n"
         "  --before LIBRARY our engines only, beside those of another build of liblookupffn\n"
         "  --neighbours N   instead: calls beside N processes that do nothing but spin\n"
         "  --json FILE      write everything measured\n";
}

Options parse_options(int argc, char** argv) {
  Options options;
  std::vector<std::string> all_engines, ours_and_before;
  for (const EngineKind& kind : engine_kinds()) {
    const bool before = std::string(kind.name).rfind("before", 0) == 0;
    all_engines.push_back(kind.name);
    if (!before) options.engines.push_back(kind.name);
    if (before || (kind.is_ours && kind.sort == Sort::kLookup)) ours_and_before.push_back(kind.name);
  }
  for (const Shape& shape : shapes()) options.sizes.push_back(shape.name);
  const std::vector<std::string> all_sizes = options.sizes;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 == argc) throw std::invalid_argument(option + " needs a value");
      return argv[++i];
    };
    if (option == "--help") {
      options.help = true;
    } else if (option == "--engines") {
      options.engines = names(value(), all_engines);
    } else if (option == "--sizes") {
      options.sizes = names(value(), all_sizes);
    } else if (option == "--batches") {
      options.batches = numbers(value());
    } else if (option == "--threads") {
      options.threads = numbers(value());
    } else if (option == "--seconds") {
      options.seconds = static_cast<double>(positive(value()));
    } else if (option == "--quick") {
      options.sizes.clear();
      for (const Shape& shape : shapes()) {
        if (shape.in_quick) options.sizes.push_back(shape.name);
      }
      options.batches = {1, 64, 4096};
      options.threads = {1};
      options.seconds = 2;
    } else if (option == "--before") {
      setenv("LFFN_BEFORE", value().c_str(), 1);
      options.engines = ours_and_before;
    } else if (option == "--neighbours") {
      options.neighbours = positive(value());
    } else if (option == "--json") {
      options.json = value();
    } else {
      throw std::invalid_argument("unknown option " + option);
    }
  }
  return options;
}

}  // namespace compare
