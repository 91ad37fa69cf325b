// SPDX-License-Identifier: Apache-2.0
// What a download leaves in place of a file, and what to do about it.
#pragma once

#include <string>
#include <string_view>

#include "format/bytes.h"
#include "format/system_file.h"
#include "runtime/error.h"

namespace lffn {

// Throws Error(LFFN_ERROR_BAD_MODEL) for a pointer of Git LFS, for an HTML page, and for a server's refusal.
void refuse_stand_in(std::string_view file);
void refuse_stand_in(const Bytes& file);

// How a model of this name is fetched from the Hugging Face hub, to be added to a message; "" if it cannot be such a
// name.
std::string hint_of_hub(const std::string& path);

// Runs `open` for a path that a caller gave. If nothing is there, the message has the hint.
template <typename Open>
auto open_given(const std::string& path, Open&& open) {
  try {
    return open();
  } catch (const Error& error) {
    if (error.status() != LFFN_ERROR_IO || file_exists(path)) throw;
    throw Error(error.status(), error.what() + hint_of_hub(path));
  }
}

}  // namespace lffn
