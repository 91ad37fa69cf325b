// SPDX-License-Identifier: Apache-2.0
// All that these tests call of the library: loading, saving and one function that runs a model.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

struct lffn_model;

namespace draws {

struct LoadedModel {
  explicit LoadedModel(lffn_model* loaded) : model(loaded) {}
  ~LoadedModel();
  LoadedModel(const LoadedModel&) = delete;
  LoadedModel& operator=(const LoadedModel&) = delete;
  lffn_model* const model;
};
using ModelPtr = std::unique_ptr<const LoadedModel>;

enum class Weights { kFloat, kBf16, kInt8 };

struct HowToLoad {
  int32_t threads = 1;
  Weights weights = Weights::kFloat;
  const char* isa = nullptr;  // nullptr: the best of this machine
};

// Both throw std::runtime_error with the library's message.
ModelPtr load(const std::map<std::string, std::string>& files, const HowToLoad& how);
ModelPtr load_saved(const LoadedModel& model, const std::string& path, const HowToLoad& how);
// The instruction sets of this machine, each with whether it has fused multiply-add: those that do give the same bits.
std::vector<std::pair<const char*, bool>> instruction_sets();

// What is wanted of some sequences, of ids or of texts.
struct Request {
  std::vector<std::vector<int32_t>> ids;
  std::vector<std::vector<int32_t>> types;      // as ids; empty: none
  std::vector<std::string> texts;               // instead of ids
  std::vector<std::vector<int64_t>> positions;  // of each sequence, whose logits are wanted
  bool all_positions = false;
  bool hidden = false, embeddings = false, int8 = false, bits = false, logits = false, class_scores = false;
  bool token_scores = false, fillings = false, sparse = false, vectors = false, entities = false;
  int32_t pooling = 0, normalize = 0, dimensions = 0, top_k = 0, threads = 0, aggregation = 0;
  bool into_own_memory = false;  // the caller's arrays, for those outputs that have such
};

// Of each sequence, the bytes of each output by its name.
using Output = std::map<std::string, std::string>;
std::vector<Output> run(const LoadedModel& model, const Request& request);

// The numbers of an output.
template <typename T>
std::vector<T> numbers(const Output& output, const std::string& name);

}  // namespace draws
