#include "api/boundary.h"

#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "runtime/forever.h"

namespace lffn {
namespace {

// A thread's text is allocated at its first failure and freed by the key's destructor, which is no code of ours: a
// plugin may be unloaded before the thread ends. Memory that a thread gets for thread-local variables when it first
// touches them would end the process where there is none; hence the other kind for the one byte here.
constexpr size_t kTextSize = 1024;
__attribute__((tls_model("initial-exec"))) thread_local bool text_lost = false;

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

// NULL where the thread has none yet.
char* find_text() {
  const pthread_key_t* key = text_key();
  return key == nullptr ? nullptr : static_cast<char*>(pthread_getspecific(*key));
}

char* make_text() {
  char* const text = text_key() == nullptr ? nullptr : static_cast<char*>(std::malloc(kTextSize));
  if (text == nullptr || pthread_setspecific(*text_key(), text) == 0) return text;
  std::free(text);
  return nullptr;
}

std::atomic<int64_t> handles{0};

}  // namespace

lffn_status report(lffn_status status, const char* text) noexcept {
  char* last_text = find_text();
  if (last_text == nullptr) last_text = make_text();
  text_lost = last_text == nullptr;
  if (text_lost) return status;
  size_t length = strnlen(text, kTextSize - 1);
  // Never cut a character in half.
  if (text[length] != '\0') {
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) --length;
  }
  std::memcpy(last_text, text, length);
  last_text[length] = '\0';
  return status;
}

const char* last_error() noexcept {
  if (text_lost) return "something failed, and there was no memory to say what";
  const char* const text = find_text();
  return text == nullptr ? "" : text;
}

void need(const void* pointer, const char* name) {
  if (pointer == nullptr) fail(LFFN_ERROR_INVALID_ARGUMENT, "%s is NULL", name);
}

void count_handle(int64_t change) noexcept { handles.fetch_add(change, std::memory_order_relaxed); }
int64_t live_handles() noexcept { return handles.load(std::memory_order_relaxed); }

}  // namespace lffn
