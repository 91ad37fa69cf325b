// SPDX-License-Identifier: Apache-2.0
// Uses models as a busy service does: threads that load, run mixed lengths, fill masks, cancel and free, all at once.
// Every result must have the same bits as one made alone, nothing may be left, and memory may not grow.
//
//   model_soak FOLDER [SECONDS [THREADS]]     FOLDER holds folders of models
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>

#include "lookupffn/lookupffn.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using Random = std::minstd_rand;
using lookupffn::Model;
using Fillings = lookupffn::List<lookupffn::List<lookupffn::Filling>>;

void require(bool holds, const char* claim) {
  if (!holds) throw std::runtime_error(std::string("this does not hold: ") + claim);
}

// What the library holds, counted by the allocator that it is given.
std::atomic<int64_t> live_bytes{0};

void* allocate(size_t size, size_t alignment, void*) {
  live_bytes += static_cast<int64_t>(size);
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void deallocate(void* memory, size_t size, void*) {
  live_bytes -= static_cast<int64_t>(size);
  std::free(memory);
}

int64_t resident_bytes() {
  int64_t pages = 0;
  std::ifstream file("/proc/self/statm");
  file >> pages >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

const std::vector<std::string> kTexts = {"The <mask> of it", "", "na\u00efve \u4f60\u597d  <mask>\n",
                                         std::string(60, 'x')};

bool same(const Fillings& a, const Fillings& b) {
  const auto equal = [](const lookupffn::Filling& x, const lookupffn::Filling& y) {
    return x.id == y.id && x.probability == y.probability;
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), equal);
  });
}

std::string saved_bytes(const Model& model) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / ("lffn-soak-" + std::to_string(getpid()));
  model.save(path.string());
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::filesystem::remove(path);
  return bytes;
}

// A model as it is loaded here, and what it answers alone on one thread.
struct Subject {
  Subject(const std::string& from, int32_t dtype) : folder(from) {
    options.linear_dtype = options.table_dtype = options.hash_dtype = dtype;
    options.num_threads = 1;
    const Model model = Model::load(folder, options);
    const lookupffn::ModelInfo info = model.info();
    for (int32_t length = 1; length <= info.max_tokens; length += 1 + length / 3) {
      std::vector<int32_t> ids(static_cast<size_t>(length));
      for (int32_t t = 0; t < length; ++t) ids[static_cast<size_t>(t)] = (t * t + 7 * length) % info.vocab_size;
      lookupffn::TokenBatch alone;
      alone.add(ids);
      sequences.push_back(std::move(ids));
      hidden.push_back(model.encode(alone.view()));
    }
    vectors = model.embed(lookupffn::Texts(kTexts));
    for (const std::string& text : kTexts) {
      fillings.push_back(model.fill_mask(text, 3));
      spellings.push_back(model.tokenizer().decode(model.tokenizer().encode(text).ids));
    }
    bytes = saved_bytes(model);
  }
  Model load(Random& random) const {
    lookupffn::LoadOptions mine = options;
    mine.num_threads = 1 + static_cast<int32_t>(random() % 3);
    return random() % 2 == 0 ? Model::load(folder, mine) : Model::load_memory(bytes, mine);
  }

  std::string folder, bytes;
  lookupffn::LoadOptions options;
  std::vector<std::vector<int32_t>> sequences;
  std::vector<std::vector<float>> hidden;  // of each sequence
  std::vector<float> vectors;              // of kTexts
  std::vector<Fillings> fillings;          // of each of them
  std::vector<std::string> spellings;      // what their tokens say
};

struct Counts {
  std::atomic<int64_t> loads{0}, runs{0}, texts{0}, cancelled{0}, refused{0};
};

// A model that all threads use, until one of them puts another in its place.
class Slot {
 public:
  std::shared_ptr<const Model> get() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return model_;
  }
  void put(std::shared_ptr<const Model> model) {
    const std::lock_guard<std::mutex> lock(mutex_);
    model_.swap(model);
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<const Model> model_;
};

class Service {
 public:
  Service(const std::vector<Subject>& subjects, Counts& counts)
      : subjects_(subjects), counts_(counts), slots_(subjects.size()) {
    Random random(1);
    for (size_t i = 0; i < slots_.size(); ++i) replace(i, random);
  }

  // One request of any kind.
  void serve(Random& random, lookupffn::CancelFlag& cancel) {
    const size_t which = random() % subjects_.size();
    const Subject& subject = subjects_[which];
    switch (random() % 8) {
      case 0:
        counts_.loads++;
        return encode(subject, subject.load(random), random, 3, nullptr);
      case 1:
        return replace(which, random);
      case 2:
        return refuse(subject, random);
      case 3:
      case 4:
        return read_texts(subject, *slots_[which].get());
      case 5:
        cancel.reset();
        return encode(subject, *slots_[which].get(), random, 60, &cancel);
      default:
        return encode(subject, *slots_[which].get(), random, 10, nullptr);
    }
  }

 private:
  void replace(size_t which, Random& random) {
    counts_.loads++;
    slots_[which].put(std::make_shared<const Model>(subjects_[which].load(random)));
  }

  void encode(const Subject& subject, const Model& model, Random& random, size_t most,
              const lookupffn::CancelFlag* cancel) {
    lookupffn::TokenBatch batch;
    std::vector<size_t> chosen(1 + random() % most);
    for (size_t& place : chosen) {
      place = random() % subject.sequences.size();
      batch.add(subject.sequences[place]);
    }
    std::vector<float> hidden;
    lookupffn::RunOptions options;
    options.cancel = cancel;
    try {
      hidden = model.encode(batch.view(), options);
    } catch (const lookupffn::Cancelled&) {
      require(cancel != nullptr, "only a call with a flag is cancelled");
      counts_.cancelled++;
      return;
    }
    counts_.runs++;
    auto at = hidden.begin();
    for (const size_t place : chosen) {
      const std::vector<float>& alone = subject.hidden[place];
      require(std::equal(alone.begin(), alone.end(), at), "a sequence gives the same bits in any batch");
      at += static_cast<int64_t>(alone.size());
    }
  }

  void read_texts(const Subject& subject, const Model& model) {
    counts_.texts++;
    require(model.embed(lookupffn::Texts(kTexts)) == subject.vectors, "a text gives the same vector");
    for (size_t i = 0; i < kTexts.size(); ++i) {
      require(same(model.fill_mask(kTexts[i], 3), subject.fillings[i]), "a mask gets the same fillings");
      require(model.tokenizer().decode(model.tokenizer().encode(kTexts[i]).ids) == subject.spellings[i],
              "a text gives the same tokens");
    }
  }

  void refuse(const Subject& subject, Random& random) {
    counts_.refused++;
    try {
      Model::load_memory(subject.bytes.substr(0, random() % subject.bytes.size()), subject.options);
      require(false, "half a file is refused");
    } catch (const lookupffn::BadModel&) {
    }
  }

  const std::vector<Subject>& subjects_;
  Counts& counts_;
  std::vector<Slot> slots_;
};

// Runs until the time is over or something does not hold. Returns by how much the process grew after its first third.
int64_t run(Service& service, double seconds, size_t num_threads, std::string& failure) {
  std::atomic<bool> stop{false};
  std::mutex mutex;  // of failure
  std::vector<lookupffn::CancelFlag> flags(num_threads);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < num_threads; ++i) {
    threads.emplace_back([&, i] {
      Random random(static_cast<uint32_t>(i + 17));
      try {
        while (!stop) service.serve(random, flags[i]);
      } catch (const std::exception& error) {
        const std::lock_guard<std::mutex> lock(mutex);
        failure = error.what();
        stop = true;
      }
    });
  }
  int64_t early = 0, late = 0;
  double passed = 0;
  Clock::time_point last = Clock::now();
  for (size_t turn = 0; !stop; ++turn) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    flags[turn % num_threads].cancel();
    const Clock::time_point now = Clock::now();
    passed += std::min(0.1, std::chrono::duration<double>(now - last).count());  // a stopped process serves nobody
    last = now;
    int64_t& most = passed < seconds / 3 ? early : late;
    most = std::max(most, resident_bytes());
    if (passed >= seconds) stop = true;
  }
  for (std::thread& thread : threads) thread.join();
  return late - early;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: model_soak FOLDER [SECONDS [THREADS]]\n"), 2;
  const double seconds = argc > 2 ? std::atof(argv[2]) : 3;
  const size_t num_threads = argc > 3 ? static_cast<size_t>(std::atoi(argv[3])) : 4;
  lffn_allocator allocator;
  lffn_allocator_init(&allocator);
  allocator.allocate = allocate;
  allocator.deallocate = deallocate;
  std::string failure;
  Counts counts;
  int64_t growth = 0;
  try {
    lookupffn::check(lffn_set_default_allocator(&allocator));
    std::vector<Subject> subjects;
    for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
      for (const int32_t dtype : {LFFN_DTYPE_F32, LFFN_DTYPE_INT8}) subjects.emplace_back(entry.path().string(), dtype);
    }
    Service service(subjects, counts);
    growth = run(service, seconds, num_threads, failure);
  } catch (const std::exception& error) {
    failure = error.what();
  }
  std::printf(
      "%zu threads, %.0f s: %lld loads, %lld runs, %lld cancelled, %lld rounds of texts, %lld refused; "
      "the process grew by %.1f MB\n",
      num_threads, seconds, static_cast<long long>(counts.loads), static_cast<long long>(counts.runs),
      static_cast<long long>(counts.cancelled), static_cast<long long>(counts.texts),
      static_cast<long long>(counts.refused), 1e-6 * static_cast<double>(growth));
  constexpr int64_t kMostGrowth = 16 << 20;  // heaps of threads, and of sanitizers, settle late
  if (failure.empty() && lffn_live_handles() != 0) failure = "handles are left";
  if (failure.empty() && live_bytes != 0) failure = std::to_string(live_bytes) + " bytes are left";
  if (failure.empty() && growth > kMostGrowth) failure = "the process grows";
  if (failure.empty() && (counts.runs == 0 || counts.cancelled == 0 || counts.loads == 0))
    failure = "too little was done";
  if (!failure.empty()) std::fprintf(stderr, "%s\n", failure.c_str());
  return failure.empty() ? 0 : 1;
}
