// SPDX-License-Identifier: Apache-2.0
// The functions that load, save and describe models.
#include <memory>

#include "api/boundary.h"
#include "api/file_options.h"
#include "api/handles.h"
#include "api/structs.h"
#include "model/memory_estimate.h"
#include "run/entities.h"
#include "runtime/hooks.h"

using namespace lffn;

namespace {

void hand_out(Loading& loading, std::unique_ptr<const Model> model, lffn_model** out) {
  const ModelInfo info = model->info();
  auto handle = std::make_unique<lffn_model>();
  handle->runtime = loading.runtime();
  handle->model = std::move(model);
  loading.finish();
  *out = handle.release();
  count_handle(1);
  log(LFFN_LOG_INFO, "model ready: %d layers of %d, %d of them with lookup FFNs, %zu bytes, kernels %s, %d threads",
      info.num_layers, info.hidden_size, info.num_lookup_layers, info.memory_bytes, loading.kernels().name,
      info.num_threads);
}

// Gives one part of a model's description.
template <typename Part>
lffn_status tell(const lffn_model* model, Part* part, const char* name) {
  return guarded([&] {
    need(model, "model");
    write_struct<Part>(model->model->info(), part, name);
  });
}

// `place` is a path or a folder in memory.
template <typename Place>
void estimate_for(const Place& place, const lffn_load_options* options, lffn_memory_estimate* estimate) {
  checked_size(estimate, "estimate");
  const Loading loading(options);
  const MemoryEstimate found = estimate_memory(place, loading.options(), loading.kernels());
  write_struct(lffn_memory_estimate{sizeof(lffn_memory_estimate), found.weights, found.loading}, estimate, "estimate");
}

}  // namespace

extern "C" {

void lffn_file_init_sized(lffn_file* file, size_t struct_size) { init_struct(file, struct_size); }

lffn_status lffn_model_load(const char* path, const lffn_load_options* options, lffn_model** out) {
  return guarded([&] {
    need(path, "path");
    need(out, "out");
    Loading loading(options);
    hand_out(loading, load_model(path, loading.options(), loading.kernels()), out);
  });
}

lffn_status lffn_model_load_memory(const void* data, size_t size, const lffn_load_options* options, lffn_model** out) {
  return guarded([&] {
    need(out, "out");
    if (size > 0) need(data, "data");
    Loading loading(options);
    const auto bytes = borrow_bytes(data, size, loading.options());
    hand_out(loading, load_model_file(*bytes, loading.options(), loading.kernels()), out);
  });
}

lffn_status lffn_model_load_files(const lffn_file* files, int64_t n_files, const lffn_load_options* options,
                                  lffn_model** out) {
  return guarded([&] {
    need(out, "out");
    Loading loading(options);
    const FolderInMemory folder(read_files(files, n_files));
    hand_out(loading, load_model_folder(folder, loading.options(), loading.kernels()), out);
  });
}

void lffn_memory_estimate_init_sized(lffn_memory_estimate* estimate, size_t struct_size) {
  init_struct(estimate, struct_size);
}

lffn_status lffn_model_estimate(const char* path, const lffn_load_options* options, lffn_memory_estimate* estimate) {
  return guarded([&] {
    need(path, "path");
    estimate_for(std::string(path), options, estimate);
  });
}

lffn_status lffn_model_estimate_files(const lffn_file* files, int64_t n_files, const lffn_load_options* options,
                                      lffn_memory_estimate* estimate) {
  return guarded([&] { estimate_for(FolderInMemory(read_files(files, n_files)), options, estimate); });
}

lffn_status lffn_model_save(const lffn_model* model, const char* path, const lffn_save_options* options) {
  return guarded([&] {
    need(model, "model");
    need(path, "path");
    const UseHooks hooks(hooks_of(model->runtime));
    save_with(options, [&](LoadProgress& progress) { model->model->save(path, &progress); });
  });
}

lffn_model* lffn_model_retain(lffn_model* model) { return retain_handle(model); }

void lffn_model_free(lffn_model* model) { leave_handle(model); }

void lffn_model_shape_init_sized(lffn_model_shape* shape, size_t struct_size) { init_struct(shape, struct_size); }

lffn_status lffn_model_get_shape(const lffn_model* model, lffn_model_shape* shape) {
  return tell<lffn_model_shape>(model, shape, "shape");
}

void lffn_model_heads_init_sized(lffn_model_heads* heads, size_t struct_size) { init_struct(heads, struct_size); }

lffn_status lffn_model_get_heads(const lffn_model* model, lffn_model_heads* heads) {
  return tell<lffn_model_heads>(model, heads, "heads");
}

void lffn_model_costs_init_sized(lffn_model_costs* costs, size_t struct_size) { init_struct(costs, struct_size); }

lffn_status lffn_model_get_costs(const lffn_model* model, lffn_model_costs* costs) {
  return tell<lffn_model_costs>(model, costs, "costs");
}

lffn_status lffn_model_fingerprint(const lffn_model* model, uint8_t* fingerprint) {
  return guarded([&] {
    need(model, "model");
    need(fingerprint, "fingerprint");
    const UseHooks hooks(hooks_of(model->runtime));
    const auto value = model->model->fingerprint();
    static_assert(value.size() == LFFN_FINGERPRINT_SIZE);
    std::copy(value.begin(), value.end(), fingerprint);
  });
}

void lffn_model_layer_info_init_sized(lffn_model_layer_info* info, size_t struct_size) {
  init_struct(info, struct_size);
}

lffn_status lffn_model_get_layer_info(const lffn_model* model, int32_t layer, lffn_model_layer_info* info) {
  return guarded([&] {
    need(model, "model");
    const int32_t layers = model->model->config().num_layers;
    if (layer < 0 || layer >= layers) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "layer is %d, the model has %d layers", layer, layers);
    }
    write_struct(model->model->layer_info(static_cast<size_t>(layer)), info, "info");
  });
}

const char* lffn_model_family(const lffn_model* model) { return model == nullptr ? "" : model->model->family().name; }

const char* lffn_model_label(const lffn_model* model, int32_t index) {
  if (model == nullptr || index < 0 || static_cast<size_t>(index) >= model->model->labels().size()) return nullptr;
  return model->model->labels()[static_cast<size_t>(index)].c_str();
}

const char* lffn_model_entity_label(const lffn_model* model, int32_t index) {
  // The kind of entity is the end of the label, so the label's zero byte ends it, too.
  return lffn_model_label(model, index) == nullptr ? nullptr : entity_label(*model->model, index).data();
}

lffn_status lffn_model_prompt(const lffn_model* model, int32_t index, const char** name, const char** text) {
  return guarded([&] {
    need(model, "model");
    need(name, "name");
    need(text, "text");
    const auto& prompts = model->model->sentence().prompts;
    if (index < 0 || static_cast<size_t>(index) >= prompts.size()) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "index is %d, the model has %zu prompts", index, prompts.size());
    }
    const auto& prompt = prompts[static_cast<size_t>(index)];
    *name = prompt.first.c_str();
    *text = prompt.second.c_str();
  });
}

const char* lffn_model_config(const lffn_model* model) {
  return model == nullptr ? "" : model->model->config().text.c_str();
}

}  // extern "C"
