// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine.h"

namespace compare {

std::unique_ptr<Engine> make_torch(Problem& problem, int threads, std::string* why);
std::string torch_version();

}  // namespace compare
