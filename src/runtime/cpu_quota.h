// SPDX-License-Identifier: Apache-2.0
// How many CPUs a container's quota leaves.
#pragma once

#include <cstdint>
#include <string>

namespace lffn {

// The smallest quota of this process's control group and those around it, of version 1 and 2, in CPUs, rounded up; 0
// where there is none. The system's files are looked for below `root`.
int32_t cpu_quota(const std::string& root = "");

}  // namespace lffn
