// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine.h"

namespace compare {

std::unique_ptr<Engine> make_openblas(Problem& problem, int threads, std::string* why);
std::string openblas_version();

}  // namespace compare
