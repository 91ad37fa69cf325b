// SPDX-License-Identifier: Apache-2.0
// What makes each engine; those of other projects where they are installed.
#pragma once

#include "engine.h"

namespace compare {

std::unique_ptr<Engine> make_linear_f32(Problem& problem, int threads, std::string* why);
std::unique_ptr<Engine> make_linear_int8(Problem& problem, int threads, std::string* why);

std::unique_ptr<Engine> make_lookupffn_f32(Problem& problem, int threads, std::string* why);
std::unique_ptr<Engine> make_lookupffn_bf16(Problem& problem, int threads, std::string* why);
std::unique_ptr<Engine> make_lookupffn_int8_tables(Problem& problem, int threads, std::string* why);
std::unique_ptr<Engine> make_lookupffn_int8(Problem& problem, int threads, std::string* why);
std::unique_ptr<Engine> make_lookupffn_dense_f32(Problem& problem, int threads, std::string* why);
std::unique_ptr<Engine> make_lookupffn_dense_int8(Problem& problem, int threads, std::string* why);
std::string lookupffn_version();

// Another build of the library, see Library::before().
std::unique_ptr<Engine> make_before_f32(Problem& problem, int threads, std::string* why);
std::unique_ptr<Engine> make_before_bf16(Problem& problem, int threads, std::string* why);
std::unique_ptr<Engine> make_before_int8_tables(Problem& problem, int threads, std::string* why);
std::unique_ptr<Engine> make_before_int8(Problem& problem, int threads, std::string* why);
std::string before_version();

std::unique_ptr<Engine> make_onednn(Problem& problem, int threads, std::string* why);
std::string onednn_version();

std::unique_ptr<Engine> make_onnxruntime_f32(Problem& problem, int threads, std::string* why);
std::unique_ptr<Engine> make_onnxruntime_int8(Problem& problem, int threads, std::string* why);
std::string onnxruntime_version();

std::unique_ptr<Engine> make_openblas(Problem& problem, int threads, std::string* why);
std::string openblas_version();

std::unique_ptr<Engine> make_torch(Problem& problem, int threads, std::string* why);
std::string torch_version();

}  // namespace compare
