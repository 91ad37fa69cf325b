/* SPDX-License-Identifier: Apache-2.0 */
/* Fills the masks of a text with the tokens that a model finds most likely.
 *
 *     cc fill_mask.c $(pkg-config --cflags --libs lookupffn) -o fill_mask
 *     ./fill_mask my-model "Freedom is <mask> word."
 */
#include <lookupffn/lookupffn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kTop = 5, kMostMasks = 16 };

static int fail(const char* what, lffn_status status) {
  fprintf(stderr, "%s: %s: %s\n", what, lffn_status_name(status), lffn_last_error());
  return EXIT_FAILURE;
}

/* The text of one token. */
static lffn_status print_token(const lffn_tokenizer* tokenizer, int32_t id, float probability) {
  const int64_t offsets[2] = {0, 1};
  char text[256];
  lffn_output output = {LFFN_OUT_DECODED, 0, NULL, sizeof text};
  lffn_tokenizer_decode_args args;
  lffn_status status;
  output.data = text;
  lffn_tokenizer_decode_args_init(&args);
  args.n = 1;
  args.ids = &id;
  args.offsets = offsets;
  args.outputs = &output;
  args.n_outputs = 1;
  status = lffn_tokenizer_decode(tokenizer, &args);
  if (status != LFFN_OK) return status;
  printf("  %5.1f %%  '%s'\n", 100.0 * (double)probability, text);
  return LFFN_OK;
}

int main(int argc, char** argv) {
  lffn_model* model = NULL;
  lffn_tokenizer* tokenizer = NULL;
  int32_t ids[kMostMasks * kTop];
  float probabilities[kMostMasks * kTop];
  int64_t offsets[2] = {0, 0}; /* of masks: how many there are is the second one */
  int64_t masks;
  int64_t i;
  lffn_status status;

  if (argc != 3) {
    fprintf(stderr, "usage: %s MODEL TEXT\n", argv[0]);
    return 2;
  }
  status = lffn_model_load(argv[1], NULL, &model);
  if (status != LFFN_OK) return fail(argv[1], status);
  status = lffn_model_tokenizer(model, &tokenizer);
  if (status == LFFN_OK) {
    const char* const text = argv[2];
    lffn_model_run_args args;
    lffn_model_run_args_init(&args);
    args.texts = &text;
    args.n = 1;
    args.top_k = kTop;
    lffn_output outputs[3] = {{LFFN_OUT_FILLING_IDS, 0, NULL, kMostMasks * kTop},
                              {LFFN_OUT_FILLING_PROBABILITIES, 0, NULL, kMostMasks * kTop},
                              {LFFN_OUT_MASK_OFFSETS, 0, NULL, 2}};
    outputs[0].data = ids;
    outputs[1].data = probabilities;
    outputs[2].data = offsets;
    args.outputs = outputs;
    args.n_outputs = 3;
    status = lffn_model_run(model, &args);
  }
  masks = offsets[1];
  for (i = 0; status == LFFN_OK && i < masks; ++i) {
    int64_t k;
    printf("<mask> %d of %d\n", (int)(i + 1), (int)masks);
    for (k = 0; status == LFFN_OK && k < kTop; ++k) {
      status = print_token(tokenizer, ids[i * kTop + k], probabilities[i * kTop + k]);
    }
  }
  lffn_tokenizer_free(tokenizer);
  lffn_model_free(model);
  if (status != LFFN_OK) return fail("fill_mask", status);
  if (masks == 0) {
    fprintf(stderr, "the text has no <mask>\n");
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
