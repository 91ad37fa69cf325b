// SPDX-License-Identifier: Apache-2.0
// Ranks sentences by how alike they are to a question: the scalar product of their vectors.
//
//     c++ -std=c++17 similar.cc $(pkg-config --cflags --libs lookupffn) -o similar
//     ./similar my-model "How old is the sun?" "The sun is 4.6 billion years old." "Cats sleep a lot."
#include <algorithm>
#include <cstdio>
#include <exception>
#include <lookupffn/lookupffn.hpp>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s MODEL QUESTION SENTENCE...\n", argv[0]);
    return 2;
  }
  try {
    const auto model = lookupffn::Model::load(argv[1]);
    const std::vector<std::string> texts(argv + 2, argv + argc);
    const std::vector<float> vectors = model.embed(lookupffn::Texts(texts));  // of length 1, one after the other
    const std::size_t width = vectors.size() / texts.size();
    std::vector<std::pair<float, std::string>> ranked;
    for (std::size_t i = 1; i < texts.size(); ++i) {
      const auto vector = vectors.begin() + static_cast<std::ptrdiff_t>(i * width);
      ranked.emplace_back(
          std::inner_product(vector, vector + static_cast<std::ptrdiff_t>(width), vectors.begin(), 0.0f), texts[i]);
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [likeness, text] : ranked) std::printf("%7.4f  %s\n", static_cast<double>(likeness), text.c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "similar: %s\n", error.what());
    return 1;
  }
  return 0;
}
