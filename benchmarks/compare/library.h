// SPDX-License-Identifier: Apache-2.0
// The calls of liblookupffn that make and run a layer: of the library that is linked in, or of another build of it.
#pragma once

#include <lookupffn/lookupffn.h>

#include <functional>
#include <string>

namespace compare {

struct Library {
  decltype(&lffn_version) version;
  decltype(&lffn_isa) isa;
  decltype(&lffn_last_error) last_error;
  std::function<void(lffn_tensor*)> tensor_init;
  std::function<void(lffn_layer_config*)> layer_config_init;
  std::function<void(lffn_load_options*)> load_options_init;
  decltype(&lffn_layer_create) layer_create;
  decltype(&lffn_layer_forward) layer_forward;
  decltype(&lffn_layer_free) layer_free;

  std::string version_text() const;

  static const Library& linked();
  // The one that LFFN_BEFORE names. NULL with `why` filled in when there is none.
  static const Library* before(std::string* why);
};

}  // namespace compare
