// SPDX-License-Identifier: Apache-2.0
// Paths as Windows takes them.
#pragma once

#include <string>

namespace lffn {

// From UTF-8, with '\' for '/', and so that a long one is no error. Throws Error(LFFN_ERROR_IO), "cannot DOING 'PATH'".
std::wstring windows_path(const char* doing, const std::string& path);

// To UTF-8.
std::string utf8_of(const std::wstring& text);

}  // namespace lffn
