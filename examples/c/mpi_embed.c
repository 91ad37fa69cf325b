/* SPDX-License-Identifier: Apache-2.0 */
/* Embeds the lines of a text file with all processes of an MPI job, and writes the vectors in the order of the lines.
 *
 *     mpicc mpi_embed.c $(pkg-config --cflags --libs lookupffn) -o mpi_embed
 *     mpirun -n 4 ./mpi_embed all-MiniLM-L6-v2 sentences.txt vectors.f32
 *
 * Rank 0 reads the lines, deals them out a batch at a time to whoever asks, and writes what comes back to the place in
 * the file that its lines have. The vectors are the same to the bit as those of one process.
 */
#include <lookupffn/lookupffn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBatch = 64, kAsk = 1, kLines = 2, kVectors = 3 };

static void stop(const char* what, const char* why) {
  fprintf(stderr, "%s: %s\n", what, why);
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  exit(EXIT_FAILURE);
}

/* The whole file with a zero byte for each end of a line; *n receives how many lines. */
static char* read_lines(const char* path, int64_t* n, int64_t* size) {
  FILE* file = fopen(path, "rb");
  char* text = NULL;
  int64_t i;
  long length = -1;
  if (file != NULL && fseek(file, 0, SEEK_END) == 0) length = ftell(file);
  if (length < 0 || fseek(file, 0, SEEK_SET) != 0) stop(path, "cannot be read");
  text = malloc((size_t)length + 1);
  if (text == NULL || fread(text, 1, (size_t)length, file) != (size_t)length) stop(path, "cannot be read");
  fclose(file);
  if (length > 0 && text[length - 1] != '\n') text[length++] = '\n';
  *n = 0;
  for (i = 0; i < length; ++i) {
    if (text[i] != '\n') continue;
    text[i] = '\0';
    ++*n;
  }
  *size = length;
  return text;
}

/* The bytes of the next lines, at most kBatch of them. */
static int64_t batch_size(const char* text, int64_t left, int64_t* lines) {
  int64_t bytes = 0, n = 0;
  while (n < kBatch && bytes < left) {
    bytes += (int64_t)strlen(text + bytes) + 1;
    ++n;
  }
  *lines = n;
  return bytes;
}

static void embed(const lffn_model* model, const char* text, int64_t n, float* vectors, int64_t capacity) {
  const char* lines[kBatch];
  int64_t i;
  for (i = 0; i < n; ++i) {
    lines[i] = text;
    text += strlen(text) + 1;
  }
  if (lffn_model_embed_texts(model, lines, NULL, n, LFFN_MAX_TOKENS_MODEL, vectors, capacity) != LFFN_OK) {
    stop("embed", lffn_last_error());
  }
}

static void write_at(FILE* out, int64_t first, const float* vectors, int64_t n, int32_t size) {
  const size_t count = (size_t)(n * size);
  if (fseek(out, (long)(first * size * (int64_t)sizeof(float)), SEEK_SET) != 0 ||
      fwrite(vectors, sizeof(float), count, out) != count) {
    stop("output", "cannot be written");
  }
}

/* Rank 0 beside others: it only deals out, so that nobody waits for it. */
static void deal(const char* text, int64_t size, FILE* out, float* vectors, int32_t width, int ranks) {
  int64_t at = 0, line = 0;
  int64_t* firsts = calloc((size_t)ranks, sizeof *firsts);
  int64_t* counts = calloc((size_t)ranks, sizeof *counts);
  int working = ranks - 1;
  if (firsts == NULL || counts == NULL) stop("rank 0", "no memory");
  while (working > 0) {
    MPI_Status status;
    int64_t n = 0, bytes;
    int who;
    MPI_Recv(vectors, kBatch * width, MPI_FLOAT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    who = status.MPI_SOURCE;
    if (status.MPI_TAG == kVectors) write_at(out, firsts[who], vectors, counts[who], width);
    bytes = batch_size(text + at, size - at, &n);
    firsts[who] = line;
    counts[who] = n;
    MPI_Send(text + at, (int)bytes, MPI_CHAR, who, kLines, MPI_COMM_WORLD);
    at += bytes;
    line += n;
    if (n == 0) --working;
  }
  free(firsts);
  free(counts);
}

static void work(const lffn_model* model, float* vectors, int32_t width) {
  int tag = kAsk;
  int64_t n = 0;
  for (;;) {
    MPI_Status status;
    int bytes = 0, i;
    char* text;
    MPI_Send(vectors, (int)n * width, MPI_FLOAT, 0, tag, MPI_COMM_WORLD);
    MPI_Probe(0, kLines, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_CHAR, &bytes);
    text = malloc((size_t)bytes + 1);
    if (text == NULL) stop("rank", "no memory");
    MPI_Recv(text, bytes, MPI_CHAR, 0, kLines, MPI_COMM_WORLD, &status);
    n = 0;
    for (i = 0; i < bytes; ++i) n += text[i] == '\0';
    if (n > 0) embed(model, text, n, vectors, (int64_t)kBatch * width);
    free(text);
    if (n == 0) return;
    tag = kVectors;
  }
}

int main(int argc, char** argv) {
  lffn_model* model = NULL;
  lffn_model_heads heads;
  float* vectors;
  int rank, ranks;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 4) stop("usage", "mpi_embed MODEL FILE OUTPUT");
  if (lffn_model_load(argv[1], NULL, &model) != LFFN_OK) stop(argv[1], lffn_last_error());
  lffn_model_heads_init(&heads);
  if (lffn_model_get_heads(model, &heads) != LFFN_OK) stop("info", lffn_last_error());
  vectors = malloc(sizeof(float) * (size_t)kBatch * (size_t)heads.embedding_size);
  if (vectors == NULL) stop("rank", "no memory");

  if (rank != 0) {
    work(model, vectors, heads.embedding_size);
  } else {
    int64_t n = 0, size = 0, at = 0, line = 0;
    char* text = read_lines(argv[2], &n, &size);
    FILE* out = fopen(argv[3], "wb");
    if (out == NULL) stop(argv[3], "cannot be written");
    if (ranks > 1) deal(text, size, out, vectors, heads.embedding_size, ranks);
    while (ranks == 1 && at < size) { /* alone it does all itself */
      int64_t lines = 0, bytes = batch_size(text + at, size - at, &lines);
      embed(model, text + at, lines, vectors, (int64_t)kBatch * heads.embedding_size);
      write_at(out, line, vectors, lines, heads.embedding_size);
      at += bytes;
      line += lines;
    }
    if (fclose(out) != 0) stop(argv[3], "cannot be written");
    printf("%lld lines, %d numbers each, %d processes\n", (long long)n, (int)heads.embedding_size, ranks);
    free(text);
  }
  free(vectors);
  lffn_model_free(model);
  MPI_Finalize();
  return EXIT_SUCCESS;
}
