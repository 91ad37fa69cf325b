// SPDX-License-Identifier: Apache-2.0
// A process that holds one engine with one model. Commands come on standard input, each answered by one line:
//   version
//   hidden TEXTS LENGTH FILE        writes the hidden states of the first texts
//   time TEXTS LENGTH FIRST CALLS   answers the seconds that so many calls took, each with the next tokens of the pool
//   texts TEXTS LENGTH CALLS FOLDER WORDS   answers the seconds that so many calls took from texts to embeddings, and
//   from
//                                   the ids of the same texts; see TextPool
//   each TEXTS LENGTH FIRST CALLS   answers the seconds of each of so many calls
//   stages TEXTS LENGTH             answers seconds in attention, linear layers, FFNs, the rest; an empty line if
//   unknown
// Arguments: ENGINE MODEL IDS THREADS HIDDEN_SIZE, where IDS is a file of int32.
#include <lookupffn/lookupffn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "engine.h"

namespace compare {

void ModelEngine::embed(const TextPool& pool, int64_t first, const Batch& batch, float* out) {
  std::vector<int32_t> ids;
  for (int64_t i = 0; i < batch.texts; ++i) {
    const std::vector<int32_t> more = pool.ids(pool.text(first + i));
    ids.insert(ids.end(), more.begin(), more.end());
  }
  if (static_cast<int64_t>(ids.size()) != batch.tokens()) throw std::logic_error("a text of another length");
  embed(ids.data(), batch, out);
}

}  // namespace compare

namespace {

using namespace compare;

std::unique_ptr<ModelEngine> load(const std::string& engine, const std::string& model, int threads,
                                  int64_t hidden_size) {
  if (engine == "lookupffn-f32") return load_lookupffn(model, false, false, 0, threads);
  if (engine == "lookupffn-int8") return load_lookupffn(model, true, false, 0, threads);
  if (engine == "lookupffn-words-int8") return load_lookupffn(model, true, true, 0, threads);
  if (engine == "lookupffn-seven-int8") return load_lookupffn(model, true, false, LFFN_LOAD_SEVEN_BIT_INPUTS, threads);
  if (engine == "onnxruntime") return load_onnxruntime(model, threads, hidden_size);
  throw std::runtime_error("no engine " + engine);
}

std::vector<int32_t> read_ids(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<int32_t> ids(bytes.size() / sizeof(int32_t));
  std::copy_n(bytes.data(), ids.size() * sizeof(int32_t), reinterpret_cast<char*>(ids.data()));
  return ids;
}

class Worker {
 public:
  Worker(std::unique_ptr<ModelEngine> engine, std::vector<int32_t> ids)
      : engine_(std::move(engine)), ids_(std::move(ids)) {}

  std::string answer(const std::string& line) {
    std::istringstream words(line);
    std::string command;
    words >> command;
    if (command == "version") return engine_->version();
    Batch batch = {};
    words >> batch.texts >> batch.length;
    if (batch.tokens() < 1 || batch.tokens() > static_cast<int64_t>(ids_.size())) throw std::runtime_error(line);
    hidden_.resize(static_cast<size_t>(batch.tokens() * engine_->hidden_size()));
    if (command == "hidden") {
      std::string path;
      words >> path;
      engine_->run(ids_.data(), batch, hidden_.data());
      std::ofstream file(path, std::ios::binary);
      file.write(reinterpret_cast<const char*>(hidden_.data()),
                 static_cast<std::streamsize>(hidden_.size() * sizeof(float)));
      if (!file.flush()) throw std::runtime_error("cannot write " + path);
      return "done";
    }
    if (command == "time") {
      int64_t first = 0, calls = 0;
      words >> first >> calls;
      return std::to_string(time_calls(batch, first, calls));
    }
    if (command == "texts") {
      int64_t calls = 0;
      std::string folder, words_file;
      words >> calls >> folder >> words_file;
      return time_texts(batch, calls, folder, words_file);
    }
    if (command == "each") {
      int64_t first = 0, calls = 0;
      words >> first >> calls;
      std::string text;
      for (int64_t i = first; i < first + calls; ++i) text += std::to_string(time_calls(batch, i, 1)) + " ";
      return text;
    }
    if (command != "stages") throw std::runtime_error(line);
    std::string text;
    for (const double seconds : engine_->stages(ids_.data(), batch, hidden_.data())) {
      text += std::to_string(seconds) + " ";
    }
    return text;
  }

 private:
  double time_calls(const Batch& batch, int64_t first, int64_t calls) {
    const int64_t slots = static_cast<int64_t>(ids_.size()) / batch.tokens();
    const auto start = std::chrono::steady_clock::now();
    for (int64_t i = first; i < first + calls; ++i) {
      engine_->run(ids_.data() + i % slots * batch.tokens(), batch, hidden_.data());
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  std::string time_texts(const Batch& batch, int64_t calls, const std::string& folder, const std::string& words) {
    if (pool_ == nullptr) pool_ = std::make_unique<TextPool>(folder, words);
    constexpr int64_t kBatches = 8;  // different ones; the calls go round
    pool_->fill(kBatches * batch.texts, batch.length);
    std::vector<int32_t> ids;
    for (int64_t i = 0; i < kBatches * batch.texts; ++i) {
      const std::vector<int32_t> more = pool_->ids(pool_->text(i));
      ids.insert(ids.end(), more.begin(), more.end());
    }
    using Clock = std::chrono::steady_clock;
    Clock::duration from_text = {}, from_ids = {};
    for (int64_t i = -1; i < calls; ++i) {  // the first time to warm up
      const int64_t first = (i + 1) % kBatches * batch.texts;
      const auto start = Clock::now();
      engine_->embed(*pool_, first, batch, hidden_.data());
      const auto middle = Clock::now();
      engine_->embed(ids.data() + first * batch.length, batch, hidden_.data());
      if (i < 0) continue;
      from_text += middle - start;
      from_ids += Clock::now() - middle;
    }
    const auto seconds = [](Clock::duration d) { return std::to_string(std::chrono::duration<double>(d).count()); };
    return seconds(from_text) + " " + seconds(from_ids);
  }

  std::unique_ptr<ModelEngine> engine_;
  std::unique_ptr<TextPool> pool_;
  std::vector<int32_t> ids_;
  std::vector<float> hidden_;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 6) throw std::runtime_error("wants ENGINE MODEL IDS THREADS HIDDEN_SIZE");
    Worker worker(load(argv[1], argv[2], std::stoi(argv[4]), std::stoi(argv[5])), read_ids(argv[3]));
    for (std::string line; std::getline(std::cin, line);) std::cout << worker.answer(line) << std::endl;
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "model-worker: %s\n", error.what());
    return 1;
  }
}
