// SPDX-License-Identifier: Apache-2.0
// Hides AVX-512, VNNI and AMX from a program, so that an Intel processor with these times what others without them
// would run. Linux lets CPUID fault; each fault is answered with fewer features. Processors that cannot fault end the
// program with 3.
#define _GNU_SOURCE
#include <cpuid.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { kSetCpuid = 0x1012 };  // arch_prctl's ARCH_SET_CPUID

static long let_cpuid_fault(int faults) { return syscall(SYS_arch_prctl, kSetCpuid, !faults); }

static unsigned without(unsigned features, const unsigned char* bits) {
  for (; *bits != 0; ++bits) features &= ~(1u << *bits);
  return features;
}

static void answer(int number, siginfo_t* info, void* context) {
  (void)info;
  greg_t* registers = ((ucontext_t*)context)->uc_mcontext.gregs;
  const unsigned char* at = (const unsigned char*)registers[REG_RIP];
  if (at[0] != 0x0f || at[1] != 0xa2) {  // a real fault, which comes again
    signal(number, SIG_DFL);
    return;
  }
  const unsigned leaf = (unsigned)registers[REG_RAX], part = (unsigned)registers[REG_RCX];
  unsigned a, b, c, d;
  let_cpuid_fault(0);
  __cpuid_count(leaf, part, a, b, c, d);
  let_cpuid_fault(1);
  if (leaf == 7 && part == 0) {
    b = without(b, (const unsigned char[]){16, 17, 21, 28, 30, 31, 0});   // F, DQ, IFMA, CD, BW, VL
    c = without(c, (const unsigned char[]){1, 6, 11, 12, 14, 0});         // VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ
    d = without(d, (const unsigned char[]){2, 3, 8, 22, 23, 24, 25, 0});  // 4VNNIW, 4FMAPS, VP2INTERSECT, AMX, FP16
  } else if (leaf == 7 && part == 1) {
    a = without(a, (const unsigned char[]){4, 5, 21, 23, 0});  // AVX-VNNI, BF16, AMX-FP16, AVX-IFMA
    d = without(d, (const unsigned char[]){4, 5, 10, 0});      // AVX-VNNI-INT8, NE-CONVERT, AVX-VNNI-INT16
  }
  registers[REG_RAX] = a;
  registers[REG_RBX] = b;
  registers[REG_RCX] = c;
  registers[REG_RDX] = d;
  registers[REG_RIP] += 2;
}

__attribute__((constructor)) static void begin(void) {
  struct sigaction action = {0};
  action.sa_sigaction = answer;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  if (sigaction(SIGSEGV, &action, NULL) != 0 || let_cpuid_fault(1) != 0) {
    perror("hide_avx512");
    _exit(3);
  }
}
