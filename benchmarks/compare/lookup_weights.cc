// SPDX-License-Identifier: Apache-2.0
#include "lookup_weights.h"

#include <dlfcn.h>

#include <cmath>
#include <cstdlib>
#include <iterator>
#include <stdexcept>

namespace compare {

namespace {

template <class Function>
bool take(Function& function, void* library, const char* name) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

// Older builds of the library were not told the size of what they fill in.
template <class Struct>
bool take_init(std::function<void(Struct*)>& init, void* library, const std::string& name) {
  void (*sized)(Struct*, size_t) = nullptr;
  void (*plain)(Struct*) = nullptr;
  if (take(sized, library, (name + "_sized").c_str())) {
    init = [sized](Struct* filled) { sized(filled, sizeof *filled); };
  } else if (take(plain, library, name.c_str())) {
    init = plain;
  }
  return init != nullptr;
}

}  // namespace

std::string Library::version_text() const {
  const uint32_t v = version();
  return std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." + std::to_string(v % 100) + " (" +
         isa() + ")";
}

const Library& Library::linked() {
  static const Library library = {lffn_version,
                                  lffn_isa,
                                  lffn_last_error,
                                  [](lffn_tensor* tensor) { lffn_tensor_init(tensor); },
                                  [](lffn_layer_config* config) { lffn_layer_config_init(config); },
                                  [](lffn_load_options* options) { lffn_load_options_init(options); },
                                  lffn_layer_create,
                                  lffn_layer_forward,
                                  lffn_layer_free};
  return library;
}

const Library* Library::before(std::string* why) {
  static Library library;
  if (library.version != nullptr) return &library;
  const char* path = std::getenv("LFFN_BEFORE");
  void* opened = path == nullptr ? nullptr : dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (opened == nullptr) {
    *why = path == nullptr ? "LFFN_BEFORE names no library" : dlerror();
    return nullptr;
  }
  const bool complete = take(library.isa, opened, "lffn_isa") && take(library.last_error, opened, "lffn_last_error") &&
                        take_init(library.tensor_init, opened, "lffn_tensor_init") &&
                        take_init(library.layer_config_init, opened, "lffn_layer_config_init") &&
                        take_init(library.load_options_init, opened, "lffn_load_options_init") &&
                        take(library.layer_create, opened, "lffn_layer_create") &&
                        take(library.layer_forward, opened, "lffn_layer_forward") &&
                        take(library.layer_free, opened, "lffn_layer_free") &&
                        take(library.version, opened, "lffn_version");
  if (complete) return &library;
  *why = dlerror();
  library.version = nullptr;
  return nullptr;
}
namespace {

constexpr int32_t kFactors = 4;  // BH4

void check(lffn_status status) {
  if (status != LFFN_OK) throw std::runtime_error(std::string("liblookupffn: ") + lffn_last_error());
}

lffn_tensor tensor(const Library& library, const char* name, const std::vector<float>& values,
                   const std::vector<int64_t>& shape) {
  lffn_tensor t;
  library.tensor_init(&t);
  t.name = name;
  t.dtype = LFFN_DTYPE_F32;
  t.rank = static_cast<int32_t>(shape.size());
  for (size_t i = 0; i < shape.size(); ++i) t.shape[i] = shape[i];
  t.data = values.data();
  t.size = values.size() * sizeof(float);
  return t;
}

}  // namespace

LookupWeights::LookupWeights(const Shape& shape) : shape_(shape), padded_(1) {
  while (padded_ < shape.d) padded_ *= 2;
  const int64_t bits = int64_t{shape.h} * shape.tau;
  chains_ = (bits + padded_ - 1) / padded_;
  projection_.resize(static_cast<size_t>(chains_ * kFactors * padded_ * shape.block));
  projection_bias_.resize(static_cast<size_t>(bits));
  tables_.resize((static_cast<size_t>(shape.h) << shape.tau) * static_cast<size_t>(shape.d));
  bias_.resize(static_cast<size_t>(shape.d));
  // A block product followed by the unnormalised H keeps the variance at this size, so that every z is about normal.
  const double keep_variance = 1 / std::sqrt(static_cast<double>(shape.block * padded_));
  fill_normal(projection_.data(), static_cast<int64_t>(projection_.size()), keep_variance, 11);
  if (shape.with_dense) {
    dense_projection_.resize(static_cast<size_t>(bits * shape.d));
    fill_normal(dense_projection_.data(), bits * shape.d, 1 / std::sqrt(static_cast<double>(shape.d)), 15);
  }
  fill_normal(projection_bias_.data(), bits, 0.1, 12);
  fill_normal(tables_.data(), static_cast<int64_t>(tables_.size()), 0.02, 13);
  fill_normal(bias_.data(), shape.d, 0.1, 14);
}

lffn_layer* LookupWeights::make_layer(const LayerKind& kind, int threads) const {
  return make_layer(kind, threads, Library::linked());
}

lffn_layer* LookupWeights::make_layer(const LayerKind& kind, int threads, const Library& library) const {
  lffn_layer_config config;
  library.layer_config_init(&config);
  config.hidden_size = static_cast<int32_t>(shape_.d);
  config.num_tables = shape_.h;
  config.table_size = 1 << shape_.tau;
  config.projection = kind.dense_hash ? LFFN_PROJECTION_DENSE : kFactors;
  config.block_size = kind.dense_hash ? 0 : shape_.block;
  config.layer_norm = 0;
  lffn_load_options options;
  library.load_options_init(&options);
  options.num_threads = threads;
  options.table_dtype = kind.table_dtype;
  options.hash_dtype = kind.hash_dtype;
  const int64_t block = shape_.block, bits = static_cast<int64_t>(projection_bias_.size());
  const char* const name = "hash.projection.weight";
  const lffn_tensor tensors[] = {
      kind.dense_hash ? tensor(library, name, dense_projection_, {bits, shape_.d})
                      : tensor(library, name, projection_, {chains_, kFactors, padded_ / block, block, block}),
      tensor(library, "hash.projection.bias", projection_bias_, {bits}),
      tensor(library, "tables", tables_, {shape_.h, int64_t{1} << shape_.tau, shape_.d}),
      tensor(library, "bias", bias_, {shape_.d}),
  };
  lffn_layer* layer = nullptr;
  const lffn_status status = library.layer_create(&config, tensors, std::size(tensors), &options, &layer);
  if (status == LFFN_ERROR_UNSUPPORTED) return nullptr;
  if (status != LFFN_OK) throw std::runtime_error(std::string("liblookupffn: ") + library.last_error());
  return layer;
}

CodeSpread measure_code_spread(const lffn_layer* layer, const Problem& problem) {
  const size_t h = static_cast<size_t>(problem.shape().h), rows = size_t{1} << problem.shape().tau;
  const int64_t n = problem.pool_tokens();
  std::vector<int32_t> codes(static_cast<size_t>(n) * h);
  check(lffn_layer_hash(layer, problem.x(), n, codes.data(), nullptr));
  std::vector<int64_t> counts(h * rows);
  for (size_t i = 0; i < codes.size(); ++i) counts[i % h * rows + static_cast<size_t>(codes[i])]++;
  CodeSpread spread{0, 0};
  for (const int64_t count : counts) {
    if (count == 0) continue;
    const double share = static_cast<double>(count) / static_cast<double>(n);
    spread.entropy_bits -= share * std::log2(share) / static_cast<double>(h);
    spread.rows_used += 1.0 / static_cast<double>(counts.size());
  }
  return spread;
}

}  // namespace compare
