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
    const std::vector<std::string> sentences(argv + 3, argv + argc);
    // Each kind of text has the prompt that the model names for it, if it names one.
    lookupffn::RunOptions as_query, as_document;
    as_query.prompt_kind = LFFN_PROMPT_QUERY;
    as_document.prompt_kind = LFFN_PROMPT_DOCUMENT;
    const std::vector<float> question = model.embed(lookupffn::Texts{argv[2]}, as_query);
    const std::vector<float> vectors = model.embed(lookupffn::Texts(sentences), as_document);  // each of length 1
    std::vector<std::pair<float, std::string>> ranked;
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      const auto vector = vectors.begin() + static_cast<std::ptrdiff_t>(i * question.size());
      ranked.emplace_back(std::inner_product(question.begin(), question.end(), vector, 0.0f), sentences[i]);
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [likeness, text] : ranked) std::printf("%7.4f  %s\n", static_cast<double>(likeness), text.c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "similar: %s\n", error.what());
    return 1;
  }
  return 0;
}
