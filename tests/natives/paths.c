/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and saves a layer by usual and unusual paths, and sees that what cannot be is a status with a text that names
 * the file, on every system:
 *
 *     natives_paths LAYER_FILE FOLDER
 *
 * FOLDER is one to write to, with an empty folder `deep` in it. */
#include <lookupffn/lookupffn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void complain(const char* what, const char* path) {
  fprintf(stderr, "%s: %.200s: %s\n", what, path, lffn_last_error());
  ++failures;
}

/* In one of a few buffers. */
static const char* joined(const char* first, const char* second, const char* third) {
  static char* buffers[4];
  static int next;
  char** buffer = &buffers[next++ % 4];
  free(*buffer);
  *buffer = malloc(strlen(first) + strlen(second) + strlen(third) + 1);
  if (*buffer == NULL) exit(1);
  strcpy(*buffer, first);
  strcat(*buffer, second);
  return strcat(*buffer, third);
}

static lffn_status load(const char* path, uint32_t flags, lffn_layer** layer) {
  lffn_load_options options;
  lffn_load_options_init(&options);
  options.flags = flags;
  *layer = NULL;
  return lffn_layer_load(path, &options, layer);
}

/* The hash of what the layer computes for one token, 0 where there is no layer. */
static uint64_t outcome(const lffn_layer* layer) {
  lffn_layer_info info;
  lffn_layer_info_init(&info);
  if (layer == NULL || lffn_layer_get_info(layer, &info) != LFFN_OK) return 0;
  float* x = malloc((size_t)info.hidden_size * sizeof *x);
  float* y = malloc((size_t)info.output_size * sizeof *y);
  if (x == NULL || y == NULL) exit(1);
  for (int32_t i = 0; i < info.hidden_size; ++i) x[i] = (float)(i % 7) - 3;
  uint64_t hash = 0xcbf29ce484222325u;
  if (lffn_layer_forward(layer, x, 1, y) != LFFN_OK) complain("cannot run", "layer");
  for (size_t i = 0; i < (size_t)info.output_size * sizeof *y; ++i) {
    hash = (hash ^ ((const unsigned char*)y)[i]) * 0x100000001b3u;
  }
  free(x);
  free(y);
  return hash;
}

/* Saves the layer there, twice, and loads it in both ways. */
static void there_and_back(const lffn_layer* layer, const char* path) {
  for (int round = 0; round < 2; ++round) {
    if (lffn_layer_save(layer, path, NULL) != LFFN_OK) complain("cannot save", path);
    for (int map = 0; map < 2; ++map) {
      lffn_layer* again;
      if (load(path, map ? LFFN_LOAD_MMAP : 0, &again) != LFFN_OK) complain("cannot load", path);
      if (outcome(again) != outcome(layer)) complain("other numbers", path);
      lffn_layer_free(again);
    }
  }
}

static void expect_no_load(const char* path, const char* named) {
  for (int map = 0; map < 2; ++map) {
    lffn_layer* layer;
    if (load(path, map ? LFFN_LOAD_MMAP : 0, &layer) != LFFN_ERROR_IO || strstr(lffn_last_error(), named) == NULL) {
      complain("was to be an error of the system's", path);
    }
    lffn_layer_free(layer);
  }
  lffn_model* model = NULL;
  if (lffn_model_load(path, NULL, &model) == LFFN_OK) complain("is no model", path);
  lffn_model_free(model);
}

static void expect_no_save(const lffn_layer* layer, const char* path, const char* named) {
  if (lffn_layer_save(layer, path, NULL) != LFFN_ERROR_IO || strstr(lffn_last_error(), named) == NULL) {
    complain("was to be an error of the system's", path);
  }
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const char* const folder = argv[2];
  lffn_layer* layer;
  if (load(argv[1], 0, &layer) != LFFN_OK) {
    complain("cannot load", argv[1]);
    return 1;
  }
  there_and_back(layer, joined(folder, "/usual.safetensors", ""));
  there_and_back(layer,
                 joined(folder, "/with blanks, \xc3\x9cml\xc3\xa4uts \xe6\xbc\xa2\xe5\xad\x97 \xf0\x9f\x98\x80", ""));
  there_and_back(layer, joined(folder, "//.//double.safetensors", ""));
  there_and_back(layer, joined(folder, "/deep/../up.safetensors", ""));
  there_and_back(layer, joined(folder, "/deep/layer.safetensors", ""));

  char name[2001];
  memset(name, 'x', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  expect_no_load("", "''");
  expect_no_save(layer, "", "''");
  expect_no_load(joined(folder, "/missing", ""), "missing");
  expect_no_load(joined(folder, "/missing/missing", ""), "missing");
  expect_no_save(layer, joined(folder, "/missing/layer", ""), "missing");
  expect_no_load(folder, "cannot");
  expect_no_save(layer, folder, "cannot");
  expect_no_load(joined(folder, "/", name), "xxx");
  expect_no_save(layer, joined(folder, "/", name), "xxx");
  expect_no_load(joined(folder, "/usual.safetensors/", "inside"), "usual");
  expect_no_save(layer, joined(folder, "/usual.safetensors/", "inside"), "usual");
#ifdef _WIN32
  static const char* const devices[] = {"NUL", "CON", "COM1", "AUX", "\\\\.\\pipe\\missing", "?", "a<b", "\xff\xfe"};
#else
  static const char* const devices[] = {"/dev/null", "/dev/zero"};
#endif
  for (size_t i = 0; i < sizeof devices / sizeof *devices; ++i) {
    expect_no_load(devices[i], "cannot");
    expect_no_save(layer, devices[i], "cannot");
  }
  /* Some systems take any bytes for a name. */
  const char* const bytes = joined(folder, "/\xff\xfe", "");
  const lffn_status status = lffn_layer_save(layer, bytes, NULL);
  if (status != LFFN_OK && (status != LFFN_ERROR_IO || strstr(lffn_last_error(), "\\xff") == NULL)) {
    complain("is neither saved nor refused", bytes);
  }
  lffn_layer_free(layer);
  if (lffn_live_handles() != 0) complain("handles are left", "");
  if (failures == 0) puts("paths: ok");
  return failures != 0;
}
