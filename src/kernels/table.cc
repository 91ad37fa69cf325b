// The kernels for one instruction set. Compiled once for each, with its flags, LFFN_TABLE and LFFN_ISA_NAME.
#include "kernels/attention.h"
#include "kernels/gather.h"
#include "kernels/gather_slabs.h"
#include "kernels/integer_kernels.h"
#include "kernels/kernels.h"
#include "kernels/linear.h"
#include "kernels/panels.h"

namespace lffn {

#define LFFN_JOIN_NOW(a, b) a##b
#define LFFN_JOIN(a, b) LFFN_JOIN_NOW(a, b)

#define LFFN_TRAIN_TABLE LFFN_JOIN(LFFN_TABLE, Train)

extern const TrainKernels LFFN_TRAIN_TABLE;
extern const Kernels LFFN_TABLE;
const Kernels LFFN_TABLE = {
    kIntegerKernels, LFFN_ISA_NAME,   kLanes,      kCallTokens,        hash_tile,       hash_token,
    gather_f32,      gather_f32_many, gather_bf16, gather_int8_scores, quantise_scores, int8_position,
    linear,          lay_panels,      normalise,   attention_scratch,  attend,          &LFFN_TRAIN_TABLE,
};

}  // namespace lffn
