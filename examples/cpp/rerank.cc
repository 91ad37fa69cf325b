// SPDX-License-Identifier: Apache-2.0
// Puts documents in the order of how well they answer a question, with a reranker (cross-encoder).
//
//     c++ -std=c++17 rerank.cc $(pkg-config --cflags --libs lookupffn) -o rerank
//     ./rerank my-reranker "How old is the sun?" "The sun is 4.6 billion years old." "Cats sleep a lot."
#include <algorithm>
#include <cstdio>
#include <exception>
#include <lookupffn/lookupffn.hpp>
#include <numeric>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s MODEL QUESTION DOCUMENT...\n", argv[0]);
    return 2;
  }
  try {
    const auto model = lookupffn::Model::load(argv[1]);
    const std::vector<std::string> documents(argv + 3, argv + argc);
    const std::vector<float> scores = model.rerank(argv[2], documents);
    std::vector<std::size_t> order(documents.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    for (const std::size_t i : order) std::printf("%8.4f  %s\n", static_cast<double>(scores[i]), documents[i].c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rerank: %s\n", error.what());
    return 1;
  }
  return 0;
}
