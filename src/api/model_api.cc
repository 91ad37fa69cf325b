// The functions on models: argument checks, and no more.
#include <cstddef>
#include <cstring>
#include <memory>

#include "api/boundary.h"
#include "api/load_options.h"
#include "api/model_handle.h"
#include "runtime/log.h"

using namespace lffn;

namespace {

void hand_out(std::unique_ptr<const Model> model, lffn_model** out) {
  const lffn_model_info info = model->info();
  *out = new lffn_model{std::move(model)};
  count_handle(1);
  log(LFFN_LOG_INFO, "model ready: %d layers of %d, %d of them with lookup FFNs, %lld bytes, kernels %s, %d threads",
      info.num_layers, info.hidden_size, info.num_lookup_layers, static_cast<long long>(info.memory_bytes), lffn_isa(),
      info.num_threads);
}

long long printable(int64_t value) { return value; }

void check_count(int64_t count, const char* name) {
  if (count < 0) fail(LFFN_ERROR_INVALID_ARGUMENT, "%s is %lld, expected 0 or more", name, printable(count));
}

// Whether so many rows of floats can be addressed at all.
void check_extent(int64_t rows, int64_t columns, const char* name) {
  size_t floats = 0, bytes = 0;
  if (__builtin_mul_overflow(static_cast<size_t>(rows), static_cast<size_t>(columns), &floats) ||
      __builtin_mul_overflow(floats, sizeof(float), &bytes) || bytes > PTRDIFF_MAX) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s: %lld rows of %lld floats are more than any memory holds", name,
         printable(rows), printable(columns));
  }
}

void check_sequences(const ModelConfig& config, const lffn_model_run_args& args) {
  need(args.offsets, "offsets");
  if (args.offsets[0] != 0) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "offsets[0] is %lld, expected 0", printable(args.offsets[0]));
  }
  const bool pooled = args.class_scores != nullptr || args.embeddings != nullptr;
  for (int64_t s = 0; s < args.n; ++s) {
    const int64_t begin = args.offsets[s], end = args.offsets[s + 1];
    if (end < begin) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "offsets[%lld] is %lld, less than offsets[%lld], %lld", printable(s + 1),
           printable(end), printable(s), printable(begin));
    }
    if (end - begin > config.max_tokens()) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "sequence %lld has %lld tokens, the model can run at most %lld", printable(s),
           printable(end - begin), printable(config.max_tokens()));
    }
    if (pooled && end == begin) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "sequence %lld is empty, which has no embedding and no class scores",
           printable(s));
    }
  }
  const int64_t tokens = args.offsets[args.n];
  if (tokens == 0) return;
  need(args.ids, "ids");
  for (int64_t t = 0; t < tokens; ++t) {
    if (args.ids[t] < 0 || args.ids[t] >= config.vocab_size) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "ids[%lld] is %d, the vocabulary has 0 to %d", printable(t), args.ids[t],
           config.vocab_size - 1);
    }
  }
}

void run(const lffn_model* handle, const lffn_model_run_args& args) {
  const Model& model = *handle->model;
  const ModelConfig& config = model.config();
  check_count(args.n, "n");
  if (args.embeddings != nullptr && (args.pooling < LFFN_POOLING_FIRST || args.pooling > LFFN_POOLING_MAX)) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "pooling is %d, expected an LFFN_POOLING_ value", args.pooling);
  }
  if (args.class_scores != nullptr && model.num_classes() == 0) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "this model has no classifier");
  }
  if (args.logits != nullptr) {
    if (!model.has_lm_head()) fail(LFFN_ERROR_INVALID_ARGUMENT, "this model has no language model head");
    check_count(args.n_positions, "n_positions");
    check_extent(args.n_positions, config.vocab_size, "logits");
    if (args.n_positions > 0) need(args.positions, "positions");
  }
  if (args.n > 0) check_sequences(config, args);
  const int64_t tokens = args.n > 0 ? args.offsets[args.n] : 0;
  for (int64_t i = 0; args.logits != nullptr && i < args.n_positions; ++i) {
    if (args.positions[i] < 0 || args.positions[i] >= tokens) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "positions[%lld] is %lld, there are %lld tokens", printable(i),
           printable(args.positions[i]), printable(tokens));
    }
  }
  check_extent(tokens, config.hidden_size, "hidden");

  ModelCall call;
  call.ids = args.ids;
  call.offsets = args.offsets;
  call.num_sequences = args.n;
  call.hidden = args.hidden;
  call.positions = args.positions;
  call.num_positions = args.n_positions;
  call.logits = args.n_positions > 0 ? args.logits : nullptr;
  call.class_scores = args.class_scores;
  constexpr Pooling kPoolings[] = {Pooling::kFirst, Pooling::kMean, Pooling::kMax};
  if (args.embeddings != nullptr) call.pooling = kPoolings[args.pooling];
  call.scaling = args.normalize != 0 ? Scaling::kYes : Scaling::kNo;
  call.embeddings = args.embeddings;
  call.cancel = args.cancel;
  call.seconds = args.seconds;
  model.run(call);
}

lffn_model_run_args sequences(const int32_t* ids, const int64_t* offsets, int64_t n) {
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  args.ids = ids;
  args.offsets = offsets;
  args.n = n;
  return args;
}

}  // namespace

extern "C" {

lffn_status lffn_model_load(const char* path, const lffn_load_options* options, lffn_model** out) {
  return guarded([&] {
    need(path, "path");
    need(out, "out");
    const LoadOptions read = read_options(options);
    hand_out(load_model(path, read, usable_kernels()), out);
  });
}

lffn_status lffn_model_load_memory(const void* data, size_t size, const lffn_load_options* options, lffn_model** out) {
  return guarded([&] {
    need(out, "out");
    if (size > 0) need(data, "data");
    hand_out(load_model_file(BorrowedBytes(data, size), read_options(options), usable_kernels()), out);
  });
}

lffn_status lffn_model_save(const lffn_model* model, const char* path) {
  return guarded([&] {
    need(model, "model");
    need(path, "path");
    model->model->save(path);
  });
}

void lffn_model_free(lffn_model* model) {
  if (model == nullptr) return;
  delete model;
  count_handle(-1);
}

void lffn_model_info_init(lffn_model_info* info) {
  if (info == nullptr) return;
  *info = {};
  info->struct_size = sizeof(lffn_model_info);
}

lffn_status lffn_model_get_info(const lffn_model* model, lffn_model_info* info) {
  return guarded([&] {
    need(model, "model");
    need(info, "info");
    const size_t size = info->struct_size;
    need_size(size, sizeof(lffn_model_info), "info");
    const lffn_model_info filled = model->model->info();
    std::memcpy(info, &filled, sizeof filled);
    info->struct_size = size;
  });
}

lffn_status lffn_model_encode(const lffn_model* model, const int32_t* ids, const int64_t* offsets, int64_t n,
                              float* hidden) {
  return guarded([&] {
    need(model, "model");
    lffn_model_run_args args = sequences(ids, offsets, n);
    args.hidden = hidden;
    run(model, args);  // which without hidden only checks the sequences
    if (n > 0 && offsets[n] > 0) need(hidden, "hidden");
  });
}

lffn_status lffn_model_logits(const lffn_model* model, const int32_t* ids, const int64_t* offsets, int64_t n,
                              const int64_t* positions, int64_t n_positions, float* logits) {
  return guarded([&] {
    need(model, "model");
    check_count(n_positions, "n_positions");
    if (n_positions > 0) need(logits, "logits");
    lffn_model_run_args args = sequences(ids, offsets, n);
    args.positions = positions;
    args.n_positions = n_positions;
    args.logits = logits;
    run(model, args);
  });
}

lffn_status lffn_model_classify(const lffn_model* model, const int32_t* ids, const int64_t* offsets, int64_t n,
                                float* scores) {
  return guarded([&] {
    need(model, "model");
    if (n > 0) need(scores, "scores");
    lffn_model_run_args args = sequences(ids, offsets, n);
    args.class_scores = scores;
    run(model, args);
  });
}

lffn_status lffn_model_embed(const lffn_model* model, const int32_t* ids, const int64_t* offsets, int64_t n,
                             int32_t pooling, int32_t normalize, float* out) {
  return guarded([&] {
    need(model, "model");
    if (n > 0) need(out, "out");
    lffn_model_run_args args = sequences(ids, offsets, n);
    args.pooling = pooling;
    args.normalize = normalize;
    args.embeddings = out;
    run(model, args);
  });
}

void lffn_model_run_args_init(lffn_model_run_args* args) {
  if (args == nullptr) return;
  *args = {};
  args->struct_size = sizeof(lffn_model_run_args);
}

lffn_status lffn_model_run(const lffn_model* model, const lffn_model_run_args* args) {
  return guarded([&] {
    need(model, "model");
    need(args, "args");
    need_size(args->struct_size, sizeof(lffn_model_run_args), "args");
    run(model, *args);
  });
}

}  // extern "C"
