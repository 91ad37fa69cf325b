// The training kernels for one instruction set. Compiled once for each, beside table.cc.
#include "kernels/train_kernels.h"
#include "kernels/train_product.h"
#include "kernels/train_rows.h"
#include "kernels/train_tables.h"

namespace lffn {

#define LFFN_JOIN_NOW(a, b) a##b
#define LFFN_JOIN(a, b) LFFN_JOIN_NOW(a, b)

const TrainKernels LFFN_JOIN(LFFN_TABLE, Train) = {
    train_product, train_transform,      train_normalise, train_normalise_backward,
    train_score,   train_score_backward, train_add_rows,  train_rows_backward,
};

}  // namespace lffn
