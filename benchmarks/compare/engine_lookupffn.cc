// A LookupFFN layer in liblookupffn, in each of its element types.
#include "engine_lookupffn.h"

#include <lookupffn/lookupffn.h>

#include <stdexcept>

#include "lookup_weights.h"

namespace compare {
namespace {

class LookupFfnEngine : public Engine {
 public:
  explicit LookupFfnEngine(lffn_layer* layer) : layer_(layer) {}
  ~LookupFfnEngine() override { lffn_layer_free(layer_); }

  void run(const float* x, int64_t n, float* y) override {
    if (lffn_layer_forward(layer_, x, n, y) != LFFN_OK) throw std::runtime_error(lffn_last_error());
  }

 private:
  lffn_layer* layer_;
};

std::unique_ptr<Engine> make(Problem& problem, int32_t table_dtype, int32_t hash_dtype, int threads, std::string* why) {
  lffn_layer* layer = problem.lookup_weights().make_layer(table_dtype, hash_dtype, threads);
  if (layer == nullptr) {
    *why = lffn_last_error();
    return nullptr;
  }
  return std::make_unique<LookupFfnEngine>(layer);
}

}  // namespace

std::unique_ptr<Engine> make_lookupffn_f32(Problem& problem, int threads, std::string* why) {
  return make(problem, LFFN_F32, LFFN_F32, threads, why);
}

std::unique_ptr<Engine> make_lookupffn_bf16(Problem& problem, int threads, std::string* why) {
  return make(problem, LFFN_BF16, LFFN_F32, threads, why);
}

std::unique_ptr<Engine> make_lookupffn_int8_tables(Problem& problem, int threads, std::string* why) {
  return make(problem, LFFN_INT8, LFFN_F32, threads, why);
}

std::unique_ptr<Engine> make_lookupffn_int8(Problem& problem, int threads, std::string* why) {
  return make(problem, LFFN_INT8, LFFN_INT8, threads, why);
}

std::string lookupffn_version() {
  const uint32_t v = lffn_version();
  return std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." + std::to_string(v % 100) + " (" +
         lffn_isa() + ")";
}

}  // namespace compare
