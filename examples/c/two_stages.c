/* SPDX-License-Identifier: Apache-2.0 */
/* Searches in two stages, and measures what that loses.
 *
 *     cc -std=c99 two_stages.c $(pkg-config --cflags --libs lookupffn) -lm -o two_stages
 *     ./two_stages all-MiniLM-L6-v2 documents.txt queries.txt [judged.tsv]
 *
 * Bits find some candidates for each query; int8 or float32 vectors put them in order. The bits are a 32nd of the
 * float32 vectors, so that the first stage reads little, and the second one reads few. The table has the share of the
 * ten that an exact search finds, and of all lines' vectors, how many bytes a query reads. With lines of the numbers
 * of a query and of a document, from 0 on, and a score, separated by tabs, it has nDCG@10 too.
 */
#define _POSIX_C_SOURCE 200809L
#include <lookupffn/lookupffn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBest = 10 };

typedef struct {
  char** lines;
  int64_t count;
} text_lines;

typedef struct {
  int64_t count;
  float* floats;
  int8_t* bytes;
  uint8_t* bits;
} vectors;

typedef struct {
  long long query, document;
  double score;
} judgement;

typedef struct {
  judgement* all;
  int64_t count;
} judgements;

static int fail(const char* what) {
  fprintf(stderr, "%s: %s\n", what, lffn_last_error());
  return 0;
}

static int fail_file(const char* path) {
  perror(path);
  return 0;
}

static int read_lines(const char* path, text_lines* text) {
  FILE* const file = fopen(path, "r");
  size_t room = 0, longest = 0;
  ssize_t size;
  char* line = NULL;
  int is_whole = 1;
  if (file == NULL) return fail_file(path);
  while ((size = getline(&line, &longest, file)) >= 0) {
    if ((size_t)text->count == room) {
      char** const grown = realloc(text->lines, (room = 2 * room + 64) * sizeof *grown);
      if (grown == NULL) break;
      text->lines = grown;
    }
    if (size > 0 && line[size - 1] == '\n') line[size - 1] = '\0';
    text->lines[text->count] = strdup(line);
    if (text->lines[text->count] == NULL) break;
    ++text->count;
  }
  free(line);
  if (!feof(file)) is_whole = fail_file(path);
  fclose(file);
  return is_whole;
}

static int read_judgements(const char* path, int64_t n_queries, int64_t n_documents, judgements* judged) {
  FILE* const file = fopen(path, "r");
  size_t room = 0;
  int read = 3;
  if (file == NULL) return fail_file(path);
  while (read == 3) {
    judgement one;
    if ((size_t)judged->count == room) {
      judgement* const grown = realloc(judged->all, (room = 2 * room + 64) * sizeof *grown);
      if (grown == NULL) break;
      judged->all = grown;
    }
    read = fscanf(file, "%lld %lld %lf", &one.query, &one.document, &one.score);
    if (read == 3 && (one.query < 0 || one.query >= n_queries || one.document < 0 || one.document >= n_documents))
      break;
    if (read == 3) judged->all[judged->count++] = one;
  }
  fclose(file);
  if (read == EOF) return 1;
  fprintf(stderr, "%s:%lld: expected the numbers of a query and of a document, and a score\n", path,
          (long long)judged->count + 1);
  return 0;
}

/* All three kinds of vectors in one call. */
static int embed(const lffn_model* model, int32_t prompt_kind, const text_lines* text, int64_t size, vectors* made) {
  const int64_t n = text->count, bit_bytes = (size + 7) / 8;
  lffn_output outputs[3] = {
      {LFFN_OUT_EMBEDDINGS, 0, NULL, 0}, {LFFN_OUT_INT8_EMBEDDINGS, 0, NULL, 0}, {LFFN_OUT_BIT_EMBEDDINGS, 0, NULL, 0}};
  lffn_model_run_args args;
  made->count = n;
  made->floats = malloc((size_t)(n * size) * sizeof(float) + 1);
  made->bytes = malloc((size_t)(n * size) + 1);
  made->bits = malloc((size_t)(n * bit_bytes) + 1);
  if (made->floats == NULL || made->bytes == NULL || made->bits == NULL) return fail_file("vectors");
  outputs[0].data = made->floats;
  outputs[0].capacity = n * size;
  outputs[1].data = made->bytes;
  outputs[1].capacity = n * size;
  outputs[2].data = made->bits;
  outputs[2].capacity = n * bit_bytes;
  lffn_model_run_args_init(&args);
  args.n = n;
  args.texts = (const char* const*)text->lines;
  args.prompt_kind = prompt_kind;
  args.outputs = outputs;
  args.n_outputs = 3;
  return lffn_model_run(model, &args) == LFFN_OK || fail("embedding");
}

static const void* of_kind(const vectors* all, int32_t kind) {
  if (kind == LFFN_VECTORS_F32) return all->floats;
  if (kind == LFFN_VECTORS_INT8) return all->bytes;
  return all->bits;
}

/* The best k documents of each query: of all, or of its `n_candidates` ones. There are at least k. */
static int search(int32_t kind, int64_t size, const vectors* queries, const vectors* documents,
                  const int64_t* candidates, int64_t n_candidates, int64_t k, int64_t* ids) {
  lffn_top_k_args args;
  int64_t* const offsets = malloc((size_t)(queries->count + 1) * sizeof *offsets);
  float* const scores = malloc((size_t)(queries->count * k) * sizeof *scores + 1);
  int64_t q;
  int is_done = 0;
  lffn_top_k_args_init(&args);
  args.kind = kind;
  /* Vectors of floats have the length 1; those of bytes need no scales for their cosine. */
  args.measure = kind == LFFN_VECTORS_F32    ? LFFN_MEASURE_DOT
                 : kind == LFFN_VECTORS_INT8 ? LFFN_MEASURE_COSINE
                                             : LFFN_MEASURE_HAMMING;
  args.size = size;
  args.queries = of_kind(queries, kind);
  args.n_queries = queries->count;
  args.vectors = of_kind(documents, kind);
  args.n_vectors = documents->count;
  args.k = k;
  args.ids = ids;
  args.scores = scores;
  args.capacity = queries->count * k;
  if (offsets == NULL || scores == NULL) {
    fail_file("search");
  } else {
    for (q = 0; q <= queries->count; ++q) offsets[q] = q * n_candidates;
    if (candidates != NULL) {
      args.candidates = candidates;
      args.candidate_offsets = offsets;
      args.n_candidates = queries->count * n_candidates;
    }
    is_done = lffn_top_k(&args) == LFFN_OK || fail("search");
  }
  free(offsets);
  free(scores);
  return is_done;
}

static double gain_at(double score, int64_t place) { return score / log2((double)place + 2); }

static int by_score(const void* a, const void* b) {
  const double x = ((const judgement*)a)->score, y = ((const judgement*)b)->score;
  return (x < y) - (x > y);
}

/* The mean of the queries that have a right document. `judged` has the best scores first. */
static double ndcg(const judgements* judged, int64_t n_queries, int64_t k, const int64_t* ids) {
  double sum = 0;
  int64_t q, i, j, rated = 0;
  for (q = 0; q < n_queries; ++q) {
    double found = 0, ideal = 0;
    int64_t place = 0;
    for (j = 0; j < judged->count; ++j) {
      if (judged->all[j].query != q) continue;
      if (place < kBest) ideal += gain_at(judged->all[j].score, place++);
      for (i = 0; i < k; ++i) {
        if (ids[q * k + i] == judged->all[j].document) found += gain_at(judged->all[j].score, i);
      }
    }
    if (ideal == 0) continue;
    sum += found / ideal;
    ++rated;
  }
  return rated == 0 ? 0 : sum / (double)rated;
}

static void print_row(const char* first, const char* second, double bytes, const judgements* judged, int64_t n_queries,
                      int64_t k, const int64_t* exact, const int64_t* found) {
  int64_t q, i, j, same = 0;
  for (q = 0; q < n_queries * k; q += k) {
    for (i = q; i < q + k; ++i) {
      for (j = q; j < q + k; ++j) same += exact[i] == found[j];
    }
  }
  printf("%-16s %-8s %11.0f %8.4f", first, second, bytes, (double)same / (double)(n_queries * k));
  if (judged->count > 0) printf(" %9.4f", ndcg(judged, n_queries, k, found));
  putchar('\n');
}

static int compare(int64_t size, const vectors* queries, const vectors* documents, const judgements* judged) {
  static const int64_t candidates[] = {100, 300, 1000};
  static const int32_t kinds[] = {LFFN_VECTORS_F32, LFFN_VECTORS_INT8, LFFN_VECTORS_BITS};
  static const char* const names[] = {"float32", "int8", "bits"};
  const int64_t n = documents->count, k = n < kBest ? n : kBest, bit_bytes = (size + 7) / 8;
  const int64_t widths[] = {4 * size, size, bit_bytes};
  const size_t room = (size_t)queries->count * sizeof(int64_t);
  int64_t* const exact = malloc(room * (size_t)k + 1);
  int64_t* const found = malloc(room * (size_t)k + 1);
  int64_t* const first = malloc(room * 1000 + 1);
  int is_done = exact != NULL && found != NULL && first != NULL;
  size_t c, i;
  printf("%-16s %-8s %11s %8s%s\n", "first stage", "second", "bytes read", "recall",
         judged->count > 0 ? "   nDCG@10" : "");
  is_done = is_done && search(kinds[0], size, queries, documents, NULL, 0, k, exact);
  for (i = 0; is_done && i < 3; ++i) {
    is_done = search(kinds[i], size, queries, documents, NULL, 0, k, found);
    if (is_done) print_row(names[i], "", (double)(n * widths[i]), judged, queries->count, k, exact, found);
  }
  for (c = 0; is_done && c < sizeof candidates / sizeof *candidates && (c == 0 || candidates[c - 1] < n); ++c) {
    const int64_t kept = candidates[c] < n ? candidates[c] : n;
    char name[32];
    snprintf(name, sizeof name, "bits, best %lld", (long long)kept);
    is_done = search(LFFN_VECTORS_BITS, size, queries, documents, NULL, 0, kept, first);
    for (i = 2; is_done && i-- > 0;) { /* int8, then float32 */
      is_done = search(kinds[i], size, queries, documents, first, kept, k, found);
      if (!is_done) break;
      print_row(name, names[i], (double)(n * bit_bytes + kept * widths[i]), judged, queries->count, k, exact, found);
    }
  }
  free(exact);
  free(found);
  free(first);
  return is_done;
}

static void free_lines(text_lines* text) {
  while (text->count > 0) free(text->lines[--text->count]);
  free(text->lines);
}

static void free_vectors(vectors* all) {
  free(all->floats);
  free(all->bytes);
  free(all->bits);
}

int main(int argc, char** argv) {
  lffn_model* model = NULL;
  lffn_model_heads heads;
  text_lines documents = {NULL, 0}, queries = {NULL, 0};
  vectors document_vectors = {0, NULL, NULL, NULL}, query_vectors = {0, NULL, NULL, NULL};
  judgements judged = {NULL, 0};
  int is_done;
  if (argc != 4 && argc != 5) {
    fprintf(stderr, "usage: %s MODEL DOCUMENTS QUERIES [JUDGED]\n", argv[0]);
    return 2;
  }
  lffn_model_heads_init(&heads);
  is_done = read_lines(argv[2], &documents) && read_lines(argv[3], &queries) &&
            (argc < 5 || read_judgements(argv[4], queries.count, documents.count, &judged));
  if (is_done && (documents.count == 0 || queries.count == 0)) {
    fprintf(stderr, "%s: there is no line\n", argv[documents.count == 0 ? 2 : 3]);
    is_done = 0;
  }
  if (judged.count > 0) qsort(judged.all, (size_t)judged.count, sizeof *judged.all, by_score);
  is_done = is_done && (lffn_model_load(argv[1], NULL, &model) == LFFN_OK || fail(argv[1]));
  is_done = is_done && (lffn_model_get_heads(model, &heads) == LFFN_OK || fail("model"));
  if (is_done && heads.embedding_size == 0) {
    fprintf(stderr, "%s: makes no embeddings\n", argv[1]);
    is_done = 0;
  }
  is_done = is_done && embed(model, LFFN_PROMPT_DOCUMENT, &documents, heads.embedding_size, &document_vectors) &&
            embed(model, LFFN_PROMPT_QUERY, &queries, heads.embedding_size, &query_vectors) &&
            compare(heads.embedding_size, &query_vectors, &document_vectors, &judged);
  free(judged.all);
  free_vectors(&document_vectors);
  free_vectors(&query_vectors);
  free_lines(&documents);
  free_lines(&queries);
  lffn_model_free(model);
  return is_done ? EXIT_SUCCESS : EXIT_FAILURE;
}
