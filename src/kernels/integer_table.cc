// The kernels of an instruction set that multiplies bytes better than another and adds nothing else. Compiled with its
// flags and LFFN_TABLE.
#include "kernels/gather_int8.h"
#include "kernels/hash.h"
#include "kernels/kernels.h"
#include "kernels/linear_int8.h"
#include "kernels/words.h"

namespace lffn {

extern const IntegerKernels LFFN_TABLE;
const IntegerKernels LFFN_TABLE = {
    kWordInputs, kOutputsInt8, hash_scratch,  hash_tile_int8, hash_token_int8,
    gather_int8, linear_int8,  quantise_rows, score_words,
};

}  // namespace lffn
