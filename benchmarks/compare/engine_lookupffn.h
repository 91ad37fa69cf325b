#pragma once

#include "engine.h"

namespace compare {

std::unique_ptr<Engine> make_lookupffn_f32(Problem& problem, int threads, std::string* why);
std::unique_ptr<Engine> make_lookupffn_bf16(Problem& problem, int threads, std::string* why);
std::unique_ptr<Engine> make_lookupffn_int8_tables(Problem& problem, int threads, std::string* why);
std::unique_ptr<Engine> make_lookupffn_int8(Problem& problem, int threads, std::string* why);
std::string lookupffn_version();

}  // namespace compare
