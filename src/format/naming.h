// SPDX-License-Identifier: Apache-2.0
// Where a message about a file's content gets the file's name.
#pragma once

#include <string>

#include "runtime/error.h"

namespace lffn {

// Runs `action` so that what it says of the content begins with the path, if there is one.
template <typename Action>
auto naming(const std::string& path, Action&& action) {
  try {
    return action();
  } catch (const Error& error) {
    if (error.status() != LFFN_ERROR_BAD_MODEL && error.status() != LFFN_ERROR_UNSUPPORTED) throw;
    throw Error(error.status(), path.empty() ? error.what() : path + ": " + error.what());
  }
}

}  // namespace lffn
