// SPDX-License-Identifier: Apache-2.0
// Writes the seeds of corpus/layer.tar: make_corpus FOLDER. The same files every time.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/fuzz/layer_maker.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_corpus FOLDER\n");
    return 2;
  }
  std::filesystem::create_directories(argv[1]);
  lffn_fuzz::Random random(1);
  for (int i = 0; i < 60; ++i) {
    std::ofstream stream(std::filesystem::path(argv[1]) / ("layer-" + std::to_string(i)), std::ios::binary);
    stream << lffn_fuzz::make_layer_file(random);
    if (!stream.flush()) {
      std::fprintf(stderr, "cannot write into %s\n", argv[1]);
      return 1;
    }
  }
  return 0;
}
