// SPDX-License-Identifier: Apache-2.0
// Makes each allocation fail in turn while a folder is read, and in a call that finds entities, answers or labels: each
// then says so, and leaves nothing behind.
#include "made_folder.h"
#include "model/text_batch.h"
#include "tests/format/out_of_memory.h"
#include "tests/support/allocator.h"
#include "tests/support/outputs.h"

namespace lffn {
namespace {

// Makes each allocation of loading, running and saving a sentence encoder's folder fail in turn: nothing is lost, and
// nothing but the want of memory is blamed.

lffn_status status_of(const std::function<void()>& action) {
  try {
    action();
    return LFFN_OK;
  } catch (const Error& error) {
    ADD_FAILURE() << error.what();
    return error.status();
  } catch (const std::bad_alloc&) {
    return LFFN_ERROR_OUT_OF_MEMORY;
  }
}

class FolderOutOfMemory : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    const lffn_allocator allocator = allocator_of(hook_allocate, hook_deallocate);
    ASSERT_EQ(lffn_set_default_allocator(&allocator), LFFN_OK);
    const std::string from = std::string(LFFN_HF_DATA) + "/distilbert-classes";
    for (const char* name : {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}) {
      std::filesystem::copy(from + "/" + name, path(name));
    }
    write("modules.json",
          "[{\"path\":\"\",\"type\":\"sentence_transformers.models.Transformer\"},"
          "{\"path\":\"1_Pooling\",\"type\":\"sentence_transformers.models.Pooling\"},"
          "{\"path\":\"2_Dense\",\"type\":\"sentence_transformers.models.Dense\"}]");
    write("1_Pooling/config.json", "{\"include_prompt\":false}");
    write("2_Dense/config.json", "{\"in_features\":48,\"out_features\":20,\"bias\":false}");
    write("2_Dense/model.safetensors", safetensors_of({made_tensor("linear.weight", {20, 48})}));
    write("config_sentence_transformers.json", "{\"prompts\":{\"a\":\"A prompt: \"},\"default_prompt_name\":\"a\"}");
    options_.num_threads = 1;
  }
  void TearDown() override {
    EXPECT_EQ(lffn_set_default_allocator(nullptr), LFFN_OK);
    InFolder::TearDown();
  }
  void write(const std::string& name, const std::string& content) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(path(name), std::ios::binary) << content;
  }

  // Failing allocations one by one takes long where there are thousands: a few of the later ones are left out.
  void survive_all(const std::function<void()>& action) {
    for (int64_t allowed = 0;; allowed += 1 + allowed / 50) {
      const Balance before;
      left = allowed;
      refused = 0;
      const lffn_status status = status_of(action);
      left = INT64_MAX;
      EXPECT_TRUE(before == Balance()) << "something is left after " << allowed << " allocations";
      if (status == LFFN_OK) {
        EXPECT_EQ(refused, 0) << "an allocation failed unnoticed, after " << allowed;
        break;
      }
      EXPECT_EQ(status, LFFN_ERROR_OUT_OF_MEMORY);
      if (HasFailure()) break;
    }
  }

  ModelLoadOptions options_;
};

TEST_F(FolderOutOfMemory, Loading) {
  survive_all([&] { load_model(folder_.string(), options_, usable_kernels()); });
}

// Adapters, rotary positions, local layers.
TEST_F(FolderOutOfMemory, RotaryEncoders) {
  const std::string norms = R"("hidden_size":16,"num_hidden_layers":2,"num_attention_heads":2,"vocab_size":1000,)"
                            R"("intermediate_size":24,"max_position_embeddings":64,)";
  MadeFolder modern;
  modern.files["config.json"] = "{" + norms + R"("model_type":"modernbert","local_attention":4})";
  modern.tensors = {made_tensor("embeddings.tok_embeddings.weight", {1000, 16}),
                    made_tensor("embeddings.norm.weight", {16}, 1), made_tensor("final_norm.weight", {16}, 1)};
  for (const std::string layer : {"layers.0.", "layers.1."}) {
    for (const char* norm : {"attn_norm.weight", "mlp_norm.weight"}) {
      if (layer + norm != "layers.0.attn_norm.weight") modern.tensors.push_back(made_tensor(layer + norm, {16}, 1));
    }
    modern.tensors.push_back(made_tensor(layer + "attn.Wqkv.weight", {48, 16}));
    modern.tensors.push_back(made_tensor(layer + "attn.Wo.weight", {16, 16}));
    modern.tensors.push_back(made_tensor(layer + "mlp.Wi.weight", {48, 16}));
    modern.tensors.push_back(made_tensor(layer + "mlp.Wo.weight", {16, 24}));
  }
  survive_all([&] {
    std::vector<float> hidden(13 * 16);
    const SomeIds input;
    const auto model = modern.load(options_);
    ModelCall call = input.call();
    call.hidden = hidden.data();
    model->run(call);
  });
}

TEST_F(FolderOutOfMemory, TextsAndModules) {
  // Loaded anew each time, as a model keeps its scratch memory.
  survive_all([&] {
    const int64_t allowed = left;
    left = INT64_MAX;
    const auto model = load_model(folder_.string(), options_, usable_kernels());
    left = allowed;
    TextOptions options;
    options.prompt = default_prompt(*model);
    options.max_tokens = model->own_max_tokens();
    TextBatch batch;
    batch.start(*model, options);
    batch.add("A sentence.");
    batch.add_pair("Another, longer one.", "With its pair.");
    batch.add_nothing();
    std::vector<float> embeddings(60), scores(6);
    ModelCall call;
    batch.fill(call);
    call.embeddings = embeddings.data();
    call.class_scores = scores.data();
    model->run(call);
  });
}

TEST_F(FolderOutOfMemory, Saving) {
  const auto model = load_model(folder_.string(), options_, usable_kernels());
  survive_all([&] { model->save(path("saved")); });
  EXPECT_EQ(load_model(path("saved"), options_, usable_kernels())->embedding_size(std::nullopt), 20);
}

// Makes each allocation of a call that finds entities, answers or labels fail in turn: every call then says so, and
// leaves nothing behind.

class TasksOutOfMemory : public testing::Test {
 protected:
  void SetUp() override {
    const lffn_allocator allocator = allocator_of(hook_allocate, hook_deallocate);
    ASSERT_EQ(lffn_set_default_allocator(&allocator), LFFN_OK);
  }
  void TearDown() override { EXPECT_EQ(lffn_set_default_allocator(nullptr), LFFN_OK); }

  // The model is loaded anew for each try, since one that has run keeps its memory.
  void survive_all(const char* name, const std::function<lffn_status(const lffn_model*)>& action) {
    lffn_load_options options;
    lffn_load_options_init(&options);
    options.num_threads = 1;
    const std::string folder = std::string(LFFN_SMALL_FOLDERS) + "/" + name;
    int failures = 0;
    for (lffn_status status = LFFN_ERROR_OUT_OF_MEMORY; status != LFFN_OK && !HasFailure(); ++failures) {
      const Balance before;
      lffn_model* model = nullptr;
      ASSERT_EQ(lffn_model_load(folder.c_str(), &options, &model), LFFN_OK) << lffn_last_error();
      left = failures;
      refused = 0;
      status = action(model);
      left = INT64_MAX;
      EXPECT_TRUE(status == LFFN_ERROR_OUT_OF_MEMORY || (status == LFFN_OK && refused == 0)) << lffn_last_error();
      lffn_model_free(model);
      EXPECT_TRUE(before == Balance()) << "something is left after " << failures << " allocations";
    }
    EXPECT_GT(failures, 10);
  }
};

constexpr char kText[] = "Hello, world! The quick brown fox.";

TEST_F(TasksOutOfMemory, Entities) {
  outputs::list_of(outputs::kEntities);  // is made before memory is scarce
  survive_all("bert-tokens", [](const lffn_model* model) {
    lffn_result* result = nullptr;
    lffn_status status = lffn_result_create(&result);
    if (status != LFFN_OK) return status;
    const char* const text = kText;
    lffn_model_run_args args;
    lffn_model_run_args_init(&args);
    args.texts = &text;
    args.n = 1;
    outputs::keep(args, outputs::kEntities);
    args.aggregation = LFFN_AGGREGATION_AVERAGE;
    args.result = result;
    status = lffn_model_run(model, &args);
    lffn_result_free(result);
    return status;
  });
}

TEST_F(TasksOutOfMemory, Answers) {
  survive_all("bert-answers", [](const lffn_model* model) {
    lffn_model_answer_args args;
    lffn_model_answer_args_init(&args);
    args.question = "fox";
    args.question_size = 3;
    args.context = kText;
    args.context_size = sizeof kText - 1;
    args.max_tokens = 16;
    args.stride = 2;
    float score = 0;
    const lffn_output output = {LFFN_OUT_ANSWER_SCORES, 0, &score, 1};
    args.outputs = &output;
    args.n_outputs = 1;
    return lffn_model_answer(model, &args);
  });
}

}  // namespace

}  // namespace lffn
