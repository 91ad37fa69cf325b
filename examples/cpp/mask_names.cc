// SPDX-License-Identifier: Apache-2.0
// Puts [PER], [LOC] and the like in the place of names in lines of text, with a model that finds entities. Nothing
// leaves the process.
//
//     c++ -std=c++17 mask_names.cc $(pkg-config --cflags --libs lookupffn) -o mask_names
//     ./mask_names my-model < letters.txt
#include <cstdio>
#include <exception>
#include <iostream>
#include <lookupffn/lookupffn.hpp>
#include <string>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s MODEL < TEXT\n", argv[0]);
    return 2;
  }
  try {
    const auto model = lookupffn::Model::load(argv[1]);
    std::string line;
    while (std::getline(std::cin, line)) {
      // Words have one label each. A line that is too long is an error here: names in what is cut would be missed.
      const auto entities = model.entities({line}, LFFN_AGGREGATION_FIRST, lookupffn::RunOptions::uncut())[0];
      std::size_t at = 0;
      for (const lookupffn::Entity& entity : entities) {
        std::cout << line.substr(at, entity.begin - at) << '[' << entity.label << ']';
        at = entity.end;
      }
      std::cout << line.substr(at) << '\n';
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mask_names: %s\n", error.what());
    return 1;
  }
  return 0;
}
