/* SPDX-License-Identifier: Apache-2.0 */
/* Indexes the lines of a text file and prints those that are most like a question.
 *
 *     cc semantic_search.c $(pkg-config --cflags --libs lookupffn) -o semantic_search
 *     ./semantic_search all-MiniLM-L6-v2 sentences.txt "Somebody has a meal."
 */
#include <lookupffn/lookupffn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBest = 3, kMostLines = 10000, kLongestLine = 4096 };

static int fail(const char* what) {
  fprintf(stderr, "%s: %s\n", what, lffn_last_error());
  return EXIT_FAILURE;
}

/* Reads the lines; the caller frees each. Returns how many, or -1. */
static int64_t read_lines(const char* path, char** lines) {
  char buffer[kLongestLine];
  int64_t n = 0;
  FILE* file = fopen(path, "r");
  if (file == NULL) return -1;
  while (n < kMostLines && fgets(buffer, sizeof buffer, file) != NULL) {
    buffer[strcspn(buffer, "\r\n")] = '\0';
    lines[n] = malloc(strlen(buffer) + 1);
    if (lines[n] == NULL) break;
    strcpy(lines[n++], buffer);
  }
  fclose(file);
  return n;
}

static float dot(const float* a, const float* b, int32_t size) {
  float sum = 0;
  int32_t i;
  for (i = 0; i < size; ++i) sum += a[i] * b[i];
  return sum;
}

/* Queries and documents have prompts of their own where the model names some. LFFN_PROMPT_NONE would leave them out. */
static lffn_status embed(const lffn_model* model, int32_t prompt_kind, const char* const* texts, int64_t n, float* to,
                         int32_t size) {
  lffn_output output = {LFFN_OUT_EMBEDDINGS, 0, NULL, 0};
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  args.n = n;
  args.texts = texts;
  args.prompt_kind = prompt_kind;
  output.data = to;
  output.capacity = n * size;
  args.outputs = &output;
  args.n_outputs = 1;
  return lffn_model_run(model, &args);
}

int main(int argc, char** argv) {
  static char* lines[kMostLines];
  lffn_model* model = NULL;
  lffn_model_heads heads;
  float *index, *question, *scores;
  const char* asked;
  int64_t n, i, best;

  if (argc != 4) {
    fprintf(stderr, "usage: %s MODEL FILE QUESTION\n", argv[0]);
    return 2;
  }
  if (lffn_model_load(argv[1], NULL, &model) != LFFN_OK) return fail(argv[1]);
  lffn_model_heads_init(&heads);
  if (lffn_model_get_heads(model, &heads) != LFFN_OK) return fail("info");
  n = read_lines(argv[2], lines);
  if (n < 0) {
    perror(argv[2]);
    return EXIT_FAILURE;
  }
  index = malloc(((size_t)n + 1) * (size_t)heads.embedding_size * sizeof *index);
  question = malloc((size_t)heads.embedding_size * sizeof *question);
  scores = malloc(((size_t)n + 1) * sizeof *scores);
  if (index == NULL || question == NULL || scores == NULL) {
    fputs("out of memory\n", stderr);
    return EXIT_FAILURE;
  }

  /* The index is made once; a program would keep it. Lines that are too long for the model are cut. */
  if (embed(model, LFFN_PROMPT_DOCUMENT, (const char* const*)lines, n, index, heads.embedding_size) != LFFN_OK) {
    return fail(argv[2]);
  }
  asked = argv[3];
  if (embed(model, LFFN_PROMPT_QUERY, &asked, 1, question, heads.embedding_size) != LFFN_OK)
    return fail("the question");
  for (i = 0; i < n; ++i) scores[i] = dot(question, index + i * heads.embedding_size, heads.embedding_size);
  for (best = 0; best < kBest && best < n; ++best) {
    int64_t at = 0;
    for (i = 1; i < n; ++i) {
      if (scores[i] > scores[at]) at = i;
    }
    printf("%7.4f  %s\n", (double)scores[at], lines[at]);
    scores[at] = -1e30f; /* not again */
  }

  for (i = 0; i < n; ++i) free(lines[i]);
  free(index);
  free(question);
  free(scores);
  lffn_model_free(model);
  return EXIT_SUCCESS;
}
