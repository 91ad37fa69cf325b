// SPDX-License-Identifier: Apache-2.0
// Comparisons and scans of vectors.
#include "kernels/kernels.h"
#include "kernels/linear/two_vectors.h"
#include "kernels/search/scan.h"
#include "kernels/search/scan_bits.h"
#include "kernels/search/select.h"

namespace lffn {
namespace {

constexpr SearchKernels search_kernels() {
  SearchKernels table = {};
  table.compare_f32 = compare_f32;
  table.compare_int8 = compare_int8;
  table.different_bits = different_bits;
  table.scan_f32 = scan_f32;
  table.scan_int8 = scan_int8;
  table.scan_bits = scan_bits;
  table.select_scores = select_scores;
  return table;
}

}  // namespace

namespace LFFN_SET {
extern constexpr SearchKernels kSearchKernels = search_kernels();
}

}  // namespace lffn
