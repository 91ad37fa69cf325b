/* lookupffn.h - the C interface of liblookupffn
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * liblookupffn runs transformer encoders on CPUs. Their feed-forward layers may be LookupFFN layers, which hash each
 * token and sum a few rows of learned tables instead of multiplying by two large matrices.
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
 *   where it says how much room is needed), and lffn_last_error() says what was wrong, in this thread.
 * - A handle never changes once made, except lffn_result. Any number of threads may use one handle at once; only
 *   freeing it must come last.
 * - Nothing here throws, exits, prints, raises a signal or changes the state of the process. The settings of
 *   lffn_set_default_allocator and lffn_set_default_log belong to the library.
 * - A struct whose first member is struct_size is filled by its _init macro, which sets struct_size and defaults.
 *   Later versions only append members, and zero in them means the earlier behaviour: programs built against an older
 *   header keep working. A struct longer than the library knows gives LFFN_ERROR_UNSUPPORTED unless the unknown part is
 *   zero; in a struct that the library fills, the unknown part becomes zero.
 * - Counts of things that a call works on are int64_t, counts of bytes size_t; ids and the numbers of a model's
 *   configuration are int32_t.
 */
#ifndef LOOKUPFFN_LOOKUPFFN_H
#define LOOKUPFFN_LOOKUPFFN_H

#include "lookupffn/base.h"
#include "lookupffn/late.h"
#include "lookupffn/layer.h"
#include "lookupffn/model.h"
#include "lookupffn/output.h"
#include "lookupffn/result.h"
#include "lookupffn/run.h"
#include "lookupffn/runtime.h"
#include "lookupffn/search.h"
#include "lookupffn/tasks.h"
#include "lookupffn/tokenizer.h"

#endif /* LOOKUPFFN_LOOKUPFFN_H */
