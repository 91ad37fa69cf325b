// SPDX-License-Identifier: Apache-2.0
// PyTorch's files, made by hand as torch.save writes them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace torch_maker {

inline std::string number(uint64_t value, size_t size) {
  std::string result;
  for (size_t i = 0; i < size; ++i) result += static_cast<char>(value >> 8 * i);
  return result;
}

using Entries = std::vector<std::pair<std::string, std::string>>;

inline std::string zip_of(const Entries& entries, uint16_t method = 0) {
  std::string file, list;
  for (const auto& [name, content] : entries) {
    const std::string rest = number(0, 4) + number(0, 4) + number(content.size(), 4) + number(content.size(), 4) +
                             number(name.size(), 2) + number(0, 2);
    list += "PK\1\2" + number(0, 2) + number(0, 2) + number(0, 2) + number(method, 2) + rest + number(0, 2) +
            number(0, 2) + number(0, 2) + number(0, 4) + number(file.size(), 4) + name;
    file += "PK\3\4" + number(0, 2) + number(0, 2) + number(method, 2) + rest + name + content;
  }
  const std::string end = "PK\5\6" + number(0, 4) + number(entries.size(), 2) + number(entries.size(), 2) +
                          number(list.size(), 4) + number(file.size(), 4) + number(0, 2);
  return file + list + end;
}

inline std::string text(const std::string& content) { return "X" + number(content.size(), 4) + content; }

inline std::string storage(const std::string& type, const std::string& key) {
  return "(" + text("storage") + "ctorch\n" + type + "\n" + text(key) + text("cpu") + "K\6tQ";
}

// As _rebuild_tensor_v2 gets it; the lists are rows of "K" and a byte, or of "J" and four.
inline std::string tensor(const std::string& from, char offset, const std::string& shape, const std::string& strides) {
  return "ctorch._utils\n_rebuild_tensor_v2\n(" + from + "K" + offset + "(" + shape + "t(" + strides +
         "t\x89"
         "ccollections\nOrderedDict\n)RtR";
}

inline std::string dict(const std::string& items) { return "\x80\2ccollections\nOrderedDict\n)R(" + items + "u}b."; }

}  // namespace torch_maker
