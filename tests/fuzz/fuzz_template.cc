// SPDX-License-Identifier: Apache-2.0
// Any bytes as a chat template, which a query and a document go through.
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "format/utf8.h"
#include "runtime/error.h"
#include "tests/fuzz/require.h"
#include "texts/chat_template.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  try {
    lffn::ChatTemplate chat(source);
    for (const bool structured : {false, true}) {
      chat.set_structured(structured);
      try {
        const std::string text = chat.render({{"system", "Is it so?"}, {"query", "a b"}, {"document", " c\xC3\xA4\n"}});
        require(text == chat.render({{"system", "Is it so?"}, {"query", "a b"}, {"document", " c\xC3\xA4\n"}}),
                "the same texts give the same text");
      } catch (const lffn::Error& error) {
        require(error.status() == LFFN_ERROR_INVALID_ARGUMENT || error.status() == LFFN_ERROR_UNSUPPORTED,
                "texts are refused for a reason of their own");
      }
    }
  } catch (const lffn::Error& error) {
    require(error.status() == LFFN_ERROR_BAD_MODEL || error.status() == LFFN_ERROR_UNSUPPORTED,
            "the template is blamed");
    require(lffn::valid_utf8_length(error.what()) == std::strlen(error.what()), "a message is UTF-8");
  }
  return 0;
}
