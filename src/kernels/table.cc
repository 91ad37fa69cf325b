// The kernels for one instruction set. Compiled once for each, with its flags, LFFN_TABLE and LFFN_ISA_NAME.
#include "kernels/attention.h"
#include "kernels/gather.h"
#include "kernels/gather_int8.h"
#include "kernels/gather_slabs.h"
#include "kernels/hash.h"
#include "kernels/kernels.h"
#include "kernels/linear.h"
#include "kernels/linear_int8.h"
#include "kernels/panels.h"
#include "kernels/words.h"

namespace lffn {

#define LFFN_JOIN_NOW(a, b) a##b
#define LFFN_JOIN(a, b) LFFN_JOIN_NOW(a, b)

#define LFFN_TRAIN_TABLE LFFN_JOIN(LFFN_TABLE, Train)

extern const TrainKernels LFFN_TRAIN_TABLE;
extern const Kernels LFFN_TABLE;
const Kernels LFFN_TABLE = {
    LFFN_ISA_NAME,      kLanes,          kCallTokens,       kWordInputs, kOutputsInt8,      hash_scratch,  hash_tile,
    hash_token,         hash_tile_int8,  hash_token_int8,   gather_f32,  gather_f32_many,   gather_bf16,   gather_int8,
    gather_int8_scores, quantise_scores, int8_position,     linear,      linear_int8,       quantise_rows, score_words,
    lay_panels,         normalise,       attention_scratch, attend,      &LFFN_TRAIN_TABLE,
};

}  // namespace lffn
