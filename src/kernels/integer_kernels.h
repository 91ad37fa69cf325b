// This instruction set's IntegerKernels.
#pragma once

#include "kernels/gather_int8.h"
#include "kernels/hash.h"
#include "kernels/kernels.h"
#include "kernels/linear_int8.h"
#include "kernels/words.h"

namespace lffn {
namespace {

constexpr IntegerKernels kIntegerKernels = {
    kWordInputs, kOutputsInt8, hash_scratch,  hash_tile_int8, hash_token_int8,
    gather_int8, linear_int8,  quantise_rows, score_words,
};

}  // namespace
}  // namespace lffn
