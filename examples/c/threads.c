/* SPDX-License-Identifier: Apache-2.0 */
/* Many threads of the program's own share one model: each takes the next line and embeds it, with the thread it runs
 * in.
 *
 *     cc threads.c $(pkg-config --cflags --libs lookupffn) -pthread -o threads
 *     ./threads all-MiniLM-L6-v2 sentences.txt 4
 *
 * Prints how alike each line is to the first one. The numbers are the same with any number of threads.
 */
#include <lookupffn/lookupffn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMostLines = 10000, kLongestLine = 4096, kMostThreads = 64 };

typedef struct {
  lffn_model* model;
  int32_t size; /* of an embedding */
  char** lines;
  float* vectors; /* each line's, in their order */
  pthread_mutex_t lock;
  int64_t count, next;     /* next: guarded by the lock, like what follows */
  lffn_status status;      /* of the first call that failed */
  char what[kLongestLine]; /* why: lffn_last_error belongs to the thread that called */
} work;

static int64_t take(work* all) {
  int64_t taken;
  pthread_mutex_lock(&all->lock);
  taken = all->status == LFFN_OK && all->next < all->count ? all->next++ : -1;
  pthread_mutex_unlock(&all->lock);
  return taken;
}

static void* run(void* given) {
  work* all = given;
  int64_t i;
  while ((i = take(all)) >= 0) {
    const char* line = all->lines[i];
    const lffn_status status = lffn_model_embed_texts(all->model, &line, NULL, 1, LFFN_MAX_TOKENS_MODEL,
                                                      all->vectors + i * all->size, all->size);
    if (status == LFFN_OK) continue;
    pthread_mutex_lock(&all->lock);
    if (all->status == LFFN_OK) {
      all->status = status;
      snprintf(all->what, sizeof all->what, "%s", lffn_last_error());
    }
    pthread_mutex_unlock(&all->lock);
  }
  return NULL;
}

static int read_lines(const char* path, work* all) {
  char buffer[kLongestLine];
  FILE* file = fopen(path, "r");
  if (file == NULL) return 0;
  while (all->count < kMostLines && fgets(buffer, sizeof buffer, file) != NULL) {
    buffer[strcspn(buffer, "\r\n")] = '\0';
    all->lines[all->count] = malloc(strlen(buffer) + 1);
    if (all->lines[all->count] == NULL) break;
    strcpy(all->lines[all->count++], buffer);
  }
  fclose(file);
  return 1;
}

int main(int argc, char** argv) {
  static char* lines[kMostLines];
  static work all;
  pthread_t threads[kMostThreads];
  lffn_load_options options;
  lffn_model_heads heads;
  int wanted, started;
  int64_t i;
  int32_t j;

  if (argc != 4 || (wanted = atoi(argv[3])) < 1 || wanted > kMostThreads) {
    fprintf(stderr, "usage: %s MODEL FILE THREADS\n", argv[0]);
    return 2;
  }
  all.lines = lines;
  lffn_load_options_init(&options);
  options.num_threads = 1; /* the program has threads enough */
  if (lffn_model_load(argv[1], &options, &all.model) != LFFN_OK) {
    fprintf(stderr, "%s\n", lffn_last_error());
    return EXIT_FAILURE;
  }
  lffn_model_heads_init(&heads);
  if (lffn_model_get_heads(all.model, &heads) != LFFN_OK) return EXIT_FAILURE;
  all.size = heads.embedding_size;
  if (!read_lines(argv[2], &all)) {
    perror(argv[2]);
    return EXIT_FAILURE;
  }
  all.vectors = malloc(((size_t)all.count + 1) * (size_t)all.size * sizeof *all.vectors);
  if (all.vectors == NULL || pthread_mutex_init(&all.lock, NULL) != 0) {
    fputs("out of memory\n", stderr);
    return EXIT_FAILURE;
  }

  for (started = 0; started < wanted; ++started) {
    if (pthread_create(&threads[started], NULL, run, &all) != 0) break;
  }
  if (started == 0) run(&all); /* no thread to be had: this one does it */
  while (started > 0) pthread_join(threads[--started], NULL);
  if (all.status != LFFN_OK) {
    fprintf(stderr, "%s\n", all.what);
    return EXIT_FAILURE;
  }

  for (i = 0; i < all.count; ++i) {
    float alike = 0;
    for (j = 0; j < all.size; ++j) alike += all.vectors[j] * all.vectors[i * all.size + j];
    printf("%9.6f  %s\n", (double)alike, all.lines[i]);
  }

  for (i = 0; i < all.count; ++i) free(all.lines[i]);
  free(all.vectors);
  pthread_mutex_destroy(&all.lock);
  lffn_model_free(all.model);
  return EXIT_SUCCESS;
}
