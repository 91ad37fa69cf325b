/* lookupffn.h - the C interface of liblookupffn
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * liblookupffn runs transformer encoders on CPUs, whose feed-forward layers may be LookupFFN layers: those hash each
 * token and add up a few rows of learned tables instead of multiplying by two large matrices.
 *
 * In short:
 *
 *     lffn_model* model = NULL;
 *     if (lffn_model_load("my-model", NULL, &model) != LFFN_OK) {
 *         fprintf(stderr, "%s\n", lffn_last_error());
 *         return 1;
 *     }
 *     if (lffn_model_embed_texts(model, texts, NULL, n_texts, LFFN_MAX_TOKENS_MODEL, embeddings, capacity) != LFFN_OK)
 *         ...
 *     lffn_model_free(model);
 *
 * Rules that hold for every function here:
 * - Text is UTF-8, file names included.
 * - A function that can fail returns lffn_status. On failure its outputs are untouched (except after cancellation, and
 *   where it tells how much room is needed) and lffn_last_error() tells what was wrong, in this thread.
 * - A handle never changes once made, but for lffn_result. Any number of threads may use one handle at once; only
 *   freeing it must come last.
 * - Nothing here throws, exits, prints, raises a signal or changes the state of the process. What
 *   lffn_set_allocator and lffn_set_log_callback set is the library's own.
 * - A struct whose first member is struct_size is filled by its _init macro, which sets struct_size and defaults.
 *   Later versions only append members, whose zero means what was so before: programs built against an older header
 *   keep working. A longer struct than the library knows is LFFN_ERROR_UNSUPPORTED unless the rest of it is zero; in
 * one that the library fills the rest becomes zero.
 * - Numbers of things that a call works on are int64_t, numbers of bytes size_t; ids and what a model's configuration
 *   says are int32_t.
 */
#ifndef LOOKUPFFN_LOOKUPFFN_H
#define LOOKUPFFN_LOOKUPFFN_H

#include "lookupffn/base.h"
#include "lookupffn/late.h"
#include "lookupffn/layer.h"
#include "lookupffn/model.h"
#include "lookupffn/result.h"
#include "lookupffn/run.h"
#include "lookupffn/runtime.h"
#include "lookupffn/tasks.h"
#include "lookupffn/tokenizer.h"

#endif /* LOOKUPFFN_LOOKUPFFN_H */
