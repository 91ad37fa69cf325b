// SPDX-License-Identifier: Apache-2.0
// A LookupFFN layer in liblookupffn, in each of its element types.
#include <stdexcept>

#include "engine.h"
#include "lookup_weights.h"

namespace compare {
namespace {

class LookupFfnEngine : public Engine {
 public:
  LookupFfnEngine(lffn_layer* layer, const Library& library) : layer_(layer), library_(library) {}
  ~LookupFfnEngine() override { library_.layer_free(layer_); }

  void run(const float* x, int64_t n, float* y) override {
    if (library_.layer_forward(layer_, x, n, y) != LFFN_OK) throw std::runtime_error(library_.last_error());
  }

 private:
  lffn_layer* layer_;
  const Library& library_;
};

constexpr LayerKind kFloat32 = {LFFN_DTYPE_F32, LFFN_DTYPE_F32, false},
                    kBf16 = {LFFN_DTYPE_BF16, LFFN_DTYPE_F32, false},
                    kInt8Tables = {LFFN_DTYPE_INT8, LFFN_DTYPE_F32, false},
                    kInt8 = {LFFN_DTYPE_INT8, LFFN_DTYPE_INT8, false},
                    kDenseFloat32 = {LFFN_DTYPE_F32, LFFN_DTYPE_F32, true},
                    kDenseInt8 = {LFFN_DTYPE_INT8, LFFN_DTYPE_INT8, true};

std::unique_ptr<Engine> make(Problem& problem, const LayerKind& kind, int threads, const Library& library,
                             std::string* why) {
  lffn_layer* layer = problem.lookup_weights().make_layer(kind, threads, library);
  if (layer == nullptr) {
    *why = library.last_error();
    return nullptr;
  }
  return std::make_unique<LookupFfnEngine>(layer, library);
}

std::unique_ptr<Engine> make_before(Problem& problem, const LayerKind& kind, int threads, std::string* why) {
  const Library* library = Library::before(why);
  return library == nullptr ? nullptr : make(problem, kind, threads, *library, why);
}

}  // namespace

std::unique_ptr<Engine> make_lookupffn_f32(Problem& problem, int threads, std::string* why) {
  return make(problem, kFloat32, threads, Library::linked(), why);
}

std::unique_ptr<Engine> make_lookupffn_bf16(Problem& problem, int threads, std::string* why) {
  return make(problem, kBf16, threads, Library::linked(), why);
}

std::unique_ptr<Engine> make_lookupffn_int8_tables(Problem& problem, int threads, std::string* why) {
  return make(problem, kInt8Tables, threads, Library::linked(), why);
}

std::unique_ptr<Engine> make_lookupffn_int8(Problem& problem, int threads, std::string* why) {
  return make(problem, kInt8, threads, Library::linked(), why);
}

std::unique_ptr<Engine> make_lookupffn_dense_f32(Problem& problem, int threads, std::string* why) {
  return make(problem, kDenseFloat32, threads, Library::linked(), why);
}

std::unique_ptr<Engine> make_lookupffn_dense_int8(Problem& problem, int threads, std::string* why) {
  return make(problem, kDenseInt8, threads, Library::linked(), why);
}

std::unique_ptr<Engine> make_before_f32(Problem& problem, int threads, std::string* why) {
  return make_before(problem, kFloat32, threads, why);
}

std::unique_ptr<Engine> make_before_bf16(Problem& problem, int threads, std::string* why) {
  return make_before(problem, kBf16, threads, why);
}

std::unique_ptr<Engine> make_before_int8_tables(Problem& problem, int threads, std::string* why) {
  return make_before(problem, kInt8Tables, threads, why);
}

std::unique_ptr<Engine> make_before_int8(Problem& problem, int threads, std::string* why) {
  return make_before(problem, kInt8, threads, why);
}

std::string lookupffn_version() { return Library::linked().version_text(); }

std::string before_version() {
  std::string why;
  const Library* library = Library::before(&why);
  return library == nullptr ? "" : library->version_text();
}

}  // namespace compare
