// SPDX-License-Identifier: Apache-2.0
// Draws models and calls from seeds and compares what the library gives: to the bit with any number of threads,
// instruction set, neighbours and memory, from folders and from single files, from ids and from texts; and, within
// bounds, with a reference in double precision.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>

#include "checks.h"

namespace draws {
namespace {

constexpr double kWorkOfCall = 1.2e8;       // products of one call, about
constexpr double kWorkOfReference = 1.2e8;  // of what the reference computes
constexpr size_t kAlone = 5;                // sequences that are run by themselves

// Products for each token of a sequence, and for each token whose words are scored.
double work_of_token(const DrawnModel& m, const Request& request) {
  if (m.head == Head::kStatic) return static_cast<double>(m.d);
  const double d = static_cast<double>(m.d), a = static_cast<double>(m.heads * m.head_size);
  double work = 0;
  for (const Layer& layer : m.layers) {
    work += 4 * d * a + 3 * d * static_cast<double>(layer.neurons) + 300 * a;
    if (layer.looks_up) work += 40 * d * static_cast<double>(layer.tables);
  }
  if (m.family.distances == Distances::kDisentangled) work += 4 * d * a * static_cast<double>(m.layers.size());
  if (request.all_positions || request.sparse) work += static_cast<double>(m.vocab * m.e);
  return work;
}

class Draw {
 public:
  Draw(uint64_t seed, Differences& differences)
      : random_(seed * 0x2545f4914f6cdd1du + 1), model_(draw_model(seed)), differences_(differences) {}

  std::string summary() const { return model_.summary() + how_; }

  // "" or what is wrong.
  std::string run() {
    draw_request();
    const HowToLoad how = {1, weights_, nullptr};
    const ModelPtr model = load(model_.files, how);
    const std::vector<Output> outputs = draws::run(*model, request_);
    expect_reference(outputs);
    for (const int32_t threads : {2, 3, 7}) {
      const ModelPtr other = load(model_.files, {threads, weights_, nullptr});
      expect_same(outputs, draws::run(*other, request_), std::to_string(threads) + " threads");
      if (threads < 7) continue;
      Request fewer = request_;
      fewer.threads = static_cast<int32_t>(random_.in(1, 6));
      expect_same(outputs, draws::run(*other, fewer), std::to_string(fewer.threads) + " of 7 threads");
      alone_and_among_others(*other, outputs);
    }
    Request own = request_;
    own.into_own_memory = true;
    expect_same(outputs, draws::run(*model, own), "the caller's memory");
    single_file(*model, outputs);
    texts(*model);
    instruction_sets_of(outputs);
    return wrong_;
  }

 private:
  void fail(const std::string& what) {
    if (wrong_.empty()) wrong_ = what;
  }

  void draw_request() {
    Request& r = request_;
    const bool has_lm = model_.head == Head::kLanguage || model_.head == Head::kSparse;
    r.hidden = model_.head != Head::kStatic && random_.chance(0.5);
    r.embeddings = model_.head == Head::kEmbeddings || model_.head == Head::kStatic || random_.chance(0.3);
    if (r.embeddings) {
      r.int8 = random_.chance(0.5);
      r.bits = random_.chance(0.5);
      if (model_.head != Head::kStatic && random_.chance(0.4)) {
        r.pooling = static_cast<int32_t>(random_.in(1, 6));
      }
      r.normalize = static_cast<int32_t>(random_.in(0, 2));
      const bool plain = model_.modules.empty() || r.pooling != 0;
      const int64_t widths =
          model_.head == Head::kEmbeddings && r.pooling == 0 ? static_cast<int64_t>(model_.poolings.size()) : 1;
      const int64_t size = plain ? model_.d * widths : model_.modules.back().outputs;
      const bool of_vectors = model_.head == Head::kVectors;
      if (random_.chance(0.4)) r.dimensions = static_cast<int32_t>(random_.in(1, of_vectors ? model_.d : size));
    }
    r.logits = model_.head == Head::kLanguage && random_.chance(0.7);
    r.all_positions = r.logits && random_.chance(0.3);
    r.fillings = has_lm && (!r.logits || random_.chance(0.6));
    if (r.fillings) r.top_k = static_cast<int32_t>(random_.in(1, std::min<int64_t>(40, model_.vocab)));
    r.class_scores = model_.head == Head::kClasses;
    r.token_scores = model_.head == Head::kTokens || model_.head == Head::kAnswers;
    r.sparse = model_.head == Head::kSparse;
    r.vectors = model_.head == Head::kVectors || random_.chance(0.1);
    if (r.vectors && !r.embeddings) r.normalize = static_cast<int32_t>(random_.in(0, 2));
    weights_ = random_.chance(0.7) ? Weights::kFloat : random_.chance(0.5) ? Weights::kInt8 : Weights::kBf16;
    draw_sequences();
    constexpr const char* kWeights[] = {"", ", bfloat16", ", int8"};
    how_ = kWeights[static_cast<size_t>(weights_)] + std::string("; ") + std::to_string(r.ids.size()) +
           " sequences of " + std::to_string(tokens_) + " tokens";
  }

  void draw_sequences() {
    Request& r = request_;
    const double most = std::clamp(kWorkOfCall / work_of_token(model_, r), 8.0, 8000.0);
    const auto sequences = static_cast<int64_t>(std::exp(random_.unit() * std::log(200.99)));
    const int64_t longest = random_.of(std::vector<int64_t>{3, 12, 40, 130, 300});
    const bool has_types = model_.types > 1 && random_.chance(0.6);
    const bool may_be_empty = !r.embeddings && !r.class_scores;  // which an empty one has none of
    for (int64_t s = 0; s < sequences; ++s) {
      int64_t length = random_.in(1, longest);
      if (may_be_empty && s > 0 && random_.chance(0.03)) length = 0;
      const auto room = std::max<int64_t>(may_be_empty ? 0 : 1, static_cast<int64_t>(most) - tokens_);
      length = std::min(length, room);
      if (length == 0 && s == 0) length = 1;
      tokens_ += length;
      std::vector<int32_t> ids, types;
      std::vector<int64_t> positions;
      for (int64_t t = 0; t < length; ++t) {
        ids.push_back(static_cast<int32_t>(random_.chance(0.03) ? kPad : random_.in(0, model_.vocab - 1)));
        if (r.fillings && random_.chance(0.1)) ids.back() = kMask;
        if (has_types) types.push_back(static_cast<int32_t>(random_.in(0, model_.types - 1)));
        if (random_.chance(0.1)) positions.push_back(random_.in(0, length - 1));
      }
      r.ids.push_back(std::move(ids));
      if (has_types) r.types.push_back(std::move(types));
      r.positions.push_back(std::move(positions));
      if (static_cast<double>(tokens_) >= most) break;
    }
    bool any_mask = false, any_position = false;
    for (const auto& ids : r.ids) any_mask = any_mask || std::count(ids.begin(), ids.end(), kMask) > 0;
    for (const auto& positions : r.positions) any_position = any_position || !positions.empty();
    if (r.logits && !r.all_positions && !any_position) r.positions[0] = {0};
    if (r.fillings && !any_mask) r.ids[0][0] = kMask;
  }

  void expect_reference(const std::vector<Output>& outputs) {
    double left = kWorkOfReference;
    bool first = true;
    const auto offset = static_cast<size_t>(random_.in(0, static_cast<int64_t>(outputs.size()) - 1));
    for (size_t i = 0; i < outputs.size(); ++i) {
      const size_t s = (i + offset) % outputs.size();
      double work = work_of_token(model_, request_) * static_cast<double>(request_.ids[s].size());
      const auto scored = request_.logits ? static_cast<double>(request_.positions[s].size()) : 0;
      work += (scored + (request_.fillings ? 0.1 * static_cast<double>(request_.ids[s].size()) : 0)) *
              static_cast<double>(model_.vocab * model_.e);
      if (work > left && !first) continue;
      left -= work;
      first = first && request_.ids[s].empty();
      const std::string wrong = compare(model_, request_, weights_, s, outputs[s], differences_);
      if (!wrong.empty()) fail("sequence " + std::to_string(s) + ": " + wrong);
    }
  }

  // `others` may lack outputs that have no arrays of the caller's.
  void expect_same(const std::vector<Output>& outputs, const std::vector<Output>& others, const std::string& how,
                   size_t first = 0) {
    for (size_t s = 0; s < others.size(); ++s) {
      for (const auto& [name, bytes] : others[s]) {
        const auto found = outputs[first + s].find(name);
        if (found != outputs[first + s].end() && found->second == bytes) continue;
        return fail(how + ": '" + name + "' of sequence " + std::to_string(first + s) + " differs");
      }
    }
  }

  Request part(size_t first, size_t count) const {
    Request part = request_;
    const auto cut = [&](auto& list) {
      if (list.empty()) return;
      const auto begin = list.begin() + static_cast<std::ptrdiff_t>(first);
      list = {begin, begin + static_cast<std::ptrdiff_t>(count)};
    };
    cut(part.ids);
    cut(part.types);
    cut(part.positions);
    return part;
  }

  void alone_and_among_others(const LoadedModel& model, const std::vector<Output>& outputs) {
    const size_t n = outputs.size();
    for (size_t i = 0; i < std::min(n, kAlone); ++i) {
      const size_t s = n <= kAlone ? i : static_cast<size_t>(random_.in(0, static_cast<int64_t>(n) - 1));
      expect_same(outputs, draws::run(model, part(s, 1)), "alone", s);
    }
    if (n < 2) return;
    const auto middle = static_cast<size_t>(random_.in(1, static_cast<int64_t>(n) - 1));
    expect_same(outputs, draws::run(model, part(0, middle)), "with fewer others");
    expect_same(outputs, draws::run(model, part(middle, n - middle)), "with fewer others", middle);
  }

  void single_file(const LoadedModel& model, const std::vector<Output>& outputs) {
    const char* const folder = std::getenv("TMPDIR");
    const std::string path =
        std::string(folder != nullptr ? folder : "/tmp") + "/lffn_draws_" + std::to_string(getpid()) + ".safetensors";
    const auto threads = static_cast<int32_t>(random_.in(1, 7));
    const ModelPtr again = load_saved(model, path, {threads, weights_, nullptr});
    std::remove(path.c_str());
    expect_same(outputs, draws::run(*again, request_), "a single file, " + std::to_string(threads) + " threads");
  }

  // Texts of whole words are these words' ids, between what the tokenizer adds.
  void texts(const LoadedModel& model) {
    Request by_text = request_;
    by_text.types.clear();
    by_text.logits = by_text.all_positions = false;
    by_text.positions.clear();
    by_text.entities = model_.head == Head::kTokens;
    by_text.aggregation = static_cast<int32_t>(by_text.entities ? random_.in(0, 1) : 0);
    std::vector<std::vector<int32_t>> sequences;
    bool any_mask = false;
    for (size_t s = 0; s < std::min<size_t>(request_.ids.size(), 20); ++s) {
      std::vector<int32_t> ids;
      std::string text;
      for (const int32_t id : request_.ids[s]) {
        if (ids.size() == 297) break;
        const int32_t own = request_.fillings && id == kMask ? kMask : id < kFirstWord ? 5 + id % 26 : id;
        text += (text.empty() ? "" : " ") + word(own);
        ids.push_back(own);
      }
      if (model_.head != Head::kStatic) {
        ids.insert(ids.begin(), kCls);
        ids.push_back(kSep);
      } else if (ids.empty()) {
        continue;
      }
      any_mask = any_mask || std::count(ids.begin(), ids.end(), kMask) > 0;
      by_text.texts.push_back(text);
      sequences.push_back(std::move(ids));
    }
    if (by_text.fillings && !any_mask) {
      by_text.fillings = false;
      by_text.top_k = 0;
    }
    const bool any = by_text.hidden || by_text.embeddings || by_text.class_scores || by_text.token_scores ||
                     by_text.sparse || by_text.vectors || by_text.fillings;
    if (!any || by_text.texts.empty()) return;
    Request by_ids = by_text;
    by_ids.texts.clear();
    by_ids.entities = false;
    by_ids.aggregation = 0;
    by_ids.ids = sequences;
    by_text.ids = sequences;  // what they are to become
    const std::vector<Output> outputs = draws::run(model, by_text);
    for (size_t s = 0; s < outputs.size(); ++s) {
      if (numbers<int32_t>(outputs[s], "ids") != sequences[s]) {
        return fail("text " + std::to_string(s) + " has other ids");
      }
    }
    expect_same(outputs, draws::run(model, by_ids), "the ids of the texts");
    if (!by_text.entities || weights_ != Weights::kFloat) return;
    for (size_t s = 0; s < std::min<size_t>(outputs.size(), 4); ++s) {
      const std::string wrong = compare(model_, by_text, weights_, s, outputs[s], differences_);
      if (!wrong.empty()) fail("text " + std::to_string(s) + ": " + wrong);
    }
  }

  // Those with fused multiply-add give the same bits; the others each the same with any number of threads.
  void instruction_sets_of(const std::vector<Output>& outputs) {
    static const std::vector<std::pair<const char*, bool>> sets = instruction_sets();
    for (const auto& [name, has_fma] : sets) {
      const auto threads = static_cast<int32_t>(random_.in(1, 7));
      const std::vector<Output> others = draws::run(*load(model_.files, {threads, weights_, name}), request_);
      if (has_fma) {
        expect_same(outputs, others, name);
      } else {
        const int32_t other_threads = threads % 7 + 1;
        expect_same(others, draws::run(*load(model_.files, {other_threads, weights_, name}), request_), name);
        expect_reference(others);
      }
    }
  }

  Random random_;
  DrawnModel model_;
  Differences& differences_;
  Request request_;
  Weights weights_ = Weights::kFloat;
  int64_t tokens_ = 0;
  std::string how_, wrong_;
};

struct Options {
  uint64_t first = 1, count = 1;
  bool measures = false, tells = false;
};

constexpr char kUsage[] =
    "draws: models and calls that are drawn from seeds, the library beside itself and a reference\n"
    "  --seeds FIRST COUNT   these seeds\n"
    "  --new COUNT           so many seeds from a first one that is new with each run, or LFFN_DRAWS_SEED\n"
    "  --measure             print the largest difference of each output, beside its bound\n"
    "  --tell                print what is drawn\n";

// Exits where the arguments are not such.
Options read(int argc, char** argv) {
  Options options;
  const auto refuse = [] {
    std::fputs(kUsage, stderr);
    std::exit(2);
  };
  const auto number = [&](int i) {
    char* end = nullptr;
    const uint64_t value = i < argc ? std::strtoull(argv[i], &end, 10) : 0;
    if (end == nullptr || *end != '\0') refuse();
    return value;
  };
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--seeds") {
      options.first = number(++i);
      options.count = number(++i);
    } else if (argument == "--new") {
      const char* const given = std::getenv("LFFN_DRAWS_SEED");
      options.first = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
      options.count = number(++i);
    } else if (argument == "--measure") {
      options.measures = true;
    } else if (argument == "--tell") {
      options.tells = true;
    } else {
      refuse();
    }
  }
  return options;
}

int run_all(const Options& options) {
  Differences differences;
  uint64_t failed = 0;
  const auto begin = std::chrono::steady_clock::now();
  std::printf("seeds %llu and on, %llu of them\n", static_cast<unsigned long long>(options.first),
              static_cast<unsigned long long>(options.count));
  for (uint64_t i = 0; i < options.count; ++i) {
    const uint64_t seed = options.first + i;
    Draw draw(seed, differences);
    std::string wrong;
    try {
      wrong = draw.run();
    } catch (const std::exception& error) {
      wrong = error.what();
    }
    if (options.tells) std::printf("%llu: %s\n", static_cast<unsigned long long>(seed), draw.summary().c_str());
    std::fflush(stdout);
    if (wrong.empty()) continue;
    ++failed;
    std::printf("FAILED seed %llu (%s): %s\n  again: draws --seeds %llu 1\n", static_cast<unsigned long long>(seed),
                draw.summary().c_str(), wrong.c_str(), static_cast<unsigned long long>(seed));
    if (failed == 20) break;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  if (options.measures) {
    for (const auto& [name, largest] : differences) {
      std::printf("%-14s differs by at most %.2e, bound %.2e\n", name.c_str(), largest, bound_of(name));
    }
  }
  std::printf("%llu failed, in %.0f s\n", static_cast<unsigned long long>(failed), seconds.count());
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace draws

int main(int argc, char** argv) { return draws::run_all(draws::read(argc, argv)); }
