// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine.h"

namespace compare {

std::unique_ptr<Engine> make_linear_f32(Problem& problem, int threads, std::string* why);
std::unique_ptr<Engine> make_linear_int8(Problem& problem, int threads, std::string* why);

}  // namespace compare
