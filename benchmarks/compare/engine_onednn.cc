// SPDX-License-Identifier: Apache-2.0
// A vanilla FFN on oneDNN: two inner products over packed weights, GELU fused into the first.
#include <omp.h>

#include <dnnl.hpp>
#include <map>

#include "engine.h"

namespace compare {
namespace {

using dnnl::inner_product_forward;
using dnnl::memory;
using Tag = memory::format_tag;

memory::desc matrix(int64_t rows, int64_t columns, Tag tag) { return {{rows, columns}, memory::data_type::f32, tag}; }

class OneDnnEngine : public Engine {
 public:
  OneDnnEngine(Problem& problem, int threads)
      : w_(problem), threads_(threads), engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {}

  void run(const float* x, int64_t n, float* y) override {
    omp_set_num_threads(threads_);
    auto found = plans_.find(n);
    if (found == plans_.end()) found = plans_.emplace(n, make_plan(n)).first;
    Plan& plan = found->second;
    plan.x.set_data_handle(const_cast<float*>(x));
    plan.y.set_data_handle(y);
    plan.first.execute(stream_, plan.first_args);
    plan.second.execute(stream_, plan.second_args);
    stream_.wait();
  }

 private:
  using Args = std::unordered_map<int, memory>;
  struct Plan {
    inner_product_forward first, second;
    memory x, y;
    Args first_args, second_args;
  };

  // The weights are packed anew for each batch size, since oneDNN chooses their layout by it.
  Plan make_plan(int64_t n) {
    const int64_t d = w_.shape().d, t = w_.shape().t;
    dnnl::post_ops gelu;
    gelu.append_eltwise(1.0f, dnnl::algorithm::eltwise_gelu_erf, 0, 0);
    dnnl::primitive_attr with_gelu;
    with_gelu.set_post_ops(gelu);
    with_gelu.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    dnnl::primitive_attr plain;
    plain.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const inner_product_forward::primitive_desc first({dnnl::prop_kind::forward_inference, matrix(n, d, Tag::ab),
                                                       matrix(t, d, Tag::any), vector(t), matrix(n, t, Tag::any)},
                                                      with_gelu, engine_);
    const inner_product_forward::primitive_desc second({dnnl::prop_kind::forward_inference, first.dst_desc(),
                                                        matrix(d, t, Tag::any), vector(d), matrix(n, d, Tag::ab)},
                                                       plain, engine_);
    Plan plan{inner_product_forward(first),
              inner_product_forward(second),
              memory(first.src_desc(), engine_, nullptr),
              memory(second.dst_desc(), engine_, nullptr),
              {},
              {}};
    const memory hidden(first.dst_desc(), engine_);
    plan.first_args = {{DNNL_ARG_SRC, plan.x},
                       {DNNL_ARG_WEIGHTS, packed(first.weights_desc(), w_.w1(), t, d)},
                       {DNNL_ARG_BIAS, memory(vector(t), engine_, w_.b1())},
                       {DNNL_ARG_DST, hidden},
                       {DNNL_ARG_SCRATCHPAD, memory(first.scratchpad_desc(), engine_)}};
    plan.second_args = {{DNNL_ARG_SRC, hidden},
                        {DNNL_ARG_WEIGHTS, packed(second.weights_desc(), w_.w2(), d, t)},
                        {DNNL_ARG_BIAS, memory(vector(d), engine_, w_.b2())},
                        {DNNL_ARG_DST, plan.y},
                        {DNNL_ARG_SCRATCHPAD, memory(second.scratchpad_desc(), engine_)}};
    return plan;
  }

  static memory::desc vector(int64_t n) { return {{n}, memory::data_type::f32, Tag::a}; }

  memory packed(const memory::desc& desc, float* weights, int64_t rows, int64_t columns) {
    memory from(matrix(rows, columns, Tag::ab), engine_, weights), to(desc, engine_);
    dnnl::reorder(from, to).execute(stream_, from, to);
    stream_.wait();
    return to;
  }

  Problem& w_;
  int threads_;
  dnnl::engine engine_;
  dnnl::stream stream_;
  std::map<int64_t, Plan> plans_;
};

}  // namespace

std::unique_ptr<Engine> make_onednn(Problem& problem, int threads, std::string*) {
  return std::make_unique<OneDnnEngine>(problem, threads);
}

std::string onednn_version() {
  const dnnl_version_t* v = dnnl_version();
  return std::to_string(v->major) + "." + std::to_string(v->minor) + "." + std::to_string(v->patch);
}

}  // namespace compare
