// SPDX-License-Identifier: Apache-2.0
// Chooses the kernels once: what the CPU has, or what LOOKUPFFN_ISA names.
#include <array>
#include <cstring>
#include <functional>
#include <string>

#include "kernels/kernels.h"
#include "runtime/cpu.h"
#include "runtime/environment.h"
#include "runtime/error.h"
#include "runtime/forever.h"

namespace lffn {
namespace {

struct Candidate {
  const char* name;
  const Kernels* kernels;  // nullptr: this build has none
  bool runs;               // on this CPU
};

#if defined(__x86_64__)
#define LFFN_IF_X86(table) (&table)
#define LFFN_IF_ARM(table) nullptr
#elif defined(__aarch64__)
#define LFFN_IF_X86(table) nullptr
#define LFFN_IF_ARM(table) (&table)
#else
#define LFFN_IF_X86(table) nullptr
#define LFFN_IF_ARM(table) nullptr
#endif

// `base` with better kernels for a part of the arithmetic.
template <typename Part>
Kernels combine(const char* name, const Kernels& base, const Part& better) {
  Kernels both = base;
  both.name = name;
  static_cast<Part&>(both) = better;
  return both;
}

using Candidates = std::array<Candidate, 10>;

// Best first.
const Candidates& candidates() {
#if defined(__x86_64__)
  static Forever<const Kernels> with_avx512_vbmi, with_avx512_vnni, with_avx_vnni;
  const Kernels& avx512_vnni =
      with_avx512_vnni.get([] { return combine("avx512vnni", kKernelsAvx512, kKernelsAvx512Vnni); });
  const Kernels& avx512_vbmi =
      with_avx512_vbmi.get([&] { return combine("avx512vbmi", avx512_vnni, kKernelsAvx512Vbmi); });
  const Kernels& avx_vnni = with_avx_vnni.get([] { return combine("avxvnni", kKernelsAvx2, kKernelsAvxVnni); });
#elif defined(__aarch64__)
  static Forever<const Kernels> with_neon_dot, with_neon_i8mm;
  const Kernels& neon_dot = with_neon_dot.get([] { return combine("neondot", kKernelsNeon, kKernelsNeonDot); });
  const Kernels& neon_i8mm = with_neon_i8mm.get([] { return combine("neoni8mm", kKernelsNeon, kKernelsNeonI8mm); });
#endif
  static Forever<const Candidates> made;
  return made.get([&] {
    return Candidates{{
        {"avx512vbmi", LFFN_IF_X86(avx512_vbmi), cpu_features().avx512_vbmi},
        {"avx512vnni", LFFN_IF_X86(avx512_vnni), cpu_features().avx512_vnni},
        {"avx512", LFFN_IF_X86(kKernelsAvx512), cpu_features().avx512},
        {"avxvnni", LFFN_IF_X86(avx_vnni), cpu_features().avx_vnni},
        {"avx2", LFFN_IF_X86(kKernelsAvx2), cpu_features().avx2},
        {"baseline", LFFN_IF_X86(kKernelsBaseline), true},
        {"neoni8mm", LFFN_IF_ARM(neon_i8mm), cpu_features().neon_i8mm},
        {"neondot", LFFN_IF_ARM(neon_dot), cpu_features().neon_dot},
        {"neon", LFFN_IF_ARM(kKernelsNeon), cpu_features().neon},
        {"generic", &kKernelsGeneric, true},
    }};
  });
}

}  // namespace

const Kernels& choose_kernels(const char* name, const char* setting) {
  const std::string wanted = name;
  std::string names;
  for (const Candidate& one : candidates()) {
    const bool usable = one.kernels != nullptr && one.runs;
    if (usable && (wanted.empty() || wanted == one.name)) return *one.kernels;
    if (wanted == one.name) {
      fail(LFFN_ERROR_UNSUPPORTED, "%s is '%s', which this %s; unset it to use the best one", setting, wanted.c_str(),
           one.kernels == nullptr ? "build of the library does not have" : "CPU does not have");
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
  for (const Candidate& one : candidates()) {
    if (std::strcmp(one.name, name) == 0) return one.runs ? one.kernels : nullptr;
  }
  return nullptr;
}

}  // namespace lffn
