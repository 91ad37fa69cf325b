// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>

#include <cstdlib>

#include "runtime/forever.h"
#include "runtime/thread_text.h"

namespace lffn {
namespace {

// A thread's text is allocated at its first failure and freed by the key's destructor, which is no code of ours: a
// plugin may be unloaded before the thread ends.
struct TextKey {
  pthread_key_t key;
  bool usable;
};

TextKey make_key() {
  TextKey made = {};
  made.usable = pthread_key_create(&made.key, std::free) == 0;
  return made;
}

const pthread_key_t* text_key() {
  static Forever<const TextKey> made;
  const TextKey& text = made.get(make_key);
  return text.usable ? &text.key : nullptr;
}

}  // namespace

char* find_thread_text() {
  const pthread_key_t* key = text_key();
  return key == nullptr ? nullptr : static_cast<char*>(pthread_getspecific(*key));
}

char* make_thread_text() {
  char* const text = text_key() == nullptr ? nullptr : static_cast<char*>(std::malloc(kThreadTextSize));
  if (text == nullptr || pthread_setspecific(*text_key(), text) == 0) return text;
  std::free(text);
  return nullptr;
}

}  // namespace lffn
