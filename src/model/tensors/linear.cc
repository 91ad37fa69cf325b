// SPDX-License-Identifier: Apache-2.0
#include "model/tensors/linear.h"

#include <algorithm>
#include <cstring>

#include "format/tensor_numbers.h"
#include "runtime/cpu.h"

namespace lffn {

size_t Floats::bytes_for(const std::vector<int64_t>& shape) {
  return checked_product(static_cast<size_t>(round_up(count_of(shape), kPanel)), sizeof(float));
}

Floats::Floats(const TensorView& tensor) : shape_(tensor.shape), values_(bytes_for(tensor.shape)) {
  const int64_t count = count_of(shape_);
  float* values = values_.as<float>();
  read_floats(tensor, 0, count, values);
  std::fill(values + count, values + round_up(count, kPanel), 0.0f);
}

void Floats::add_stored(const std::string& name, std::vector<TensorView>& tensors) const {
  tensors.push_back(view_of(name, DType::kF32, shape_, data()));
}

size_t Norm::bytes_for(const NormTensors& tensors) {
  const size_t rows = tensors.kind == NormKind::kRmsPlusOne ? 3 : 2;
  return checked_product(static_cast<size_t>(tensors.size), rows * sizeof(float));
}

Norm::Norm(const NormTensors& tensors) : has_shift_(tensors.shift != nullptr), values_(bytes_for(tensors)) {
  const int64_t size = tensors.size;
  float* const gain = values_.as<float>();
  float* const shift = gain + size;
  read_floats(*tensors.gain, 0, size, gain);
  std::fill_n(shift, size, 0.0f);
  if (has_shift_) read_floats(*tensors.shift, 0, size, shift);
  for (size_t i = 0; i < tensors.divisors.size() && tensors.kind != NormKind::kRmsPlusOne; ++i) {
    gain[i] /= tensors.divisors[i];
    shift[i] /= tensors.divisors[i];
  }
  stored_gain_ = gain;
  if (tensors.kind == NormKind::kRmsPlusOne) {
    float* const stored = shift + size;
    for (int64_t i = 0; i < size; ++i) {
      const bool divides = !tensors.divisors.empty();
      stored[i] = divides ? (gain[i] + 1.0f) / tensors.divisors[static_cast<size_t>(i)] - 1.0f : gain[i];
      gain[i] = stored[i] + 1.0f;
    }
    stored_gain_ = stored;
  }
  plan_ = {size, tensors.eps, gain, shift, tensors.kind != NormKind::kLayer};
}

void Norm::add_stored(const std::string& name, std::vector<TensorView>& tensors) const {
  tensors.push_back(view_of(name + ".weight", DType::kF32, {plan_.size}, stored_gain_));
  if (has_shift_) tensors.push_back(view_of(name + ".bias", DType::kF32, {plan_.size}, plan_.shift));
}

namespace {

// How the work of one call is cut into items: ranges of rows, or of outputs where there are few rows.
struct Cut {
  int64_t rows, row_ranges;
  int64_t outputs, output_ranges;
};

constexpr int64_t kUnit = 12;  // a multiple of all kernels' tiles, so that no rows are left over

// As many rows as leave half of the L2 cache to the weights and the results.
int64_t rows_that_fit(int64_t inputs) {
  const int64_t fitting = static_cast<int64_t>(cache_sizes().l2) / 2 / (inputs * static_cast<int64_t>(sizeof(float)));
  return std::clamp<int64_t>(fitting / kUnit * kUnit, kUnit, kLinearRows);
}

Cut cut(int64_t rows, int64_t rows_per_item, int64_t outputs, int32_t threads) {
  const int64_t ranges = (rows + rows_per_item - 1) / rows_per_item;
  if (threads == 1 || ranges >= 2 * threads) return {rows_per_item, ranges, outputs, 1};
  // Splitting rows is better than splitting outputs, as long as each item has enough rows for the weights that it
  // reads: then no row has to be prepared beforehand.
  constexpr int64_t kFewestRows = 36, kMostItems = 3;
  if (const int64_t items = std::min(kMostItems, rows / (kFewestRows * threads)); items > 1) {
    const int64_t share = round_up((rows + items * threads - 1) / (items * threads), kUnit);
    const int64_t fewer = std::min(rows_per_item, share);
    return {fewer, (rows + fewer - 1) / fewer, outputs, 1};
  }
  // Enough pieces for the threads to end at about the same time.
  const int64_t wanted = std::max<int64_t>(1, 3 * threads / ranges);
  const int64_t width = round_up((outputs + wanted - 1) / wanted, 4 * kPanel);
  return {rows_per_item, ranges, width, (outputs + width - 1) / width};
}

}  // namespace

size_t Linear::bytes_for(int64_t inputs, int64_t outputs, int32_t dtype) {
  const size_t padded = checked_product(static_cast<size_t>(round_up(outputs, kPanel)), sizeof(float));
  const size_t bias = padded;
  if (dtype == LFFN_DTYPE_F32) return bias + checked_product(padded, static_cast<size_t>(inputs));
  if (dtype == LFFN_DTYPE_BF16) return bias + checked_product(padded / 2, static_cast<size_t>(inputs));
  const size_t slices = static_cast<size_t>((inputs + kSliceInputs - 1) / kSliceInputs);
  const size_t panels = checked_product(padded, static_cast<size_t>((inputs + 3) / 4));
  return bias + panels + checked_product(padded, 1 + slices);  // scales and sums
}

int32_t Linear::dtype_of(const LinearTensors& tensors, int32_t wanted) {
  const auto is_bf16 = [](const TensorView* weight) { return weight->dtype == DType::kBF16; };
  const bool bf16 = std::all_of(tensors.weights.begin(), tensors.weights.end(), is_bf16);
  return held_as(tensors.scales[0] != nullptr ? DType::kI8
                 : bf16                       ? DType::kBF16
                                              : DType::kF32,
                 tensors.may_be_int8 ? wanted : LFFN_DTYPE_F32);
}

Linear::Linear(const LinearTensors& tensors, int32_t dtype, const Kernels& kernels, RowBits input_bits)
    : inputs_(tensors.inputs),
      outputs_(tensors.outputs),
      rows_per_item_(rows_that_fit(tensors.inputs)),
      dtype_(dtype_of(tensors, dtype)),
      input_bits_(input_bits),
      has_bias_(tensors.biases[0] != nullptr) {
  const size_t padded = static_cast<size_t>(round_up(outputs_, kPanel));
  const int64_t row_bytes = dtype_ == LFFN_DTYPE_INT8 ? 4 * quads() : inputs_ * weight_bytes();
  panels_ = Memory(checked_product(padded, static_cast<size_t>(row_bytes)));
  bias_ = Memory(padded * sizeof(float));
  std::memset(bias_.data(), 0, bias_.size());
  if (dtype_ == LFFN_DTYPE_INT8) {
    std::memset(panels_.data(), 0, panels_.size());
    scales_ = Memory(padded * sizeof(float));
    std::memset(scales_.data(), 0, scales_.size());
    const int64_t slices = (inputs_ + kSliceInputs - 1) / kSliceInputs;
    sums_ = Memory(checked_product(padded * sizeof(int32_t), static_cast<size_t>(slices)));
    std::memset(sums_.data(), 0, sums_.size());
  }
  // Reads the rows of one panel at a time, from whichever tensor each comes.
  std::vector<float> rows(checked_product(static_cast<size_t>(inputs_), kPanel));
  std::vector<float> laid(dtype_ == LFFN_DTYPE_BF16 ? rows.size() : 0);
  std::vector<int8_t> integers(static_cast<size_t>(inputs_));
  int64_t filled = 0, done = 0;
  for (size_t part = 0; part < tensors.weights.size(); ++part) {
    const int64_t outputs = tensors.weights[part]->shape[0];
    parts_.push_back(outputs);
    if (has_bias_) {
      float* const bias = bias_.as<float>() + done;
      read_floats(*tensors.biases[part], 0, outputs, bias);
      for (int64_t o = 0; o < outputs && !tensors.output_factors.empty(); ++o) {
        bias[o] *= tensors.output_factors[static_cast<size_t>(done + o)];
      }
    }
    for (int64_t o = 0; o < outputs; ++o, ++done) {
      if (dtype_ == LFFN_DTYPE_INT8) {
        pack_int8_row(tensors, part, o, done, rows.data(), integers.data());
        continue;
      }
      read_row(*tensors.weights[part], tensors.scales[part], o, inputs_, rows.data() + filled * inputs_);
      if (++filled < kPanel && done + 1 < outputs_) continue;
      const int64_t at = (done + 1 - filled) * inputs_;
      float* const panel = dtype_ == LFFN_DTYPE_BF16 ? laid.data() : panels_.as<float>() + at;
      kernels.lay_panels(rows.data(), inputs_, filled, inputs_, panel);
      if (dtype_ == LFFN_DTYPE_BF16)
        std::transform(laid.begin(), laid.end(), panels_.as<uint16_t>() + at, bf16_from_float);
      filled = 0;
    }
  }
}

void Linear::pack_int8_row(const LinearTensors& tensors, size_t part, int64_t row, int64_t output, float* floats,
                           int8_t* integers) {
  float& scale = scales_.as<float>()[output];
  if (tensors.input_factors.empty()) {
    scale = read_int8_row(*tensors.weights[part], tensors.scales[part], row, inputs_, floats, integers);
  } else {
    read_floats(*tensors.weights[part], row * inputs_, inputs_, floats);
    for (int64_t i = 0; i < inputs_; ++i) floats[i] *= tensors.input_factors[static_cast<size_t>(i)];
    scale = quantise_row(floats, inputs_, integers);
  }
  if (!tensors.output_factors.empty()) scale *= tensors.output_factors[static_cast<size_t>(output)];
  int8_t* start = panels_.as<int8_t>() + int8_start(output);
  int32_t* sums = sums_.as<int32_t>() + output;
  for (int64_t i = 0; i < inputs_; ++i) {
    start[int8_place(i)] = integers[i];
    sums[i / kSliceInputs * round_up(outputs_, kPanel)] += integers[i];
  }
}

void Linear::run(const Workers& workers, const Call& call) const {
  if (call.rows == 0) return;
  const Kernels& kernels = workers.kernels;
  const int64_t outputs = call.outputs > 0 ? call.outputs : outputs_ - call.first_output;
  const double flop = 2.0 * static_cast<double>(inputs_ * outputs) * static_cast<double>(call.rows);
  const int32_t threads = workers.threads_for(flop);
  const Cut pieces = cut(call.rows, rows_per_item_, outputs, threads);
  const Rows& in = call.norm != nullptr ? call.normed : call.in;
  const bool many = input_bits_ == RowBits::kSeven && call.rows > kFewSevenBits;
  const RowBits bits = many ? RowBits::kSevenOfMany : input_bits_;
  const auto prepare_some = [&](int64_t first, int64_t rows) {
    if (call.norm != nullptr) {
      kernels.normalise(call.norm->plan(), call.in.row(first), call.in.stride, rows, in.row(first), in.stride);
    }
    if (call.gate != Gate::kNone) {
      kernels.gate(call.gate_activation, call.gate == Gate::kSecond ? 1 : 0, in.row(first), in.stride, rows, inputs_);
    }
    if (dtype_ == LFFN_DTYPE_INT8) {
      kernels.quantise_rows(in.row(first), in.stride, rows, inputs_, call.packed.rows + first * call.packed.stride,
                            call.packed.stride, bits);
    }
  };
  // A few rows at a time: they are still in the cache when they become bytes, and prefetched memory arrives while other
  // rows are prepared, because a processor can wait for only a few cache lines at once.
  const auto prepare = [&](int64_t first, int64_t rows) {
    constexpr int64_t kAtOnce = 4, kAhead = 3 * kAtOnce;
    const auto ask = [&](int64_t from) {
      if (from < rows) call.word_rows->ask(first + from, std::min(kAtOnce, rows - from));
    };
    for (int64_t from = 0; call.word_rows != nullptr && from < kAhead; from += kAtOnce) ask(from);
    for (int64_t done = 0; done < rows; done += kAtOnce) {
      const int64_t some = std::min(kAtOnce, rows - done);
      if (call.ahead != nullptr) call.ahead->ask(first + done, some);
      if (call.word_rows != nullptr) ask(done + kAhead);
      prepare_some(first + done, some);
      if (call.word_rows == nullptr) continue;
      call.word_rows->add(kernels, first + done, some,
                          {call.with_word_rows.row(first + done), call.with_word_rows.stride});
    }
  };
  // Rows that several items read are prepared beforehand, by all threads; other rows by their item, while they are in
  // the cache.
  if (pieces.output_ranges > 1) {
    constexpr int64_t kFewest = 8;  // for fewer no thread is worth waking
    const int64_t shares = std::clamp<int64_t>(call.rows / kFewest, 1, 2 * threads);
    const int64_t share = (call.rows + shares - 1) / shares;
    workers.run((call.rows + share - 1) / share, threads,
                [&](int64_t item, int32_t) { prepare(item * share, std::min(share, call.rows - item * share)); });
  }
  workers.run(pieces.row_ranges * pieces.output_ranges, threads, [&](int64_t item, int32_t thread) {
    const int64_t first = item / pieces.output_ranges * pieces.rows;
    const int64_t column = item % pieces.output_ranges * pieces.outputs, output = call.first_output + column;
    LinearPlan plan = {};
    plan.rows = std::min(pieces.rows, call.rows - first);
    if (pieces.output_ranges == 1) prepare(first, plan.rows);
    plan.in = in.row(first);
    plan.in_stride = in.stride;
    plan.inputs = inputs_;
    plan.bias = bias_.as<float>() + output;
    plan.outputs = std::min(pieces.outputs, outputs - column);
    plan.activation = call.activation;
    plan.add = call.add;
    plan.out = call.out.row(first) + column;
    plan.out_stride = call.out.stride;
    if (dtype_ == LFFN_DTYPE_F32) {
      plan.weights = panels_.as<float>() + output * inputs_;
      return kernels.linear(plan);
    }
    if (dtype_ == LFFN_DTYPE_BF16) {
      float* const wide = reinterpret_cast<float*>(call.packed.rows + thread * widened_cells(inputs_));
      const LinearPlan whole = plan;
      for (int64_t o = 0; o < whole.outputs; o += kWidened) {
        plan.outputs = std::min(kWidened, whole.outputs - o);
        kernels.widen(panels_.as<uint16_t>() + (output + o) * inputs_, round_up(plan.outputs, kPanel) * inputs_, wide);
        plan.weights = wide;
        plan.bias = whole.bias + o;
        plan.out = whole.out + o;
        kernels.linear(plan);
      }
      return;
    }
    LinearInt8Plan int8 = {};
    int8.linear = plan;
    int8.bits = bits;
    int8.in = call.packed.rows + first * call.packed.stride;
    int8.in_stride = call.packed.stride;
    int8.weights = panels_.as<int8_t>() + int8_start(output);
    int8.weight_scales = scales_.as<float>() + output;
    int8.weight_sums = sums_.as<int32_t>() + output;
    int8.sums_stride = round_up(outputs_, kPanel);
    kernels.linear_int8(int8);
  });
}

void Linear::take_row(int64_t output, void* to) const {
  if (dtype_ == LFFN_DTYPE_INT8) {
    const int8_t* const start = panels_.as<int8_t>() + int8_start(output);
    auto* const row = static_cast<int8_t*>(to);
    for (int64_t i = 0; i < inputs_; ++i) row[i] = start[int8_place(i)];
  } else if (dtype_ == LFFN_DTYPE_BF16) {
    const uint16_t* const panel = panels_.as<uint16_t>() + output / kPanel * kPanel * inputs_ + output % kPanel;
    auto* const row = static_cast<uint16_t*>(to);
    for (int64_t i = 0; i < inputs_; ++i) row[i] = panel[i * kPanel];
  } else {
    const float* const panel = panels_.as<float>() + output / kPanel * kPanel * inputs_ + output % kPanel;
    auto* const row = static_cast<float*>(to);
    for (int64_t i = 0; i < inputs_; ++i) row[i] = panel[i * kPanel];
  }
}

// Rows from some output on, one at a time: a copy of all rows would double a large model's memory while it is saved.
class Linear::StoredRows : public Bytes {
 public:
  StoredRows(const Linear& linear, int64_t first, int64_t outputs)
      : linear_(linear),
        first_(first),
        outputs_(outputs),
        row_(checked_product(static_cast<size_t>(linear.inputs_), static_cast<size_t>(linear.weight_bytes()))) {}
  size_t size() const override { return static_cast<size_t>(outputs_) * row_.size(); }
  void read(size_t first, size_t count, void* to) const override {
    auto* bytes = static_cast<uint8_t*>(to);
    while (count > 0) {
      const auto row = static_cast<int64_t>(first / row_.size());
      if (row != taken_) linear_.take_row(first_ + row, row_.data());
      taken_ = row;
      const size_t skipped = first % row_.size(), some = std::min(count, row_.size() - skipped);
      std::memcpy(bytes, row_.as<uint8_t>() + skipped, some);
      bytes += some;
      first += some;
      count -= some;
    }
  }

 private:
  const Linear& linear_;
  const int64_t first_, outputs_;
  mutable Memory row_;
  mutable int64_t taken_ = -1;
};

void Linear::add_stored(const std::vector<std::string>& names, std::vector<TensorView>& tensors,
                        std::vector<std::unique_ptr<const Bytes>>& sources) const {
  const bool integers = dtype_ == LFFN_DTYPE_INT8;
  int64_t first = 0;
  for (size_t part = 0; part < names.size(); first += parts_[part], ++part) {
    const int64_t outputs = parts_[part];
    const std::string& name = names[part];
    sources.push_back(std::make_unique<const StoredRows>(*this, first, outputs));
    const DType dtype = integers ? DType::kI8 : dtype_ == LFFN_DTYPE_BF16 ? DType::kBF16 : DType::kF32;
    TensorView weight = view_of(name + ".weight", dtype, {outputs, inputs_}, nullptr);
    weight.source = sources.back().get();
    tensors.push_back(std::move(weight));
    if (integers)
      tensors.push_back(view_of(name + ".weight.scale", DType::kF32, {outputs}, scales_.as<float>() + first));
    if (has_bias_) tensors.push_back(view_of(name + ".bias", DType::kF32, {outputs}, bias_.as<float>() + first));
  }
}

}  // namespace lffn
