/* result.h - room for outputs of unknown size, and how to view them. Included by lookupffn.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_RESULT_H
#define LOOKUPFFN_RESULT_H

#include "lookupffn/base.h"
#include "lookupffn/output.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup result Results
 * What calls fill and keep. A result has the outputs that its last call asked for.
 * @{ */

/** Room for outputs whose size you do not know beforehand. It grows as needed and is kept from call to call, so that a
 * steady state allocates nothing. Only one call at a time may fill it: meanwhile another call gives
 * LFFN_ERROR_INVALID_ARGUMENT, and so does lffn_result_array. After a call that failed it has no outputs, except after
 * LFFN_ERROR_TOO_SMALL, when it tells their sizes. */
typedef struct lffn_result lffn_result;

/** Makes an empty result.
 * @param out receives the handle; free it with lffn_result_free */
LFFN_API LFFN_CHECKED lffn_status lffn_result_create(lffn_result** out);

/** Frees the result. NULL is ignored. */
LFFN_API void lffn_result_free(lffn_result* result);

/** Shows one output of the last call that used the result.
 * @param result the result
 * @param what   LFFN_OUT_, one that the call asked for; else LFFN_ERROR_INVALID_ARGUMENT
 * @param array  receives where its numbers lie, and how many there are */
LFFN_API LFFN_CHECKED lffn_status lffn_result_array(const lffn_result* result, int32_t what, lffn_array* array);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* LOOKUPFFN_RESULT_H */
