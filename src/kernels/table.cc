// The kernels for one instruction set. Compiled once for each, with its flags, LFFN_TABLE and LFFN_ISA_NAME.
#include "kernels/gather.h"
#include "kernels/hash.h"
#include "kernels/kernels.h"

namespace lffn {

extern const Kernels LFFN_TABLE;
const Kernels LFFN_TABLE = {
    LFFN_ISA_NAME, kLanes,  kTileTokens, hash_scratch, hash_tile, hash_token,
    gather_f32,    nullptr, nullptr,     nullptr,      nullptr,   nullptr,
};

}  // namespace lffn
