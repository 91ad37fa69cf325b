// SPDX-License-Identifier: Apache-2.0
// Chooses the kernels once: the best that the CPU has, or those that LOOKUPFFN_ISA names.
#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "kernels/kernels.h"
#include "runtime/cpu.h"
#include "runtime/environment.h"
#include "runtime/error.h"
#include "runtime/forever.h"

namespace lffn {

// The parts that this build has. LFFN_WHOLE_SETS has LFFN_SET(name) for each set with all parts; LFFN_INT8_SETS and
// LFFN_PICK_SETS have LFFN_SET_ON(name, other) for each set that takes the other parts from `other`, which comes before
// it.
#define LFFN_INT8_PARTS                              \
  extern const HashInt8Kernels kHashInt8Kernels;     \
  extern const LinearInt8Kernels kLinearInt8Kernels; \
  extern const AttentionInt8Kernels kAttentionInt8Kernels;

#define LFFN_SET(set)                              \
  namespace set {                                  \
  extern const HashKernels kHashKernels;           \
  extern const GatherKernels kGatherKernels;       \
  extern const LinearKernels kLinearKernels;       \
  extern const AttentionKernels kAttentionKernels; \
  extern const SearchKernels kSearchKernels;       \
  LFFN_INT8_PARTS                                  \
  }
LFFN_WHOLE_SETS
#undef LFFN_SET

#define LFFN_SET_ON(set, other) \
  namespace set {               \
  LFFN_INT8_PARTS               \
  }
LFFN_INT8_SETS
#undef LFFN_SET_ON

#define LFFN_SET_ON(set, other)          \
  namespace set {                        \
  extern const PickKernels kPickKernels; \
  }
LFFN_PICK_SETS
#undef LFFN_SET_ON

namespace {

bool cpu_runs(std::string_view name) {
  const CpuFeatures& cpu = cpu_features();
  const std::pair<std::string_view, bool> wanted[] = {{"avx512vbmi", cpu.avx512_vbmi},
                                                      {"avx512vnni", cpu.avx512_vnni},
                                                      {"avx512", cpu.avx512},
                                                      {"avxvnni", cpu.avx_vnni},
                                                      {"avx2", cpu.avx2},
                                                      {"neoni8mm", cpu.neon_i8mm},
                                                      {"neondot", cpu.neon_dot},
                                                      {"neon", cpu.neon}};
  for (const auto& [one, has] : wanted) {
    if (one == name) return has;
  }
  return true;
}

struct Set {
  const char* name;
  bool built, runs;  // here, on this CPU
  Kernels kernels;
};
using Sets = std::array<Set, std::size(kKernelNames)>;

Set& set_of(Sets& sets, std::string_view name) {
  return *std::find_if(sets.begin(), sets.end(), [&](const Set& set) { return set.name == name; });
}

template <typename... Parts>
void add(Sets& sets, const char* name, const Kernels& base, const Parts&... parts) {
  Set& set = set_of(sets, name);
  set.built = true;
  set.kernels = base;
  set.kernels.name = name;
  ((static_cast<Parts&>(set.kernels) = parts), ...);
}

Sets put_together() {
  Sets sets = {};
  for (size_t i = 0; i < sets.size(); ++i) sets[i] = {kKernelNames[i], false, cpu_runs(kKernelNames[i]), {}};
#define LFFN_SET(set)                                                                                     \
  add(sets, #set, {}, set::kHashKernels, set::kHashInt8Kernels, set::kGatherKernels, set::kLinearKernels, \
      set::kLinearInt8Kernels, set::kAttentionKernels, set::kAttentionInt8Kernels, set::kSearchKernels);  \
  set_of(sets, #set).kernels.floats = #set;
  LFFN_WHOLE_SETS
#undef LFFN_SET
#define LFFN_SET_ON(set, other)                                                                 \
  add(sets, #set, set_of(sets, #other).kernels, set::kHashInt8Kernels, set::kLinearInt8Kernels, \
      set::kAttentionInt8Kernels);
  LFFN_INT8_SETS
#undef LFFN_SET_ON
#define LFFN_SET_ON(set, other)                                               \
  add(sets, #set, set_of(sets, #other).kernels);                              \
  set_of(sets, #set).kernels.gather_picked = set::kPickKernels.gather_picked; \
  set_of(sets, #set).kernels.scan_bits = set::kPickKernels.scan_bits;
  LFFN_PICK_SETS
#undef LFFN_SET_ON
  return sets;
}

// Best first.
const Sets& sets() {
  static Forever<const Sets> made;
  return made.get(put_together);
}

}  // namespace

const Kernels& choose_kernels(const char* name, const char* setting) {
  const std::string wanted = name;
  std::string names;
  for (const Set& one : sets()) {
    const bool usable = one.built && one.runs;
    if (usable && (wanted.empty() || wanted == one.name)) return one.kernels;
    if (wanted == one.name) {
      fail(LFFN_ERROR_UNSUPPORTED, "%s is '%s', which this %s; unset it to use the best one", setting, wanted.c_str(),
           !one.built ? "build of the library does not have" : "CPU does not have");
    }
    if (usable) names += std::string(names.empty() ? "" : ", ") + one.name;
  }
  fail(LFFN_ERROR_INVALID_ARGUMENT, "%s is '%.40s'; set it to one of %s, or unset it", setting, wanted.c_str(),
       names.c_str());
}

const Kernels& kernels() {
  static Forever<const std::reference_wrapper<const Kernels>> chosen;
  return chosen.get([] { return std::cref(choose_kernels(environment().isa.c_str(), "LOOKUPFFN_ISA")); });
}

const Kernels& usable_kernels() {
  check_environment();
  return kernels();
}

const Kernels* find_kernels(const char* name) {
  for (const Set& one : sets()) {
    if (std::strcmp(one.name, name) == 0) return one.built && one.runs ? &one.kernels : nullptr;
  }
  return nullptr;
}

bool built_kernels(const char* name) {
  return std::any_of(sets().begin(), sets().end(),
                     [&](const Set& one) { return one.built && std::strcmp(one.name, name) == 0; });
}

}  // namespace lffn
