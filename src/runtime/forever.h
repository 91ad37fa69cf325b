// An object that is never destroyed: calls may come while the process ends.
#pragma once

#include <new>
#include <utility>

namespace lffn {

template <typename T>
class Forever {
 public:
  template <typename... Arguments>
  explicit Forever(Arguments&&... arguments) {
    new (storage_) T(std::forward<Arguments>(arguments)...);
  }
  T& operator*() { return *std::launder(reinterpret_cast<T*>(storage_)); }

 private:
  alignas(T) unsigned char storage_[sizeof(T)];
};

}  // namespace lffn
