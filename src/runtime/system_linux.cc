// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <linux/random.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string>
#include <vector>

#include "runtime/system.h"

#if defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace lffn {
namespace {

#ifdef _SC_LEVEL1_DCACHE_SIZE
void replace(size_t& size, int name) {
  const long told = sysconf(name);
  if (told > 0) size = static_cast<size_t>(told);
}
#endif

// What the kernel says of the first CPU's caches. In virtual machines it is nearer the truth than sysconf, which
// multiplies what CPUID says.
void read_caches(size_t* sizes) {
  for (int index = 0; index < 8; ++index) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    std::ifstream level_file(folder + "level"), type_file(folder + "type"), size_file(folder + "size");
    size_t level = 0, kilobytes = 0;
    std::string type;
    if (!(level_file >> level) || !(type_file >> type) || !(size_file >> kilobytes)) return;
    if (level >= 1 && level <= 3 && type != "Instruction" && kilobytes > 0) sizes[level - 1] = kilobytes << 10;
  }
}

size_t page_bytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

// nullptr where the system has none: before Linux 4.14.
std::atomic<int64_t>* page_wiped_on_fork() {
#ifdef MADV_WIPEONFORK
  void* const page = mmap(nullptr, page_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return nullptr;
  if (madvise(page, page_bytes(), MADV_WIPEONFORK) == 0) return new (page) std::atomic<int64_t>(0);
  munmap(page, page_bytes());
#endif
  return nullptr;
}

}  // namespace

bool random_bytes(void* to, size_t size) {
  // Not the function: an old glibc lacks it.
  return syscall(SYS_getrandom, to, size, GRND_NONBLOCK) == static_cast<long>(size);
}

// The process id alone does not tell parent and child apart: in new namespaces, both may be number 1. A page that the
// system clears in a forked child does, however the child was forked. If there is no such page, the id must do.
int32_t process_number() {
  static std::atomic<std::atomic<int64_t>*> page{nullptr};
  static std::atomic<int64_t> without_page{0};
  static std::atomic<int32_t> last{0};  // the last number given so far, by this process or its ancestors
  std::atomic<int64_t>* known = page.load(std::memory_order_acquire);
  if (known == nullptr) {
    std::atomic<int64_t>* const made = page_wiped_on_fork();
    if (made == nullptr) {
      page.compare_exchange_strong(known, &without_page);
    } else if (!page.compare_exchange_strong(known, made)) {
      munmap(made, page_bytes());
    }
    known = page.load(std::memory_order_acquire);
  }
  // The process's id in the upper half, its number in the lower.
  const int64_t id = int64_t{getpid()} << 32;
  int64_t told = known->load(std::memory_order_acquire);
  while (told >> 32 != id >> 32) {
    const int64_t own = id | (last.fetch_add(1) + 1);
    if (known->compare_exchange_weak(told, own)) told = own;
  }
  return static_cast<int32_t>(told & INT32_MAX);
}

// The system may have more CPUs than the 1,024 of cpu_set_t.
int32_t allowed_cpus() {
  constexpr size_t kMostWords = 1 << 12;
  for (std::vector<unsigned long> set(16); set.size() <= kMostWords; set.assign(2 * set.size(), 0)) {
    if (sched_getaffinity(0, set.size() * sizeof set[0], reinterpret_cast<cpu_set_t*>(set.data())) != 0) continue;
    int32_t count = 0;
    for (const unsigned long word : set) count += __builtin_popcountl(word);
    return count;
  }
  return 0;
}

CpuSet process_cpus() {
  CpuSet cpus;
  DIR* const tasks = opendir("/proc/self/task");
  if (tasks == nullptr) return cpus;
  while (const dirent* const task = readdir(tasks)) {
    cpu_set_t set;
    const auto id =
        static_cast<pid_t>(std::strtol(task->d_name, nullptr, 10));  // 0 is no thread's id, but would mean the caller
    if (id == 0 || sched_getaffinity(id, sizeof set, &set) != 0) continue;
    for (size_t cpu = 0; cpu < cpus.size() && cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &set)) cpus.set(cpu);
    }
  }
  closedir(tasks);
  return cpus;
}

void tell_cache_sizes(size_t (&sizes)[3]) {
#ifdef _SC_LEVEL1_DCACHE_SIZE
  replace(sizes[0], _SC_LEVEL1_DCACHE_SIZE);
  replace(sizes[1], _SC_LEVEL2_CACHE_SIZE);
  replace(sizes[2], _SC_LEVEL3_CACHE_SIZE);
#endif
  read_caches(sizes);
}

bool has_neon_dot() {
#if defined(__aarch64__) && defined(HWCAP_ASIMDDP)
  return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
#else
  return false;
#endif
}

bool has_neon_i8mm() {
#if defined(__aarch64__) && defined(HWCAP2_I8MM)
  return (getauxval(AT_HWCAP2) & HWCAP2_I8MM) != 0;
#else
  return false;
#endif
}

bool saves_zmm_when_used() { return false; }

}  // namespace lffn
