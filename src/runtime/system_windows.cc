// SPDX-License-Identifier: Apache-2.0
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
// bcrypt.h needs what windows.h defines.
#include <bcrypt.h>
#include <malloc.h>

#include <bitset>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <new>

#include "runtime/cpu_count.h"
#include "runtime/system.h"

namespace lffn {
namespace {

constexpr size_t kStackBytes = size_t{1} << 20;

// The library that this code lies in. It is not unloaded as long as somebody holds it.
HMODULE own_library(DWORD flags) {
  HMODULE library = nullptr;
  GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | flags, reinterpret_cast<const wchar_t*>(&own_library),
                     &library);
  return library;
}

DWORD WINAPI run_thread(void* start) {
  const ThreadStart& own = *static_cast<const ThreadStart*>(start);
  own.body(own.context);
  if (const HMODULE library = own_library(GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT)) {
    FreeLibraryAndExitThread(library, 0);
  }
  return 0;
}

}  // namespace

int32_t process_number() { return static_cast<int32_t>(GetCurrentProcessId()); }

void* allocate_aligned(size_t size, size_t alignment) { return _aligned_malloc(size, alignment); }
void free_aligned(void* memory) { _aligned_free(memory); }

bool random_bytes(void* to, size_t size) {
  return BCryptGenRandom(nullptr, static_cast<UCHAR*>(to), static_cast<ULONG>(size), BCRYPT_USE_SYSTEM_PREFERRED_RNG) >=
         0;
}

int32_t allowed_cpus() {
  // `own` is 0 if the process's threads are in several groups of at most 64 CPUs each.
  DWORD_PTR own = 0, all = 0;
  if (GetProcessAffinityMask(GetCurrentProcess(), &own, &all) != 0 && own != 0) {
    return static_cast<int32_t>(std::bitset<64>(own).count());
  }
  return static_cast<int32_t>(GetActiveProcessorCount(ALL_PROCESSOR_GROUPS));
}

CpuSet process_cpus() { return {}; }

int32_t cpu_quota(const std::string&) { return 0; }

void tell_cache_sizes(size_t (&sizes)[3]) {
  DWORD bytes = 0;
  GetLogicalProcessorInformation(nullptr, &bytes);
  const size_t count = bytes / sizeof(SYSTEM_LOGICAL_PROCESSOR_INFORMATION);
  if (count == 0) return;
  const auto told = std::make_unique<SYSTEM_LOGICAL_PROCESSOR_INFORMATION[]>(count);
  if (GetLogicalProcessorInformation(told.get(), &bytes) == 0) return;
  for (size_t i = count; i-- > 0;) {  // backwards, so that the first CPU's sizes stay
    const CACHE_DESCRIPTOR& cache = told[i].Cache;
    if (told[i].Relationship != RelationCache || cache.Type == CacheInstruction || cache.Size == 0) continue;
    if (cache.Level >= 1 && cache.Level <= 3) sizes[cache.Level - 1] = cache.Size;
  }
}

bool has_neon_dot() {
  constexpr DWORD kDotProducts = 43;  // PF_ARM_V82_DP_INSTRUCTIONS_AVAILABLE, which older headers lack
  return IsProcessorFeaturePresent(kDotProducts) != 0;
}

bool has_neon_i8mm() { return false; }  // few headers know how to ask

bool saves_zmm_when_used() { return false; }

bool start_thread(OwnThread* thread, const ThreadStart& start, const CpuSet&) {
  const HMODULE library = own_library(0);                                                     // held by the thread
  *thread = CreateThread(nullptr, kStackBytes, run_thread, const_cast<ThreadStart*>(&start),  // only read
                         STACK_SIZE_PARAM_IS_A_RESERVATION, nullptr);
  if (*thread == nullptr && library != nullptr) FreeLibrary(library);
  return *thread != nullptr;
}

void join_thread(OwnThread thread) {
  WaitForSingleObject(thread, INFINITE);
  CloseHandle(thread);
}

// The time that passed, because GetThreadTimes counts whole ticks of 16 ms.
int64_t thread_time() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

int forbid_cancellation() { return 0; }
void restore_cancellation(int) {}

namespace {

// Threads get it when they start, or when the library is loaded, and lose it as they end, without code of ours.
thread_local char thread_text[kThreadTextSize] = "";

}  // namespace

char* find_thread_text() { return thread_text; }
char* make_thread_text() { return thread_text; }

}  // namespace lffn
