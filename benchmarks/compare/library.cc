// SPDX-License-Identifier: Apache-2.0
#include "library.h"

#include <dlfcn.h>

#include <cstdlib>

namespace compare {
namespace {

template <class Function>
bool take(Function& function, void* library, const char* name) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

// Older builds of the library were not told the size of what they fill in.
template <class Struct>
bool take_init(std::function<void(Struct*)>& init, void* library, const std::string& name) {
  void (*sized)(Struct*, size_t) = nullptr;
  void (*plain)(Struct*) = nullptr;
  if (take(sized, library, (name + "_sized").c_str())) {
    init = [sized](Struct* filled) { sized(filled, sizeof *filled); };
  } else if (take(plain, library, name.c_str())) {
    init = plain;
  }
  return init != nullptr;
}

}  // namespace

std::string Library::version_text() const {
  const uint32_t v = version();
  return std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." + std::to_string(v % 100) + " (" +
         isa() + ")";
}

const Library& Library::linked() {
  static const Library library = {lffn_version,
                                  lffn_isa,
                                  lffn_last_error,
                                  [](lffn_tensor* tensor) { lffn_tensor_init(tensor); },
                                  [](lffn_layer_config* config) { lffn_layer_config_init(config); },
                                  [](lffn_load_options* options) { lffn_load_options_init(options); },
                                  lffn_layer_create,
                                  lffn_layer_forward,
                                  lffn_layer_free};
  return library;
}

const Library* Library::before(std::string* why) {
  static Library library;
  if (library.version != nullptr) return &library;
  const char* path = std::getenv("LFFN_BEFORE");
  void* opened = path == nullptr ? nullptr : dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (opened == nullptr) {
    *why = path == nullptr ? "LFFN_BEFORE names no library" : dlerror();
    return nullptr;
  }
  const bool complete = take(library.isa, opened, "lffn_isa") && take(library.last_error, opened, "lffn_last_error") &&
                        take_init(library.tensor_init, opened, "lffn_tensor_init") &&
                        take_init(library.layer_config_init, opened, "lffn_layer_config_init") &&
                        take_init(library.load_options_init, opened, "lffn_load_options_init") &&
                        take(library.layer_create, opened, "lffn_layer_create") &&
                        take(library.layer_forward, opened, "lffn_layer_forward") &&
                        take(library.layer_free, opened, "lffn_layer_free") &&
                        take(library.version, opened, "lffn_version");
  if (complete) return &library;
  *why = dlerror();
  library.version = nullptr;
  return nullptr;
}

}  // namespace compare
