// SPDX-License-Identifier: Apache-2.0
// Cuts long documents into passages that fit the model, and prints those that answer a question best: the retrieval
// half of retrieval-augmented generation.
//
//     c++ -std=c++17 passages.cc $(pkg-config --cflags --libs lookupffn) -o passages
//     ./passages my-model "How old is the sun?" manual.txt notes.txt
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <lookupffn/lookupffn.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr std::int64_t kBest = 3;

struct Passage {
  std::size_t document, begin, end;  // bytes of that document
};

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s MODEL QUESTION FILE...\n", argv[0]);
    return 2;
  }
  try {
    const auto model = lookupffn::Model::load(argv[1]);
    std::vector<std::string> documents;
    for (int i = 3; i < argc; ++i) documents.push_back(read_file(argv[i]));

    // Windows of 128 tokens, each beginning with the last 32 of the one before, so that no sentence is lost at a cut.
    lookupffn::RunOptions options;
    options.max_tokens = 128;
    options.stride = 32;
    options.prompt_kind = LFFN_PROMPT_DOCUMENT;  // before each window, if the model names one
    const auto windows = model.embed_windows(documents, options);
    lookupffn::RunOptions of_question;
    of_question.prompt_kind = LFFN_PROMPT_QUERY;
    const std::vector<float> question = model.embed(lookupffn::Texts{argv[2]}, of_question);

    std::vector<Passage> passages;
    std::vector<float> vectors;  // one after the other, in the order of the passages
    for (std::size_t d = 0; d < windows.size(); ++d) {
      for (const lookupffn::Window& window : windows[d]) {
        passages.push_back({d, window.begin, window.end});
        vectors.insert(vectors.end(), window.embedding.begin(), window.embedding.end());
      }
    }
    const auto size = static_cast<std::int64_t>(question.size());
    lookupffn::SearchOptions search;
    search.k = kBest;
    const lookupffn::Nearest nearest = lookupffn::top_k({question, size}, {vectors, size}, search);
    for (std::size_t i = 0; i < nearest.ids_of(0).size(); ++i) {
      const Passage& found = passages[static_cast<std::size_t>(nearest.ids_of(0)[i])];
      std::printf("%7.4f  %s:%zu  %s\n", static_cast<double>(nearest.scores_of(0)[i]), argv[3 + found.document],
                  found.begin, documents[found.document].substr(found.begin, found.end - found.begin).c_str());
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "passages: %s\n", error.what());
    return 1;
  }
  return 0;
}
