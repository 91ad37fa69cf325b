// SPDX-License-Identifier: Apache-2.0
#include "model/encoder/model_core.h"

#include <utility>

#include "format/load_progress.h"
#include "runtime/threads.h"

namespace lffn {

ModelCore::ModelCore(ModelConfig config, SentenceSettings sentence, const ModelTensors& tensors,
                     const ModelLoadOptions& options, const Kernels& kernels)
    : config_(std::move(config)),
      sentence_(std::move(sentence)),
      running_{kernels, options.executor, resolve_threads(options), options.flush_denormals, options.attention_dtype},
      weights_(pack(tensors, config_, options, kernels)),
      rotations_(config_) {
  run_call(*running_.executor, running_.num_threads, [&] {
    places_ =
        Places(config_, weights_, {kernels, running_.num_threads, running_.flush_denormals, flag_of(options.progress)});
  });
}

ModelCore::ModelCore(ModelConfig config, SentenceSettings sentence, const ModelLoadOptions& options,
                     const Kernels& kernels)
    : config_(std::move(config)),
      sentence_(std::move(sentence)),
      running_{kernels, options.executor, resolve_threads(options), options.flush_denormals, options.attention_dtype} {}

// Distances add floats to scores, so such models attend in float32.
bool ModelCore::attends_in_int8(size_t layer) const {
  if (!places_.empty() || config_.layers[layer].heads == 0) return false;
  if (running_.attention_dtype != LFFN_DTYPE_AS_STORED) return running_.attention_dtype == LFFN_DTYPE_INT8;
  return weights_.layers[layer].query_key_value.dtype() == LFFN_DTYPE_INT8;
}

Activation ModelCore::rank_activation() const {
  return config_.rank_activation.value_or(num_classes() == 1 ? Activation::kSigmoid : Activation::kNone);
}

int64_t ModelCore::embedding_size(std::optional<Pooling> pooling) const {
  int64_t size = config_.hidden_size;
  if (pooling.has_value()) return size;
  size *= static_cast<int64_t>(sentence_.pooling.size());
  for (const SentenceSettings::Module& module : sentence_.modules) {
    if (!module.normalise) size = module.outputs;
  }
  return size;
}

}  // namespace lffn
