// SPDX-License-Identifier: Apache-2.0
#include "library.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "lookupffn/lookupffn.h"
#include "tests/support/model_told.h"
#include "tests/support/outputs.h"

namespace draws {
namespace {

void check(lffn_status status, const char* what) {
  if (status != LFFN_OK) throw std::runtime_error(std::string(what) + ": " + lffn_last_error());
}

// The options of a load, and the runtime that they name.
struct Options {
  explicit Options(const HowToLoad& how) : runtime(nullptr, lffn_runtime_free) {
    lffn_load_options_init(&options);
    options.num_threads = how.threads;
    options.linear_dtype = options.embedding_dtype = how.weights == Weights::kFloat  ? LFFN_DTYPE_F32
                                                     : how.weights == Weights::kBf16 ? LFFN_DTYPE_BF16
                                                                                     : LFFN_DTYPE_INT8;
    if (how.isa == nullptr) return;
    lffn_runtime_options with;
    lffn_runtime_options_init(&with);
    with.isa = how.isa;
    lffn_runtime* made = nullptr;
    check(lffn_runtime_create(&with, &made), "runtime");
    runtime.reset(made);
    options.runtime = made;
  }
  lffn_load_options options;
  std::unique_ptr<lffn_runtime, void (*)(lffn_runtime*)> runtime;
};

size_t place(int64_t n) { return static_cast<size_t>(n); }

// The call's sequences, and where their outputs go.
class Call {
 public:
  Call(const LoadedModel& model, const Request& request) : model_(model.model), request_(request) {
    check(model_told::get(model_, info_), "info");
    lffn_model_run_args_init(&args_);
    if (request.texts.empty()) {
      put_ids();
    } else {
      for (const std::string& text : request.texts) {
        texts_.push_back(text.data());
        sizes_.push_back(text.size());
      }
      args_.texts = texts_.data();
      args_.text_sizes = sizes_.data();
      args_.n = static_cast<int64_t>(texts_.size());
    }
    args_.pooling = request.pooling;
    args_.normalize = request.normalize;
    args_.dimensions = request.dimensions;
    if (request.fillings) args_.top_k = request.top_k;
    args_.num_threads = request.threads;
    if (request.entities) args_.aggregation = request.aggregation;
    outputs_.resize(place(args_.n));
  }

  std::vector<Output> run() { return request_.into_own_memory ? into_own_memory() : into_result(); }

 private:
  void put_ids() {
    offsets_ = {0};
    for (size_t s = 0; s < request_.ids.size(); ++s) {
      const std::vector<int32_t>& ids = request_.ids[s];
      ids_.insert(ids_.end(), ids.begin(), ids.end());
      if (!request_.types.empty()) {
        types_.insert(types_.end(), request_.types[s].begin(), request_.types[s].end());
      }
      offsets_.push_back(static_cast<int64_t>(ids_.size()));
      counts_.push_back(request_.positions.empty() ? 0 : static_cast<int64_t>(request_.positions[s].size()));
      for (int64_t i = 0; i < counts_.back(); ++i) {
        positions_.push_back(offsets_[s] + request_.positions[s][place(i)]);
      }
    }
    args_.ids = ids_.data();
    args_.offsets = offsets_.data();
    args_.n = static_cast<int64_t>(request_.ids.size());
    if (!types_.empty()) args_.token_types = types_.data();
    if (!request_.all_positions && request_.logits) {
      args_.logit_positions = positions_.data();
      args_.n_logit_positions = static_cast<int64_t>(positions_.size());
    }
  }

  // rows[s] to rows[s + 1] of each sequence, `size` bytes each.
  void share_out(const char* name, const void* data, const int64_t* rows, size_t size) {
    for (size_t s = 0; s < outputs_.size(); ++s) {
      const char* const bytes = static_cast<const char*>(data);
      std::string& to = outputs_[s][name];
      if (rows[s + 1] > rows[s]) to.assign(bytes + place(rows[s]) * size, place(rows[s + 1] - rows[s]) * size);
    }
  }

  std::vector<int64_t> each() const {
    std::vector<int64_t> rows;
    for (int64_t s = 0; s <= args_.n; ++s) rows.push_back(s);
    return rows;
  }
  std::vector<int64_t> rows_of_positions() const {
    std::vector<int64_t> rows = {0};
    for (const int64_t count : counts_) rows.push_back(rows.back() + count);
    return rows;
  }

  std::vector<Output> into_result() {
    uint32_t groups = 0;
    const auto want = [&](bool is, uint32_t group) {
      if (is) groups |= group;
    };
    want(request_.hidden, outputs::kHidden);
    want(request_.embeddings, outputs::kEmbeddings);
    want(request_.int8, outputs::kInt8Embeddings);
    want(request_.bits, outputs::kBitEmbeddings);
    want(request_.logits, outputs::kLogits);
    want(request_.class_scores, outputs::kClassScores);
    want(request_.token_scores, outputs::kTokenScores);
    want(request_.fillings, outputs::kFillings);
    want(request_.sparse, outputs::kSparse);
    want(request_.vectors, outputs::kTokenVectors | outputs::kInt8TokenVectors);
    want(request_.entities, outputs::kEntities);
    want(!request_.texts.empty(), outputs::kIds);
    if (request_.all_positions && request_.logits) args_.flags |= LFFN_RUN_ALL_LOGITS;
    outputs::keep(args_, groups);
    lffn_result* result = nullptr;
    check(lffn_result_create(&result), "result");
    const std::unique_ptr<lffn_result, void (*)(lffn_result*)> owner(result, lffn_result_free);
    args_.result = result;
    check(lffn_model_run(model_, &args_), "run");
    const outputs::View view(result);
    const size_t four = sizeof(float), wide = place(view.embedding_size);
    const std::vector<int64_t> one = each(), asked = rows_of_positions();
    if (view.ids != nullptr) share_out("ids", view.ids, view.offsets, sizeof(int32_t));
    if (view.hidden != nullptr) share_out("hidden", view.hidden, view.offsets, four * place(info_.hidden_size));
    if (view.embeddings != nullptr) share_out("embeddings", view.embeddings, one.data(), four * wide);
    if (view.int8_embeddings != nullptr) {
      share_out("int8", view.int8_embeddings, one.data(), wide);
      share_out("scales", view.embedding_scales, one.data(), four);
    }
    if (view.bit_embeddings != nullptr) share_out("bits", view.bit_embeddings, one.data(), (wide + 7) / 8);
    if (view.logits != nullptr) {
      share_out("logits", view.logits, request_.all_positions ? view.offsets : asked.data(),
                four * place(info_.vocab_size));
    }
    if (view.class_scores != nullptr) {
      share_out("class scores", view.class_scores, one.data(), four * place(info_.num_classes));
    }
    if (view.token_scores != nullptr) {
      share_out("token scores", view.token_scores, view.offsets, four * place(info_.num_token_classes));
    }
    if (view.filling_ids != nullptr) {
      share_out("fillings", view.filling_ids, view.mask_offsets, four * place(args_.top_k));
      share_out("probabilities", view.filling_probabilities, view.mask_offsets, four * place(args_.top_k));
    }
    if (view.sparse_ids != nullptr) {
      share_out("sparse ids", view.sparse_ids, view.sparse_offsets, four);
      share_out("sparse", view.sparse_weights, view.sparse_offsets, four);
    }
    if (view.token_vectors != nullptr) {
      const size_t size = place(view.token_vector_size);
      share_out("vectors", view.token_vectors, view.vector_offsets, four * size);
      share_out("int8 vectors", view.int8_token_vectors, view.vector_offsets, size);
      share_out("vector scales", view.token_vector_scales, view.vector_offsets, four);
    }
    if (view.entity_offsets != nullptr) {
      share_out("entity begins", view.entity_begins, view.entity_offsets, sizeof(int64_t));
      share_out("entity ends", view.entity_ends, view.entity_offsets, sizeof(int64_t));
      share_out("entity scores", view.entity_scores, view.entity_offsets, four);
      share_out("entity classes", view.entity_classes, view.entity_offsets, four);
    }
    return std::move(outputs_);
  }

  std::vector<Output> into_own_memory() {
    const int64_t tokens = offsets_.back();
    // Beyond its end nothing may be written.
    constexpr float kUntouched = -12345.5f;
    constexpr size_t kBehind = 40;
    struct Array {
      const char* name;
      std::vector<float> floats;
      std::vector<int64_t> rows;
      int64_t size;
    };
    std::vector<Array> arrays;
    arrays.reserve(8);
    outputs::List list;
    const auto make = [&](bool is, int32_t what, const char* name, const std::vector<int64_t>& rows, int64_t size) {
      if (!is) return;
      const int64_t capacity = rows.back() * size;
      arrays.push_back({name, std::vector<float>(place(capacity) + kBehind, kUntouched), rows, size});
      list.add(what, arrays.back().floats.data(), capacity);
    };
    int32_t pooled = request_.pooling != 0 ? info_.hidden_size : info_.embedding_size;
    if (request_.dimensions > 0) pooled = request_.dimensions;
    const bool logits = request_.logits && !request_.all_positions;
    make(request_.hidden, LFFN_OUT_HIDDEN, "hidden", offsets_, info_.hidden_size);
    make(request_.embeddings, LFFN_OUT_EMBEDDINGS, "embeddings", each(), pooled);
    make(logits, LFFN_OUT_LOGITS, "logits", rows_of_positions(), info_.vocab_size);
    make(request_.class_scores, LFFN_OUT_CLASS_SCORES, "class scores", each(), info_.num_classes);
    make(request_.token_scores, LFFN_OUT_TOKEN_SCORES, "token scores", offsets_, info_.num_token_classes);
    if (!logits) {
      args_.logit_positions = nullptr;
      args_.n_logit_positions = 0;
    }
    if (arrays.empty() || tokens == 0) return {};
    list.give(args_);
    args_.top_k = 0;
    if (!request_.embeddings) args_.pooling = args_.normalize = args_.dimensions = 0;
    args_.aggregation = 0;
    check(lffn_model_run(model_, &args_), "run into own memory");
    for (const Array& array : arrays) {
      if (std::count(array.floats.end() - kBehind, array.floats.end(), kUntouched) != kBehind) {
        throw std::runtime_error(std::string("behind the end of ") + array.name + " something was written");
      }
      share_out(array.name, array.floats.data(), array.rows.data(), place(array.size) * sizeof(float));
    }
    return std::move(outputs_);
  }

  const lffn_model* model_;
  const Request& request_;
  model_told::Info info_ = {};
  lffn_model_run_args args_;
  std::vector<int32_t> ids_, types_;
  std::vector<int64_t> offsets_, positions_, counts_;
  std::vector<const char*> texts_;
  std::vector<size_t> sizes_;
  std::vector<Output> outputs_;
};

}  // namespace

LoadedModel::~LoadedModel() { lffn_model_free(model); }

ModelPtr load(const std::map<std::string, std::string>& files, const HowToLoad& how) {
  std::vector<lffn_file> list;
  for (const auto& [name, content] : files) {
    lffn_file file;
    lffn_file_init(&file);
    file.name = name.c_str();
    file.data = content.data();
    file.size = content.size();
    list.push_back(file);
  }
  const Options options(how);
  lffn_model* model = nullptr;
  check(lffn_model_load_files(list.data(), static_cast<int64_t>(list.size()), &options.options, &model), "load");
  return std::make_unique<LoadedModel>(model);
}

ModelPtr load_saved(const LoadedModel& model, const std::string& path, const HowToLoad& how) {
  check(lffn_model_save(model.model, path.c_str(), nullptr), "save");
  const Options options(how);
  lffn_model* again = nullptr;
  check(lffn_model_load(path.c_str(), &options.options, &again), "load what was saved");
  return std::make_unique<LoadedModel>(again);
}

std::vector<std::pair<const char*, bool>> instruction_sets() {
  std::vector<std::pair<const char*, bool>> found;
  for (const char* name : {"generic", "baseline", "avx2", "avxvnni", "avx512", "avx512vnni", "avx512vbmi", "neon",
                           "neondot", "neoni8mm"}) {
    lffn_runtime_options options;
    lffn_runtime_options_init(&options);
    options.isa = name;
    lffn_runtime* runtime = nullptr;
    if (lffn_runtime_create(&options, &runtime) != LFFN_OK) continue;
    lffn_runtime_free(runtime);
    const bool has_fma = std::strcmp(name, "generic") != 0 && std::strcmp(name, "baseline") != 0;
    found.emplace_back(name, has_fma);
  }
  return found;
}

std::vector<Output> run(const LoadedModel& model, const Request& request) { return Call(model, request).run(); }

template <typename T>
std::vector<T> numbers(const Output& output, const std::string& name) {
  const auto found = output.find(name);
  if (found == output.end()) return {};
  std::vector<T> values(found->second.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), found->second.data(), values.size() * sizeof(T));
  return values;
}
template std::vector<float> numbers(const Output&, const std::string&);
template std::vector<int32_t> numbers(const Output&, const std::string&);
template std::vector<int64_t> numbers(const Output&, const std::string&);
template std::vector<int8_t> numbers(const Output&, const std::string&);
template std::vector<uint8_t> numbers(const Output&, const std::string&);

}  // namespace draws
