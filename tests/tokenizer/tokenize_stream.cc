// SPDX-License-Identifier: Apache-2.0
// Tokenizes texts from standard input, for comparison with other implementations.
//
// Usage: tokenize_stream VOCAB_JSON MERGES_TXT | tokenize_stream TOKENIZER_JSON [--config
// TOKENIZER_CONFIG_JSON]
// Input: for each text a uint32 with its size, and its bytes. Output: for each text a uint32 with the number n of
// tokens, n int32 ids, and 2 n uint32: where each token begins in the text and where it ends; then a uint32 with the
// size of the text of these ids, and its bytes.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "format/file.h"
#include "tokenizer/tokenizer.h"

namespace {

std::string content(const char* path) {
  const lffn::FileBytes file(path);
  return {static_cast<const char*>(file.data()), file.size()};
}

void put(uint32_t value) { std::fwrite(&value, sizeof value, 1, stdout); }

int run(int argc, char** argv) {
  const std::string first = content(argv[1]), merges = argc == 3 ? content(argv[2]) : "";
  const std::string config = argc == 4 ? content(argv[3]) : "";
  lffn::TokenizerFiles files;
  if (argc == 4) files.tokenizer_config = config;
  if (argc == 3) {
    files.vocab_json = first;
    files.merges_txt = merges;
  } else {
    files.tokenizer_json = first;
  }
  const auto tokenizer = lffn::Tokenizer::from_files(files);
  std::string text;
  lffn::Tokenizer::Options options;
  options.spans = true;
  lffn::Tokenizer::Scratch scratch;
  lffn::Encoding found;
  uint32_t size = 0;
  while (std::fread(&size, sizeof size, 1, stdin) == 1) {
    text.resize(size);
    if (std::fread(text.data(), 1, size, stdin) != size) return 1;
    tokenizer->encode(text, nullptr, options, scratch, found);
    const std::vector<int32_t>& ids = found.ids;
    put(static_cast<uint32_t>(ids.size()));
    std::fwrite(ids.data(), sizeof(int32_t), ids.size(), stdout);
    for (const lffn::TextSpan& span : found.spans) {
      put(static_cast<uint32_t>(span.begin));
      put(static_cast<uint32_t>(span.end));
    }
    const std::string decoded = tokenizer->decode(ids.data(), ids.size(), false);
    put(static_cast<uint32_t>(decoded.size()));
    std::fwrite(decoded.data(), 1, decoded.size(), stdout);
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const bool has_config = argc == 4 && std::string_view(argv[2]) == "--config";
  if (argc != 2 && argc != 3 && !has_config) return 2;
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tokenize_stream: %s\n", error.what());
    return 1;
  }
}
