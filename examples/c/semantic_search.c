/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the lines of a text file that are most like a question.
 *
 *     cc semantic_search.c $(pkg-config --cflags --libs lookupffn) -o semantic_search
 *     ./semantic_search all-MiniLM-L6-v2 sentences.txt "Somebody has a meal."
 *
 * Keeps an int8 vector for each line in sentences.txt.vectors, or where a fourth argument says, and makes them anew if
 * the lines or the model have changed. It is the file of `lookupffn search`: tools/README.md describes it.
 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <lookupffn/lookupffn.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { kBest = 3, kLinesAtOnce = 256, kLongestPath = 4096 };

typedef struct {
  char magic[8];
  uint32_t version;
  int32_t kind; /* LFFN_VECTORS_ */
  int64_t size, count, left_out, text_bytes;
  uint8_t fingerprint[LFFN_FINGERPRINT_SIZE];
  uint64_t text_hash, reading;
  uint8_t reserved[48];
} file_head;

typedef struct {
  const char* data; /* NULL: there is nothing in it */
  size_t size;
} mapped_file;

typedef struct {
  mapped_file file;
  const char** lines;
  size_t* sizes;
  int64_t count;
} text_lines;

static int32_t cancel = 0;

static void on_interrupt(int number) {
  (void)number;
  lffn_cancel(&cancel, 1);
}

static int fail(const char* what) {
  fprintf(stderr, "%s: %s\n", what, lffn_last_error());
  return 0;
}

static int fail_file(const char* path) {
  perror(path);
  return 0;
}

/* 1 if it is there, else errno says why. */
static int map_file(const char* path, mapped_file* file) {
  struct stat status;
  void* data;
  const int number = open(path, O_RDONLY);
  file->data = NULL;
  file->size = 0;
  if (number < 0) return 0;
  if (fstat(number, &status) != 0) {
    close(number);
    return 0;
  }
  if (status.st_size > 0) {
    data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, number, 0);
    if (data != MAP_FAILED) {
      file->data = data;
      file->size = (size_t)status.st_size;
    }
  }
  close(number);
  return status.st_size == 0 || file->data != NULL;
}

static void unmap_file(mapped_file* file) {
  if (file->data != NULL) munmap((void*)file->data, file->size);
}

/* The lines stay where they are. */
static int read_lines(const char* path, text_lines* text) {
  size_t begin, room = 1;
  if (!map_file(path, &text->file)) return fail_file(path);
  for (begin = 0; begin < text->file.size; ++begin) room += text->file.data[begin] == '\n';
  text->lines = malloc(room * sizeof *text->lines);
  text->sizes = malloc(room * sizeof *text->sizes);
  if (text->lines == NULL || text->sizes == NULL) return fail_file(path);
  for (begin = 0; begin < text->file.size; ++text->count) {
    const char* const line = text->file.data + begin;
    const char* const end = memchr(line, '\n', text->file.size - begin);
    size_t size = end == NULL ? text->file.size - begin : (size_t)(end - line);
    begin += size + 1;
    if (end != NULL && size > 0 && line[size - 1] == '\r') size -= 1;
    text->lines[text->count] = line;
    text->sizes[text->count] = size;
  }
  return 1;
}

static uint64_t hash_of(const char* bytes, size_t size) {
  uint64_t hash = 14695981039346656037u;
  size_t at;
  for (at = 0; at < size; at += 8) {
    uint64_t word = 0;
    memcpy(&word, bytes + at, size - at < 8 ? size - at : 8);
    hash = (hash ^ word) * 1099511628211u;
    hash ^= hash >> 32;
  }
  return hash;
}

/* Queries and documents have prompts of their own where the model names some. LFFN_PROMPT_NONE would leave them out. */
static lffn_status embed(const lffn_model* model, int32_t prompt_kind, const char* const* texts, const size_t* sizes,
                         int64_t n, lffn_output output) {
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  args.n = n;
  args.texts = texts;
  args.text_sizes = sizes;
  args.prompt_kind = prompt_kind;
  args.outputs = &output;
  args.n_outputs = 1;
  args.cancel = &cancel;
  return lffn_model_run(model, &args);
}

static int write_vectors(const lffn_model* model, const text_lines* text, const file_head* head, FILE* file) {
  int64_t at;
  const size_t rest = (size_t)(head->size * head->count % 8);
  int8_t* const rows = malloc((size_t)(kLinesAtOnce * head->size));
  if (rows == NULL) return fail_file("vectors");
  fwrite(head, sizeof *head, 1, file);
  for (at = 0; at < text->count; at += kLinesAtOnce) {
    const int64_t n = text->count - at < kLinesAtOnce ? text->count - at : kLinesAtOnce;
    const lffn_output output = {LFFN_OUT_INT8_EMBEDDINGS, 0, rows, n * head->size};
    if (isatty(STDERR_FILENO)) {
      fprintf(stderr, "\rembedding: line %lld of %lld", (long long)at + 1, (long long)text->count);
    }
    if (embed(model, LFFN_PROMPT_DOCUMENT, text->lines + at, text->sizes + at, n, output) != LFFN_OK) {
      fprintf(stderr, "lines from %lld on: %s\n", (long long)at + 1, lffn_last_error());
      break;
    }
    fwrite(rows, (size_t)head->size, (size_t)n, file);
  }
  if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
  free(rows);
  if (rest > 0) fwrite("\0\0\0\0\0\0\0", 8 - rest, 1, file);
  return at >= text->count;
}

/* Beside the file, which it then replaces at once: what is not finished is never seen. */
static int make_vectors(const lffn_model* model, const text_lines* text, const file_head* head, const char* path) {
  char made[kLongestPath];
  FILE* file;
  int is_whole;
  if (snprintf(made, sizeof made, "%s.%ld", path, (long)getpid()) >= (int)sizeof made) return 0;
  file = fopen(made, "wb");
  if (file == NULL) return fail_file(made);
  is_whole = write_vectors(model, text, head, file);
  if (is_whole && ferror(file)) is_whole = fail_file(made);
  if (fclose(file) != 0 && is_whole) is_whole = fail_file(made);
  if (is_whole && rename(made, path) != 0) is_whole = fail_file(path);
  if (!is_whole) remove(made);
  return is_whole;
}

/* Of these texts by this model, float32 or int8, and as large as it says. */
static int is_what(const file_head* wanted, const mapped_file* file, file_head* found) {
  uint64_t width;
  if (file->size < sizeof *found) return 0;
  memcpy(found, file->data, sizeof *found);
  if (memcmp(found->magic, wanted->magic, sizeof found->magic) != 0 || found->version != wanted->version) return 0;
  if (found->kind != LFFN_VECTORS_F32 && found->kind != LFFN_VECTORS_INT8) return 0;
  if (memcmp(&found->size, &wanted->size, offsetof(file_head, reserved) - offsetof(file_head, size)) != 0) return 0;
  width = (uint64_t)wanted->size * (found->kind == LFFN_VECTORS_F32 ? 4 : 1);
  return file->size == sizeof *found + ((uint64_t)wanted->count * width + 7) / 8 * 8;
}

/* The file that has the vectors, made if there is none. */
static int get_vectors(const lffn_model* model, const text_lines* text, const char* path, mapped_file* file,
                       file_head* head) {
  file_head wanted = {"", 1, LFFN_VECTORS_INT8, 0, 0, 0, 0, {0}, 0, 0, {0}};
  lffn_model_heads heads;
  lffn_model_heads_init(&heads);
  if (lffn_model_get_heads(model, &heads) != LFFN_OK) return fail("info");
  if (lffn_model_fingerprint(model, wanted.fingerprint) != LFFN_OK) return fail("fingerprint");
  memcpy(wanted.magic, "lffnvecs", sizeof wanted.magic);
  wanted.size = heads.embedding_size;
  wanted.count = text->count;
  wanted.text_bytes = (int64_t)text->file.size;
  wanted.text_hash = hash_of(text->file.data, text->file.size);
  if (map_file(path, file)) {
    if (is_what(&wanted, file, head)) return 1;
    if (file->size > 0 && (file->size < 8 || memcmp(file->data, wanted.magic, 8) != 0)) {
      fprintf(stderr, "%s: is no file of vectors, so it is left as it is\n", path);
      return 0;
    }
    unmap_file(file);
    file->data = NULL;
  }
  if (!make_vectors(model, text, &wanted, path)) return 0;
  if (!map_file(path, file)) return fail_file(path);
  if (is_what(&wanted, file, head)) return 1;
  fprintf(stderr, "%s: another program has replaced it; search again\n", path);
  return 0;
}

static int search(const lffn_model* model, const char* question, const text_lines* text, const mapped_file* file,
                  const file_head* head) {
  int64_t ids[kBest], found = 0, i;
  float scores[kBest];
  lffn_top_k_args args;
  void* const query = malloc((size_t)head->size * sizeof(float));
  const int is_bytes = head->kind == LFFN_VECTORS_INT8;
  const lffn_output output = {is_bytes ? LFFN_OUT_INT8_EMBEDDINGS : LFFN_OUT_EMBEDDINGS, 0, query, head->size};
  int is_done;
  if (query == NULL) return fail_file("the question");
  lffn_top_k_args_init(&args);
  args.kind = head->kind;
  args.measure = LFFN_MEASURE_COSINE; /* for which bytes need no scales */
  args.size = head->size;
  args.queries = query;
  args.n_queries = 1;
  args.vectors = file->data + sizeof *head;
  args.n_vectors = head->count;
  args.k = kBest;
  args.ids = ids;
  args.scores = scores;
  args.capacity = kBest;
  args.counts = &found;
  args.cancel = &cancel;
  is_done = embed(model, LFFN_PROMPT_QUERY, &question, NULL, 1, output) == LFFN_OK && lffn_top_k(&args) == LFFN_OK;
  if (!is_done) fail("the question");
  for (i = 0; is_done && i < found; ++i) {
    printf("%7.4f  %.*s\n", (double)scores[i], (int)text->sizes[ids[i]], text->lines[ids[i]]);
  }
  free(query);
  return is_done;
}

int main(int argc, char** argv) {
  lffn_model* model = NULL;
  text_lines text = {{NULL, 0}, NULL, NULL, 0};
  mapped_file vectors = {NULL, 0};
  file_head head;
  char path[kLongestPath];
  struct sigaction action;
  int is_done;

  if (argc != 4 && argc != 5) {
    fprintf(stderr, "usage: %s MODEL FILE QUESTION [VECTORS]\n", argv[0]);
    return 2;
  }
  if (snprintf(path, sizeof path, argc == 5 ? "%s" : "%s.vectors", argv[argc == 5 ? 4 : 2]) >= (int)sizeof path) {
    fprintf(stderr, "%s: the path is too long\n", argv[2]);
    return EXIT_FAILURE;
  }
  memset(&action, 0, sizeof action);
  action.sa_handler = on_interrupt;
  sigaction(SIGINT, &action, NULL);
  is_done = lffn_model_load(argv[1], NULL, &model) == LFFN_OK || fail(argv[1]);
  is_done = is_done && read_lines(argv[2], &text) && get_vectors(model, &text, path, &vectors, &head) &&
            search(model, argv[3], &text, &vectors, &head);
  unmap_file(&vectors);
  unmap_file(&text.file);
  free(text.lines);
  free(text.sizes);
  lffn_model_free(model);
  return is_done ? EXIT_SUCCESS : EXIT_FAILURE;
}
