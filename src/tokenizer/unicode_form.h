// SPDX-License-Identifier: Apache-2.0
// Unicode's four normal forms.
#pragma once

#include <cstdint>

#include "tokenizer/aligned_text.h"

namespace lffn {

enum class UnicodeForm : uint8_t { kC, kD, kKc, kKd };

// Replaces `to` by the text in that form, in n log n time at most: marks behind a character are sorted. Returns false,
// and leaves `to` alone, if it is ASCII, which all forms leave alone. Throws Error(LFFN_ERROR_CANCELLED) if the flag is
// set; it may be nullptr.
bool bring_into_form(const AlignedText& text, UnicodeForm form, AlignedText& to, const int32_t* cancel);

}  // namespace lffn
