// SPDX-License-Identifier: Apache-2.0
// The bytes are names and contents of files in turns, with zero bytes between, which join a small encoder's folder or
// replace files of it: loading either refuses them with a reason or gives a model that runs.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "format/folder.h"
#include "format/utf8.h"
#include "model/late/late_vectors.h"
#include "model/model.h"
#include "model/text_batch.h"
#include "run/entities.h"
#include "tasks/tasks.h"
#include "tests/fuzz/require.h"
#include "tests/support/allocator.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using namespace lffn;

constexpr size_t kMostBytes = size_t{64} << 20;  // of one allocation
constexpr int64_t kMostNumbers = 1 << 20;        // of the outputs made here

void* allocate(size_t size, size_t alignment, void*) {
  return size > kMostBytes ? nullptr : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void deallocate(void* memory, size_t, void*) { std::free(memory); }

class Weights {
 public:
  void add(const std::string& name, const std::vector<int>& shape) {
    std::string text;
    size_t count = 1;
    for (const int n : shape) {
      text += (text.empty() ? "" : ",") + std::to_string(n);
      count *= static_cast<size_t>(n);
    }
    header_ += (header_.size() > 1 ? ",\"" : "\"") + name + "\":{\"dtype\":\"F32\",\"shape\":[" + text +
               "],\"data_offsets\":[" + std::to_string(data_.size()) + ',' +
               std::to_string(data_.size() + count * sizeof(float)) + "]}";
    for (size_t i = 0; i < count; ++i) {
      const float value = static_cast<float>((i * 7 + name.size()) % 11) * 0.1f - 0.5f;
      data_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
  }
  void linear(const std::string& name, int outputs, int inputs) {
    add(name + ".weight", {outputs, inputs});
    add(name + ".bias", {outputs});
  }
  void norm(const std::string& name) {
    add(name + ".weight", {8});
    add(name + ".bias", {8});
  }
  void products(const std::string& before, const std::vector<std::pair<const char*, std::vector<int>>>& all) {
    for (const auto& [name, shape] : all) add(before + name + ".weight", shape);
  }
  std::string file() const {
    const std::string header = header_ + "}";
    std::string result;
    for (int i = 0; i < 8; ++i) result += static_cast<char>(uint64_t{header.size()} >> (8 * i));
    return result + header + data_;
  }

 private:
  std::string header_ = "{", data_;
};

// Its one FFN is of the kind that the input's config speaks of.
std::map<std::string, std::string> small_bert(const std::string& config) {
  const auto has = [&](const char* words) { return config.find(words) != std::string::npos; };
  Weights weights, dense;
  weights.add("embeddings.word_embeddings.weight", {13, 8});
  weights.add("embeddings.position_embeddings.weight", {12, 8});
  weights.add("embeddings.token_type_embeddings.weight", {2, 8});
  weights.norm("embeddings.LayerNorm");
  for (const char* name :
       {"attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"}) {
    weights.linear(std::string("encoder.layer.0.") + name, 8, 8);
  }
  weights.norm("encoder.layer.0.attention.output.LayerNorm");
  if (has("ffn_num_table")) {
    weights.add("encoder.layer.0.FFN.hash.projection.weight",
                has("bh2") ? std::vector<int>{1, 2, 2, 4, 4} : std::vector<int>{6, 8});
    weights.add("encoder.layer.0.FFN.hash.projection.bias", {6});
    weights.add("encoder.layer.0.FFN.tables", {3, 4, 8});
    weights.add("encoder.layer.0.FFN.bias", {8});
    if (has("ffn_linear")) weights.linear("encoder.layer.0.FFN.linear", 8, 8);
  } else {
    weights.linear("encoder.layer.0.intermediate.dense", 16, 8);
    weights.linear("encoder.layer.0.output.dense", 8, 16);
  }
  weights.norm("encoder.layer.0.output.LayerNorm");
  weights.linear("pooler.dense", 8, 8);
  weights.linear(has("ForQuestionAnswering") ? "qa_outputs" : "classifier", 2, 8);
  dense.linear("linear", 4, 8);
  return {{"config.json",
           "{\"model_type\":\"bert\",\"hidden_size\":8,\"num_hidden_layers\":1,\"num_attention_heads\":2,"
           "\"intermediate_size\":16,\"vocab_size\":13,\"max_position_embeddings\":12,\"type_vocab_size\":2}"},
          {"model.safetensors", weights.file()},
          {"2_Dense/model.safetensors", dense.file()},
          {"vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##b\n"}};
}

// Encoders with rotary positions, of the family that the input's config speaks of.
std::string small_modern_bert() {
  Weights weights;
  weights.products("", {{"embeddings.tok_embeddings", {13, 8}}, {"embeddings.norm", {8}}, {"final_norm", {8}}});
  weights.products(
      "layers.0.",
      {{"attn.Wqkv", {24, 8}}, {"attn.Wo", {8, 8}}, {"mlp.Wi", {32, 8}}, {"mlp.Wo", {8, 16}}, {"mlp_norm", {8}}});
  return weights.file();
}

std::string small_llama(bool norms_heads, bool norms_results) {
  Weights weights;
  weights.products("", {{"embed_tokens", {13, 8}}, {"norm", {8}}});
  weights.products("layers.0.", {{"input_layernorm", {8}},
                                 {"self_attn.q_proj", {8, 8}},
                                 {"self_attn.k_proj", {4, 8}},
                                 {"self_attn.v_proj", {4, 8}},
                                 {"self_attn.o_proj", {8, 8}},
                                 {"post_attention_layernorm", {8}},
                                 {"mlp.gate_proj", {16, 8}},
                                 {"mlp.up_proj", {16, 8}},
                                 {"mlp.down_proj", {8, 16}}});
  if (norms_heads) weights.products("layers.0.self_attn.", {{"q_norm", {4}}, {"k_norm", {4}}});
  if (norms_results) {
    weights.products("layers.0.", {{"pre_feedforward_layernorm", {8}}, {"post_feedforward_layernorm", {8}}});
  }
  return weights.file();
}

// With two adapters of rank 2.
std::string small_jina() {
  Weights weights;
  const auto adapted = [&](const std::string& name, int rows, int columns, bool looks_up) {
    weights.add(name + ".parametrizations.weight.original", {rows, columns});
    const std::vector<int> left = {2, rows, 2}, right = {2, 2, columns};
    weights.add(name + ".parametrizations.weight.0.lora_A", looks_up ? left : right);
    weights.add(name + ".parametrizations.weight.0.lora_B", looks_up ? right : left);
    if (!looks_up) weights.add(name + ".bias", {rows});
  };
  adapted("roberta.embeddings.word_embeddings", 13, 8, true);
  adapted("roberta.embeddings.token_type_embeddings", 1, 8, true);
  weights.norm("roberta.emb_ln");
  adapted("roberta.encoder.layers.0.mixer.Wqkv", 24, 8, false);
  adapted("roberta.encoder.layers.0.mixer.out_proj", 8, 8, false);
  adapted("roberta.encoder.layers.0.mlp.fc1", 16, 8, false);
  adapted("roberta.encoder.layers.0.mlp.fc2", 8, 16, false);
  weights.norm("roberta.encoder.layers.0.norm1");
  weights.norm("roberta.encoder.layers.0.norm2");
  return weights.file();
}

std::map<std::string, std::string> small_folder(const std::string& config) {
  const auto has = [&](const char* words) { return config.find(words) != std::string::npos; };
  std::map<std::string, std::string> files = small_bert(config);
  std::string& weights = files["model.safetensors"];
  if (has("modernbert")) weights = small_modern_bert();
  if (has("eurobert") || has("qwen3") || has("gemma3")) weights = small_llama(!has("eurobert"), has("gemma3"));
  if (has("lora_adaptations")) weights = small_jina();
  return files;
}

bool is_of_a_text(lffn_status status) {
  return status == LFFN_ERROR_INVALID_ARGUMENT || status == LFFN_ERROR_UNSUPPORTED || status == LFFN_ERROR_BAD_TEXT ||
         status == LFFN_ERROR_TOO_LONG;
}

// Entities or answers, which are parts of the text.
void look_for_parts(const Model& model) {
  constexpr std::string_view kText = " ab [MASK] \xC3\xA4 a [CLS] ";
  try {
    if (model.token_head() == TokenHead::kClasses) {
      TextOptions options;
      options.spans = true;
      options.max_tokens = model.own_max_tokens();
      TextBatch batch;
      batch.start(model, options);
      batch.add(kText);
      std::vector<float> scores(batch.rows().ids().size() * static_cast<size_t>(model.num_token_classes()));
      ModelCall call;
      batch.fill(call);
      call.token_scores = scores.data();
      model.run(call);
      EntityFinder finder;
      std::vector<Entity> entities;
      const ScoredTokens tokens = {batch.rows().ids().data(), batch.rows().spans().data(), batch.rows().texts().data(),
                                   scores.data(), static_cast<int64_t>(batch.rows().ids().size())};
      finder.find(model, kText, tokens, Aggregation::kFirst, true, entities);
      for (const Entity& entity : entities) {
        require(entity.begin <= entity.end && entity.end <= kText.size(), "an entity is a part of its text");
      }
    } else if (model.token_head() == TokenHead::kAnswers) {
      AnswerOptions options;
      CallMemory memory;
      options.max_tokens = 8;
      options.stride = 1;
      options.top_k = 3;
      options.may_be_none = true;
      for (const Answer& answer : find_answers(model, "a", kText, options, memory)) {
        require(answer.end <= kText.size(), "an answer is a part of its context");
      }
    }
  } catch (const Error& error) {
    require(is_of_a_text(error.status()), "a text is refused for a reason of its own");
  }
}

// What a late model makes of queries and documents.
void look_for_vectors(const Model& model) {
  const LateSettings& late = model.sentence().late;
  if (!late.is_late || model.token_vector_size() > kMostNumbers / 64) return;
  for (const LateRole role : {LateRole::kQuery, LateRole::kDocument}) {
    TextOptions options;
    options.role = role;
    TextBatch batch;
    try {
      batch.start(model, options);
      batch.add(" ab [MASK] a ");
      batch.add("");
    } catch (const Error& error) {
      require(is_of_a_text(error.status()), "a text is refused for a reason of its own");
      continue;
    }
    require(batch.rows().ids().size() <= 2 * static_cast<size_t>(model.config().max_tokens()),
            "texts are filled up to what the model runs");
    ModelCall call;
    batch.fill(call);
    std::vector<int64_t> tokens;
    for (int64_t s = 0; s < call.num_sequences; ++s) {
      require(call.keys(s) <= call.length(s), "what fills a text is a part of it");
      add_tokens_with_vectors(late, role, call.ids, call.offsets[s], call.offsets[s + 1], tokens);
    }
    std::vector<float> vectors(tokens.size() * static_cast<size_t>(model.token_vector_size()));
    call.vector_tokens = tokens.data();
    call.num_vectors = static_cast<int64_t>(tokens.size());
    call.token_vectors = vectors.data();
    SparseRows sparse;
    if (model.sentence().sparse.of_tokens) call.sparse = &sparse;
    if (!batch.rows().ids().empty()) model.run(call);
  }
}

void run(const Model& model) {
  const ModelConfig& config = model.config();
  const int64_t size = model.embedding_size(std::nullopt);
  if (int64_t{config.vocab_size} + size + model.num_classes() > kMostNumbers || config.max_tokens() < 2) return;
  require(model.own_max_tokens() > 0, "a model runs some tokens");
  const bool of_tokens = model.token_head() == TokenHead::kClasses;
  const auto token_classes = static_cast<size_t>(model.num_token_classes());
  require(model.labels().size() == (of_tokens ? token_classes : static_cast<size_t>(model.num_classes())),
          "each class has a name");
  const int32_t ids[3] = {0, config.vocab_size - 1, 0};
  const int64_t offsets[3] = {0, 2, 3};
  std::vector<float> embeddings(static_cast<size_t>(size) * 2), scores(static_cast<size_t>(model.num_classes()) * 2);
  std::vector<float> token_scores(token_classes * 3);
  ModelCall call;
  call.ids = ids;
  call.offsets = offsets;
  call.num_sequences = 2;
  call.embeddings = embeddings.data();
  if (model.num_classes() > 0) call.class_scores = scores.data();
  if (token_classes > 0) call.token_scores = token_scores.data();
  model.run(call);
  if (model.tokenizer() == nullptr) return;
  look_for_parts(model);
  look_for_vectors(model);
  TextOptions options;
  options.prompt = default_prompt(model);
  options.max_tokens = model.own_max_tokens();
  TextBatch batch;
  try {
    batch.start(model, options);
    batch.add(" ab [MASK] \xC3\xA4 a ");
    batch.add_pair("a", "ab");
  } catch (const Error& error) {
    require(error.status() == LFFN_ERROR_INVALID_ARGUMENT || error.status() == LFFN_ERROR_BAD_TEXT,
            "a text is refused for a reason of its own");
    return;
  }
  for (const int32_t id : batch.rows().ids())
    require(id >= 0 && id < config.vocab_size, "a token is in the vocabulary");
  for (int64_t i = 0; i < batch.rows().size(); ++i) {
    require(batch.rows().offsets()[static_cast<size_t>(i) + 1] - batch.rows().offsets()[static_cast<size_t>(i)] <=
                config.max_tokens(),
            "a text is cut to what the model runs");
  }
  call = {};
  batch.fill(call);
  embeddings.resize(static_cast<size_t>(size * call.num_sequences));
  call.embeddings = embeddings.data();
  for (int64_t i = 0; i < batch.rows().size(); ++i) {  // nothing is made of an empty text
    if (batch.rows().offsets()[static_cast<size_t>(i)] == batch.rows().offsets()[static_cast<size_t>(i) + 1]) return;
  }
  model.run(call);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool ready = [] {
    const lffn_allocator allocator = allocator_of(allocate, deallocate);
    return lffn_set_default_allocator(&allocator) == LFFN_OK;
  }();
  require(ready, "the allocator is taken");
  std::map<std::string, std::string> given;
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (size_t at = 0; at < text.size();) {
    const size_t name_end = std::min(text.find('\0', at), text.size());
    const size_t end = std::min(text.find('\0', name_end + 1), text.size());
    if (name_end + 1 <= text.size()) {
      given[text.substr(at, name_end - at)] = text.substr(name_end + 1, end - std::min(end, name_end + 1));
    }
    at = end + 1;
  }
  const auto config = given.find("config.json");
  const std::string config_text = config == given.end() ? "" : config->second;
  std::map<std::string, std::string> files = small_folder(config_text);
  for (const auto& [name, content] : given) files[name] = content;
  std::vector<FolderInMemory::File> list;
  for (const auto& [name, content] : files) list.push_back({name, content.data(), content.size()});
  ModelLoadOptions options;
  options.num_threads = 1;
  if (config_text.find("lora_adaptations") != std::string::npos) options.adapter = "b";
  try {
    const auto model = load_model_folder(FolderInMemory(std::move(list)), options, usable_kernels());
    run(*model);
  } catch (const Error& error) {
    const std::string_view reason = error.what();
    require(!reason.empty() && valid_utf8_length(reason) == reason.size(), "a failed load tells why, in UTF-8");
    require(error.status() == LFFN_ERROR_BAD_MODEL || error.status() == LFFN_ERROR_UNSUPPORTED ||
                error.status() == LFFN_ERROR_IO ||
                (error.status() == LFFN_ERROR_INVALID_ARGUMENT && !options.adapter.empty()),
            "a failed load blames the files, or the adapter's name");
  } catch (const std::bad_alloc&) {
  }
  return 0;
}
