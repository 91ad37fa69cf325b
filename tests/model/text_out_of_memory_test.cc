// SPDX-License-Identifier: Apache-2.0
// Makes each allocation of a call on text fail in turn: every call then says so, leaves nothing behind and its outputs
// alone, and works once memory is back.
#include <string_view>

#include "tests/format/helpers.h"
#include "tests/format/out_of_memory.h"
#include "tests/support/allocator.h"
#include "tests/support/model_told.h"
#include "tests/support/outputs.h"
#include "tests/support/short_calls.h"

namespace lffn {
namespace {

constexpr std::string_view kText = "The <mask> of na\xC3\xAFve  foxes, and <mask> 2023\n";

// A folder's files as lffn_model_load_files takes them.
class FolderInMemory {
 public:
  explicit FolderInMemory(const std::string& folder) {
    for (const char* name : {"config.json", "model.safetensors", "vocab.json", "merges.txt"}) {
      contents_.push_back(content_of(folder + "/" + name));
      lffn_file file;
      lffn_file_init(&file);
      file.name = name;
      files_.push_back(file);
    }
    for (size_t i = 0; i < files_.size(); ++i) {
      files_[i].data = contents_[i].data();
      files_[i].size = contents_[i].size();
    }
  }
  const lffn_file* files() const { return files_.data(); }
  int64_t size() const { return static_cast<int64_t>(files_.size()); }

 private:
  std::vector<std::string> contents_;
  std::vector<lffn_file> files_;
};

class TextOutOfMemory : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    const lffn_allocator allocator = allocator_of(hook_allocate, hook_deallocate);
    ASSERT_EQ(lffn_set_default_allocator(&allocator), LFFN_OK);
    lffn_load_options_init(&options_);
    options_.num_threads = 1;
    load();
    ASSERT_EQ(model_told::get(model_, info_), LFFN_OK);
  }
  void TearDown() override {
    free_model();
    EXPECT_EQ(lffn_set_default_allocator(nullptr), LFFN_OK);
    InFolder::TearDown();
  }
  void load() { ASSERT_EQ(lffn_model_load(kFolder, &options_, &model_), LFFN_OK) << lffn_last_error(); }
  void free_model() {
    lffn_model_free(model_);
    model_ = nullptr;
  }
  // A model that has run keeps its scratch memory, which is not a leak: so every action first makes it anew.
  int survive_with_scratch(const std::function<lffn_status()>& action, const std::function<void()>& unchanged) {
    int failures = 0;
    for (;; ++failures) {
      free_model();
      const Balance before;
      load();
      left = failures;
      refused = 0;
      const lffn_status status = action();
      left = INT64_MAX;
      if (status == LFFN_OK) {
        EXPECT_EQ(refused, 0) << "an allocation failed unnoticed, after " << failures;
      } else {
        EXPECT_EQ(status, LFFN_ERROR_OUT_OF_MEMORY) << lffn_last_error() << ", after " << failures << " allocations";
        unchanged();
      }
      free_model();
      EXPECT_TRUE(before == Balance()) << "something is left after " << failures << " allocations";
      if (status == LFFN_OK || HasFailure()) break;
    }
    load();
    return failures;
  }

  static constexpr const char* kFolder = LFFN_MODEL_DATA "/model-mixed";
  lffn_load_options options_;
  model_told::Info info_ = {};
  lffn_model* model_ = nullptr;
};

TEST_F(TextOutOfMemory, LoadsFolder) {
  lffn_model* other = nullptr;
  const int failures = survive([&] { return lffn_model_load(kFolder, &options_, &other); },
                               [&] { lffn_model_free(other), other = nullptr; }, [&] { ASSERT_EQ(other, nullptr); });
  EXPECT_GT(failures, 200) << "a vocabulary is made of many small pieces";
}

TEST_F(TextOutOfMemory, LoadsFiles) {
  const FolderInMemory folder(kFolder);
  lffn_model* other = nullptr;
  const int failures = survive([&] { return lffn_model_load_files(folder.files(), folder.size(), &options_, &other); },
                               [&] { lffn_model_free(other), other = nullptr; }, [&] { ASSERT_EQ(other, nullptr); });
  EXPECT_GT(failures, 200) << "as many as from the folder itself";
}

TEST_F(TextOutOfMemory, EstimatesMemory) {
  lffn_memory_estimate estimate;
  lffn_memory_estimate_init(&estimate);
  const int failures = survive([&] { return lffn_model_estimate(kFolder, &options_, &estimate); }, [] {},
                               [&] { ASSERT_EQ(estimate.weight_bytes, 0u); });
  EXPECT_GT(failures, 100) << "what it tells of is checked";
  EXPECT_GE(estimate.weight_bytes, info_.memory_bytes);
}

TEST_F(TextOutOfMemory, EstimatesMemoryForFiles) {
  const FolderInMemory folder(kFolder);
  lffn_memory_estimate estimate;
  lffn_memory_estimate_init(&estimate);
  const int failures =
      survive([&] { return lffn_model_estimate_files(folder.files(), folder.size(), &options_, &estimate); }, [] {},
              [&] { ASSERT_EQ(estimate.weight_bytes, 0u); });
  EXPECT_GT(failures, 100) << "what it tells of is checked";
  EXPECT_GE(estimate.weight_bytes, info_.memory_bytes);
}

TEST_F(TextOutOfMemory, LoadsTokenizersAndFindsTokens) {
  const FolderInMemory folder(kFolder);
  lffn_tokenizer* tokenizer = nullptr;
  const auto undo = [&] { lffn_tokenizer_free(tokenizer), tokenizer = nullptr; };
  const auto none = [&] { ASSERT_EQ(tokenizer, nullptr); };
  EXPECT_GT(survive([&] { return lffn_tokenizer_load(kFolder, nullptr, &tokenizer); }, undo, none), 100);
  EXPECT_GT(survive([&] { return lffn_tokenizer_load_files(folder.files(), folder.size(), nullptr, &tokenizer); }, undo,
                    none),
            100);
  ASSERT_EQ(lffn_tokenizer_load(kFolder, nullptr, &tokenizer), LFFN_OK) << lffn_last_error();
  // Longer than what a string keeps inside.
  for (const std::string& token : {std::string("<mask>"), std::string(100, 'x')}) {
    int32_t id = -7;
    survive([&] { return lffn_tokenizer_find(tokenizer, token.data(), token.size(), &id); }, [] {},
            [&] { ASSERT_EQ(id, -7); });
    EXPECT_EQ(id, token == "<mask>" ? model_told::tokenizer_of(model_).mask_id : -1);
  }
  undo();
}

TEST_F(TextOutOfMemory, SavesAndLoadsOneFile) {
  const std::string file = path("saved");
  survive([&] { return lffn_model_save(model_, file.c_str(), nullptr); }, [] {});
  const std::string bytes = content_of(file);
  lffn_model* other = nullptr;
  const auto undo = [&] { lffn_model_free(other), other = nullptr; };
  survive([&] { return lffn_model_load(file.c_str(), &options_, &other); }, undo);
  survive([&] { return lffn_model_load_memory(bytes.data(), bytes.size(), &options_, &other); }, undo);
}

TEST_F(TextOutOfMemory, Tokenizes) {
  constexpr int64_t kMany = 500;
  std::vector<int32_t> ids(kMany, -7);
  std::vector<int64_t> begins(ids.size(), -7), ends(ids.size(), -7);
  int64_t count = 77;
  const int failures = survive_with_scratch(
      [&] {
        return short_calls::tokenize(model_, kText.data(), kText.size(), 0, ids.data(), begins.data(), ends.data(),
                                     kMany, &count);
      },
      [&] {
        ASSERT_EQ(count, 77);
        for (const int32_t id : ids) ASSERT_EQ(id, -7);
        for (const int64_t begin : begins) ASSERT_EQ(begin, -7);
        for (const int64_t end : ends) ASSERT_EQ(end, -7);
      });
  EXPECT_GT(failures, 0);
  const std::vector<int32_t> found(ids.begin(), ids.begin() + count);
  // Long enough for the ways that keep memory outside the stack.
  const std::string word(3000, 'a');
  survive_with_scratch(
      [&] {
        return short_calls::tokenize(model_, word.data(), word.size(), LFFN_ENCODE_SKIP_SPECIAL, nullptr, nullptr,
                                     nullptr, 0, &count);
      },
      [] {});

  std::string text(500, '#');
  size_t size = 77;
  survive_with_scratch(
      [&] {
        return short_calls::detokenize(model_, found.data(), static_cast<int64_t>(found.size()), 0, text.data(),
                                       text.size(), &size);
      },
      [&] {
        ASSERT_EQ(size, 77u);
        ASSERT_EQ(text, std::string(500, '#'));
      });
}

TEST_F(TextOutOfMemory, BatchesKeepTheirMemory) {
  constexpr int64_t kFew = 8;  // whatever the number of texts
  lffn_tokenizer* tokenizer = nullptr;
  ASSERT_EQ(lffn_tokenizer_load(kFolder, &options_, &tokenizer), LFFN_OK) << lffn_last_error();
  lffn_result* result = nullptr;
  ASSERT_EQ(lffn_result_create(&result), LFFN_OK);
  const std::vector<const char*> texts(400, kText.data());
  lffn_tokenizer_encode_args args;
  lffn_tokenizer_encode_args_init(&args);
  args.n = static_cast<int64_t>(texts.size());
  args.texts = texts.data();
  outputs::keep(args, outputs::kIds | outputs::kSpans);
  args.result = result;
  const auto encode = [&](int64_t allowed) {
    left = allowed;
    const lffn_status status = lffn_tokenizer_encode(tokenizer, &args);
    left = INT64_MAX;
    return status;
  };
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(encode(kFew), LFFN_ERROR_OUT_OF_MEMORY) << "it needs memory first, and once it was given back";
    ASSERT_EQ(encode(INT64_MAX), LFFN_OK) << lffn_last_error();
    EXPECT_EQ(encode(kFew), LFFN_OK) << lffn_last_error();
    lffn_trim();
  }
  lffn_result_free(result);
  lffn_tokenizer_free(tokenizer);
}

TEST_F(TextOutOfMemory, FillsMasks) {
  std::vector<int32_t> ids(6, -7);
  std::vector<float> probabilities(6, -7);
  int64_t masks = 0;
  const int failures = survive_with_scratch(
      [&] {
        return short_calls::fill_mask(model_, kText.data(), kText.size(), 3, ids.data(), probabilities.data(), 6,
                                      &masks);
      },
      [&] {
        for (const int32_t id : ids) ASSERT_EQ(id, -7);
        for (const float probability : probabilities) ASSERT_EQ(probability, -7);
      });
  EXPECT_GT(failures, 3) << "tokens and scratch memory";
  EXPECT_EQ(masks, 2);
}

// All memory is there before the first output is written.
TEST_F(TextOutOfMemory, GivesAllOutputsOrNone) {
  const char* const texts[] = {kText.data(), "another one"};
  std::vector<float> vectors(2 * static_cast<size_t>(info_.embedding_size), 7);
  std::vector<int32_t> ids(6, 7);
  double seconds[LFFN_NUM_STAGES];
  std::fill_n(seconds, LFFN_NUM_STAGES, 7);
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  args.texts = texts;
  args.n = 2;
  args.top_k = 3;
  const lffn_output outputs[] = {{LFFN_OUT_EMBEDDINGS, 0, vectors.data(), static_cast<int64_t>(vectors.size())},
                                 {LFFN_OUT_FILLING_IDS, 0, ids.data(), 6},
                                 {LFFN_OUT_STAGE_SECONDS, 0, seconds, LFFN_NUM_STAGES}};
  args.outputs = outputs;
  args.n_outputs = 3;
  const int failures = survive_with_scratch([&] { return lffn_model_run(model_, &args); },
                                            [&] {
                                              for (const float value : vectors) ASSERT_EQ(value, 7);
                                              for (const int32_t id : ids) ASSERT_EQ(id, 7);
                                              for (const double stage : seconds) ASSERT_EQ(stage, 7);
                                            });
  EXPECT_GT(failures, 3);
}

TEST_F(TextOutOfMemory, EmbedsAndClassifies) {
  const char* const texts[] = {kText.data(), "", "another one"};
  std::vector<float> vectors(3 * static_cast<size_t>(info_.embedding_size), 7),
      scores(3 * static_cast<size_t>(info_.num_classes), 7);
  const auto untouched = [](const std::vector<float>& out) {
    for (const float value : out) ASSERT_EQ(value, 7);
  };
  EXPECT_GT(survive_with_scratch(
                [&] {
                  return lffn_model_embed_texts(model_, texts, nullptr, 3, 0, vectors.data(),
                                                static_cast<int64_t>(vectors.size()));
                },
                [&] { untouched(vectors); }),
            3);
  EXPECT_GT(survive_with_scratch(
                [&] {
                  return short_calls::classify_texts(model_, texts, nullptr, 3, 0, scores.data(),
                                                     static_cast<int64_t>(scores.size()));
                },
                [&] { untouched(scores); }),
            3);
}

TEST_F(TextOutOfMemory, ResultsGrow) {
  constexpr uint32_t kGroups =
      outputs::kIds | outputs::kHidden | outputs::kEmbeddings | outputs::kClassScores | outputs::kFillings;
  outputs::list_of(kGroups);  // is made before memory is scarce
  const char* const texts[] = {kText.data(), "", "another one"};
  const int failures = survive_with_scratch(
      [&] {
        lffn_result* result = nullptr;
        lffn_status status = lffn_result_create(&result);
        if (status != LFFN_OK) return status;
        lffn_model_run_args args;
        lffn_model_run_args_init(&args);
        args.texts = texts;
        args.n = 3;
        args.top_k = 2;
        args.result = result;
        outputs::keep(args, kGroups);
        status = lffn_model_run(model_, &args);
        lffn_result_free(result);
        return status;
      },
      [] {});
  EXPECT_GT(failures, 3);
}

}  // namespace
}  // namespace lffn
