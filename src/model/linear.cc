#include "model/linear.h"

#include <algorithm>
#include <cstring>

#include "runtime/cpu.h"

namespace lffn {
namespace {

int64_t count_of(const TensorView& tensor) { return static_cast<int64_t>(tensor.size / dtype_size(tensor.dtype)); }

// How the work of one call is cut into items: ranges of rows, or of outputs where there are few rows.
struct Cut {
  int64_t rows, row_ranges;
  int64_t outputs, output_ranges;
};

// Rows that leave half of the L2 cache to the weights and the results.
int64_t rows_that_fit(int64_t inputs) {
  constexpr int64_t kUnit = 12;  // no kernel has rows left over then
  const int64_t fitting = static_cast<int64_t>(cache_sizes().l2) / 2 / (inputs * static_cast<int64_t>(sizeof(float)));
  return std::clamp<int64_t>(fitting / kUnit * kUnit, kUnit, kLinearRows);
}

Cut cut(int64_t rows, int64_t rows_per_item, int64_t outputs, int32_t threads) {
  const int64_t ranges = (rows + rows_per_item - 1) / rows_per_item;
  if (threads == 1 || ranges >= 2 * threads) return {rows_per_item, ranges, outputs, 1};
  // Enough pieces that the threads end together.
  const int64_t wanted = std::max<int64_t>(1, 3 * threads / ranges);
  const int64_t width = round_up((outputs + wanted - 1) / wanted, 4 * kPanel);
  return {rows_per_item, ranges, width, (outputs + width - 1) / width};
}

}  // namespace

int64_t round_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

Memory read_padded(const TensorView& tensor, int64_t size) {
  const int64_t count = count_of(tensor);
  Memory memory(checked_product(static_cast<size_t>(size), sizeof(float)));
  read_floats(tensor, 0, count, memory.as<float>());
  std::fill(memory.as<float>() + count, memory.as<float>() + size, 0.0f);
  return memory;
}

TensorView float_view(std::string name, std::vector<int64_t> shape, const float* data) {
  TensorView view;
  view.name = std::move(name);
  view.size = sizeof(float);
  for (const int64_t n : shape) view.size *= static_cast<size_t>(n);
  view.shape = std::move(shape);
  view.data = reinterpret_cast<const uint8_t*>(data);
  return view;
}

Norm::Norm(const NormTensors& tensors, int64_t size, float eps)
    : values_(checked_product(static_cast<size_t>(size), 2 * sizeof(float))) {
  float* values = values_.as<float>();
  read_floats(*tensors.gain, 0, size, values);
  read_floats(*tensors.shift, 0, size, values + size);
  plan_ = {size, eps, values, values + size};
}

void Norm::add_stored(const std::string& prefix, std::vector<TensorView>& tensors) const {
  tensors.push_back(float_view(prefix + "weight", {plan_.size}, plan_.gain));
  tensors.push_back(float_view(prefix + "bias", {plan_.size}, plan_.shift));
}

Linear::Linear(const LinearTensors& tensors, const Kernels& kernels)
    : inputs_(tensors.inputs), outputs_(tensors.outputs), rows_per_item_(rows_that_fit(tensors.inputs)) {
  const size_t padded = static_cast<size_t>(round_up(outputs_, kPanel));
  panels_ = Memory(checked_product(checked_product(padded, static_cast<size_t>(inputs_)), sizeof(float)));
  bias_ = Memory(padded * sizeof(float));
  std::fill(bias_.as<float>(), bias_.as<float>() + padded, 0.0f);
  // A panel's rows at a time, wherever they come from.
  const Memory rows(checked_product(static_cast<size_t>(inputs_), kPanel * sizeof(float)));
  int64_t filled = 0, done = 0;
  for (size_t part = 0; part < tensors.weights.size(); ++part) {
    const int64_t outputs = tensors.weights[part]->shape[0];
    read_floats(*tensors.biases[part], 0, outputs, bias_.as<float>() + done);
    for (int64_t o = 0; o < outputs; ++o, ++done) {
      read_floats(*tensors.weights[part], o * inputs_, inputs_, rows.as<float>() + filled * inputs_);
      if (++filled == kPanel || done + 1 == outputs_) {
        kernels.lay_panels(rows.as<float>(), inputs_, filled, inputs_,
                           panels_.as<float>() + (done + 1 - filled) * inputs_);
        filled = 0;
      }
    }
  }
}

void Linear::run(const Workers& workers, const Call& call) const {
  if (call.rows == 0) return;
  const int32_t threads = workers.threads_for(static_cast<double>(flop_per_row()) * static_cast<double>(call.rows));
  const Cut pieces = cut(call.rows, rows_per_item_, outputs_, threads);
  const auto normalise = [&](int64_t first, int64_t rows) {
    workers.kernels.normalise(call.norm->plan(), call.in.row(first), call.in.stride, rows, call.normed.row(first),
                              call.normed.stride);
  };
  // Rows that several items read are normalised before; the others by their item, while they are near.
  const bool ahead = call.norm != nullptr && pieces.output_ranges > 1;
  if (ahead) {
    const FlushDenormals flush(workers.flush_denormals);
    normalise(0, call.rows);
  }
  workers.run(pieces.row_ranges * pieces.output_ranges, threads, [&](int64_t item, int32_t) {
    const int64_t first = item / pieces.output_ranges * pieces.rows;
    const int64_t output = item % pieces.output_ranges * pieces.outputs;
    LinearPlan plan = {};
    plan.rows = std::min(pieces.rows, call.rows - first);
    if (call.norm != nullptr && !ahead) normalise(first, plan.rows);
    const Rows& in = call.norm != nullptr ? call.normed : call.in;
    plan.in = in.row(first);
    plan.in_stride = in.stride;
    plan.inputs = inputs_;
    plan.weights = panels_.as<float>() + output * inputs_;
    plan.bias = bias_.as<float>() + output;
    plan.outputs = std::min(pieces.outputs, outputs_ - output);
    plan.activation = call.activation;
    plan.add = call.add;
    plan.out = call.out.row(first) + output;
    plan.out_stride = call.out.stride;
    workers.kernels.linear(plan);
  });
}

void Linear::add_stored(const std::string& prefix, const std::vector<const char*>& names,
                        std::vector<TensorView>& tensors, std::vector<Memory>& memory) const {
  memory.emplace_back(checked_product(static_cast<size_t>(inputs_ * outputs_), sizeof(float)));
  float* matrix = memory.back().as<float>();
  for (int64_t o = 0; o < outputs_; ++o) {
    const float* panel = panels_.as<float>() + o / kPanel * kPanel * inputs_ + o % kPanel;
    for (int64_t i = 0; i < inputs_; ++i) matrix[o * inputs_ + i] = panel[i * kPanel];
  }
  const int64_t outputs = outputs_ / static_cast<int64_t>(names.size());
  for (size_t part = 0; part < names.size(); ++part) {
    const int64_t first = static_cast<int64_t>(part) * outputs;
    tensors.push_back(float_view(prefix + names[part] + "weight", {outputs, inputs_}, matrix + first * inputs_));
    tensors.push_back(float_view(prefix + names[part] + "bias", {outputs}, bias_.as<float>() + first));
  }
}

}  // namespace lffn
