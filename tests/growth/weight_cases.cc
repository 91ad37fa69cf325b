// SPDX-License-Identifier: Apache-2.0
// Files of numbers: safetensors, PyTorch's, and what the library saves.
#include <string>

#include "format/torch_file.h"
#include "lookupffn/layer.h"
#include "runtime/error.h"
#include "tests/growth/growth_case.h"
#include "tests/support/torch_maker.h"

namespace growth {
namespace {

using namespace torch_maker;

std::string message_of(const std::string& file, const char* name) {
  try {
    lffn::parse_weights(lffn::BorrowedBytes(file.data(), file.size()), name);
  } catch (const lffn::Error& error) {
    return error.what();
  }
  return "";
}

Work weights(std::string file, const char* name) {
  const size_t bytes = file.size();
  return {bytes, [file = std::move(file), name] { return message_of(file, name); }};
}

Work safetensors(const std::string& header, const std::string& data = "") {
  return weights(number(header.size(), 8) + header + data, "model.safetensors");
}

// Of no numbers, so that there may be many.
std::string entry(const std::string& name) {
  return '"' + name + "\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}";
}

Work layer(const std::string& metadata) {
  const std::string header =
      "{\"__metadata__\":{\"format\":\"lookupffn\",\"format_version\":\"1\",\"kind\":\"layer\"," + metadata + "}}";
  std::string file = number(header.size(), 8) + header;
  const size_t bytes = file.size();
  return {bytes, [file = std::move(file)]() -> std::string {
            lffn_layer* handle = nullptr;
            if (lffn_layer_load_memory(file.data(), file.size(), nullptr, &handle) != LFFN_OK) return lffn_last_error();
            lffn_layer_free(handle);
            return "";
          }};
}

Work torch(const std::string& pickle) {
  return weights(zip_of({{"a/data.pkl", pickle}, {"a/data/0", std::string(64, '\0')}}), "pytorch_model.bin");
}

const std::string kNoNumbers("K\0", 2);
const std::string kTensor = tensor(storage("FloatStorage", "0"), 0, kNoNumbers, "K\1");  // of no numbers

std::string tensors(size_t count, const std::string& one) {
  return listed(count, "", [&](size_t i) { return text("t" + std::to_string(i)) + one; });
}

}  // namespace

std::vector<Case> weight_cases() {
  static constexpr char kSafe[] = "safetensors", kTorch[] = "pytorch_model.bin", kLayer[] = "layer file";
  const auto name = [](size_t i) { return "t" + std::to_string(i); };
  const auto key = [](size_t i) { return "\"k" + std::to_string(i) + "\":\"\""; };
  return {
      {kSafe, "tensors",
       [=](size_t n) { return safetensors("{" + listed(n, ",", [&](size_t i) { return entry(name(i)); }) + "}"); }, 64},
      {kSafe, "tensors with one start",
       [=](size_t n) {
         return safetensors("{" + listed(n, ",", [&](size_t i) { return entry(std::string(60, 'x') + name(i)); }) +
                            "}");
       },
       32},
      {kSafe, "a long name", [](size_t n) { return safetensors("{" + entry(std::string(n, 'n')) + "}"); }, 4000},
      {kSafe, "metadata", [=](size_t n) { return safetensors("{\"__metadata__\":{" + listed(n, ",", key) + "}}"); },
       256},
      {kSafe, "escapes",
       [](size_t n) { return safetensors("{\"__metadata__\":{\"k\":\"" + repeated("\\u00e9\\n", n) + "\"}}"); }, 512},
      {kLayer, "metadata", [=](size_t n) { return layer(listed(n, ",", key)); }, 256,
       "metadata: \"config\" is missing"},
      {kLayer, "keys of the config",
       [=](size_t n) {
         const std::string keys = listed(n, ",", [](size_t i) { return "\\\"k" + std::to_string(i) + "\\\":1"; });
         return layer("\"config\":\"{" + keys + "}\"");
       },
       256, "config: 'hidden_size' is missing"},
      {kTorch, "tensors", [](size_t n) { return torch(dict(tensors(n, kTensor))); }, 16},
      {kTorch, "tensors of one storage",
       [](size_t n) {
         return torch("\x80\2" + storage("FloatStorage", "0") + "q\1" +
                      dict(tensors(n, tensor("h\1", 0, kNoNumbers, "K\1"))).substr(2));
       },
       16},
      {kTorch, "one long name",
       [](size_t n) {
         return torch(dict(text(std::string(n, 'n')) + "q\1" + kTensor + "q\2" + repeated("h\1h\2", n / 4)));
       },
       2000},
      {kTorch, "one long key",
       [](size_t n) {
         const std::string arguments =
             "(" + text("storage") + "ctorch\nFloatStorage\n" + text(std::string(n, 'k')) + text("cpu") + "K\6tq\1Q";
         return torch("\x80\2" + arguments + repeated("h\1Q", n / 3) + ".");
       },
       2000, "the file does not hold"},
      {kTorch, "a storage's key for each tensor",
       [](size_t n) {
         const std::string arguments =
             "(" + text("storage") + "ctorch\nFloatStorage\n" + text(std::string(n, '0')) + text("cpu") + "K\6tQq\1";
         const std::string all = arguments + dict(tensors(n / 64, tensor("h\1", 0, kNoNumbers, "K\1"))).substr(2);
         return weights(zip_of({{"a/data.pkl", "\x80\2" + all}, {"a/data/" + std::string(n, '0'), "0000"}}),
                        "pytorch_model.bin");
       },
       1000},
      {kTorch, "empty tuples", [](size_t n) { return torch("\x80\2" + repeated(")", n) + "."); }, 4000,
       "the file does not hold"},
      {kTorch, "empty dicts", [](size_t n) { return torch("\x80\2" + repeated("}", n) + "."); }, 4000, ""},
      {kTorch, "tuples of tuples", [](size_t n) { return torch("\x80\2" + repeated("(", n) + repeated("t", n) + "."); },
       2000, "the file does not hold"},
      {kTorch, "entries",
       [](size_t n) {
         Entries entries = {{"a/data.pkl", dict(tensors(1, kTensor))}};
         for (size_t i = 0; i < n; ++i) entries.emplace_back("a/data/" + std::to_string(i), "");
         return weights(zip_of(entries), "pytorch_model.bin");
       },
       32},
      {kTorch, "entries in a long folder",
       [](size_t n) {
         const std::string folder(n, 'f');
         Entries entries = {{folder + "/data.pkl", dict(listed(n / 8, "",
                                                               [](size_t i) {
                                                                 const std::string own = storage("FloatStorage", "0");
                                                                 return text("t" + std::to_string(i)) +
                                                                        tensor(own, 0, kNoNumbers, "K\1");
                                                               }))},
                            {folder + "/data/0", ""}};
         return weights(zip_of(entries), "pytorch_model.bin");
       },
       200},
  };
}

}  // namespace growth
