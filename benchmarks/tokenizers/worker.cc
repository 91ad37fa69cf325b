// SPDX-License-Identifier: Apache-2.0
// Our part of the comparison of tokenizers.
//
// Usage: tokenizer-worker FOLDER SECONDS TEXTS.json...  one JSON line for each file: megabytes a second of one thread
//        tokenizer-worker --load PATH TIMES             how long loading takes, and the memory that stays
#include <lookupffn/lookupffn.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void need(lffn_status status) {
  if (status == LFFN_OK) return;
  std::fprintf(stderr, "%s\n", lffn_last_error());
  std::exit(1);
}

lffn_tokenizer* load(const char* path) {
  lffn_tokenizer* tokenizer = nullptr;
  need(lffn_tokenizer_load(path, nullptr, &tokenizer));
  return tokenizer;
}

void measure_load(const char* path, int times) {
  std::vector<double> seconds;
  size_t held = 0;
  for (int i = 0; i < times; ++i) {
    const size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    const Clock::time_point start = Clock::now();
    lffn_tokenizer* const tokenizer = load(path);
    seconds.push_back(seconds_since(start));
    held = mallinfo2().uordblks + mallinfo2().hblkhd - before;
    lffn_tokenizer_free(tokenizer);
  }
  std::sort(seconds.begin(), seconds.end());
  std::printf("{\"path\": \"%s\", \"seconds\": %.4f, \"least\": %.4f, \"megabytes\": %.1f}\n", path,
              seconds[seconds.size() / 2], seconds[0], static_cast<double>(held) / 1e6);
}

// Tokens of all texts; `hash` tells whether engines agree.
struct Tokens {
  uint64_t count = 0;
  uint32_t hash = 2166136261u;
};

Tokens tokenize(const lffn_tokenizer* tokenizer, const std::vector<std::string>& texts, std::vector<int32_t>& ids) {
  Tokens all;
  for (const std::string& text : texts) {
    lffn_tokenizer_encode_args args;
    lffn_tokenizer_encode_args_init(&args);
    int64_t offsets[2] = {};
    const char* const pointer = text.data();
    const size_t size = text.size();
    const lffn_output outputs[] = {{LFFN_OUT_TOKEN_IDS, 0, ids.data(), static_cast<int64_t>(ids.size())},
                                   {LFFN_OUT_TOKEN_OFFSETS, 0, offsets, 2}};
    args.n = 1;
    args.texts = &pointer;
    args.text_sizes = &size;
    args.flags = LFFN_ENCODE_SKIP_SPECIAL;
    args.outputs = outputs;
    args.n_outputs = 2;
    need(lffn_tokenizer_encode(tokenizer, &args));
    const int64_t count = offsets[1];
    all.count += static_cast<uint64_t>(count);
    for (int64_t i = 0; i < count; ++i) all.hash = (all.hash ^ static_cast<uint32_t>(ids[i])) * 16777619u;
  }
  return all;
}

void measure_speed(const char* folder, double seconds, const char* path) {
  const auto texts = nlohmann::json::parse(std::ifstream(path)).get<std::vector<std::string>>();
  size_t bytes = 0, longest = 0;
  for (const std::string& text : texts) {
    bytes += text.size();
    longest = std::max(longest, text.size());
  }
  std::vector<int32_t> ids(longest * 4 + 16);
  lffn_tokenizer* const tokenizer = load(folder);
  const Tokens tokens = tokenize(tokenizer, texts, ids);
  double best = 0;
  const Clock::time_point start = Clock::now();
  do {
    const Clock::time_point pass = Clock::now();
    tokenize(tokenizer, texts, ids);
    best = std::max(best, static_cast<double>(bytes) / 1e6 / seconds_since(pass));
  } while (seconds_since(start) < seconds);
  std::printf("{\"engine\": \"lookupffn\", \"texts\": \"%s\", \"speed\": %.2f, \"tokens\": %llu, \"hash\": %u}\n", path,
              best, static_cast<unsigned long long>(tokens.count), tokens.hash);
  lffn_tokenizer_free(tokenizer);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "--load") {
    measure_load(argv[2], std::max(1, std::atoi(argv[3])));
    return 0;
  }
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s FOLDER SECONDS TEXTS.json... | --load PATH TIMES\n", argv[0]);
    return 2;
  }
  for (int i = 3; i < argc; ++i) measure_speed(argv[1], std::atof(argv[2]), argv[i]);
}
