// SPDX-License-Identifier: Apache-2.0
// Results that the core keeps, in the manner of raw_model.h: what model_run_texts, model_run_into_result,
// model_entities_texts, tokenizer_encode_texts and tokenizer_decode_batch leave in one is there until it is used again
// or freed. Only one call at a time may use it.
#ifndef LOOKUPFFN_BINDINGS_RAW_RESULT_H
#define LOOKUPFFN_BINDINGS_RAW_RESULT_H

#include <lookupffn/lookupffn.h>

lffn_status result_create(lffn_result** out);
void result_free(lffn_result* result);

// Where one of a result's arrays lies, which RESULT_ value says; null where the call did not make it.
const void* result_array(const lffn_result* result, int32_t what);
// How much there is of what its arrays hold, which RESULT_SIZE_ value says: sequences, tokens or texts, or the numbers
// of an embedding or of a token's vector.
int64_t result_size(const lffn_result* result, int32_t what);
// Why a text could not be run; "" for one that was.
const char* result_message(const lffn_result* result, int64_t text);

#endif  // LOOKUPFFN_BINDINGS_RAW_RESULT_H
