// SPDX-License-Identifier: Apache-2.0
// Tells which of some labels, none of which the model learned, fits a text best, with a classifier that knows
// entailment.
//
//     c++ -std=c++17 zero_shot.cc $(pkg-config --cflags --libs lookupffn) -o zero_shot
//     ./zero_shot my-model "My phone is broken!" urgent phone garden
#include <cstdio>
#include <exception>
#include <lookupffn/lookupffn.hpp>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s MODEL TEXT LABEL...\n", argv[0]);
    return 2;
  }
  try {
    const auto model = lookupffn::Model::load(argv[1]);
    lookupffn::ZeroShotOptions options;
    for (const auto& [label, score] : model.zero_shot(argv[2], {argv + 3, argv + argc}, options)) {
      std::printf("%6.4f  %s\n", static_cast<double>(score), label.c_str());
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "zero_shot: %s\n", error.what());
    return 1;
  }
  return 0;
}
