// SPDX-License-Identifier: Apache-2.0
// What lies in place of a file is told apart from the file.
#include "format/stand_in.h"

#include <gtest/gtest.h>

#include <string>

namespace lffn {
namespace {

std::string refusal(const std::string& file) {
  try {
    refuse_stand_in(BorrowedBytes(file.data(), file.size()));
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), LFFN_ERROR_BAD_MODEL);
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const std::string kPointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0123\n";

TEST(StandIn, PointersOfGitLfs) {
  EXPECT_TRUE(contains(refusal(kPointer + "size 42\n"), "to a file of 42 bytes, which"));
  EXPECT_TRUE(contains(refusal(kPointer + "size 42"), "to a file of 42 bytes, which"));
  for (const char* const size : {"", "size ", "size x", "size -1", "size 123456789012345678901", "size\n"}) {
    EXPECT_TRUE(contains(refusal(kPointer + size), "to a file, which was not fetched")) << size;
  }
  EXPECT_TRUE(contains(refusal(kPointer + std::string(1 << 20, ' ')), "to a file, which"));
  EXPECT_EQ(refusal("version 1"), "");
  EXPECT_EQ(refusal(" " + kPointer), "");
}

TEST(StandIn, PagesAndRefusals) {
  for (const char* const page : {"<!DOCTYPE html>", "<!doctype HTML PUBLIC", "\r\n\t <html lang=\"en\">", "<HTML>"}) {
    EXPECT_TRUE(contains(refusal(page), "it is an HTML page")) << page;
  }
  EXPECT_TRUE(contains(refusal("Entry not found\nmore"), "a server's refusal, saved in place of the file: 'Entry not"));
  EXPECT_FALSE(contains(refusal("Access to model \x1b[31m is restricted"), "\x1b"));
  for (const char* const file :
       {"", "<!DOCTYPE svg>", "<htm", "<", " ", "{}", "PK\x03\x04", "Entry", "{\"html\": 1}"}) {
    EXPECT_EQ(refusal(file), "") << file;
  }
  EXPECT_EQ(refusal(std::string(300, ' ') + "<html>"), "");  // only the start is looked at
}

TEST(StandIn, NamesOfTheHub) {
  EXPECT_EQ(hint_of_hub("owner/a-model_1.5"),
            "; a model of the Hugging Face hub is fetched first: `hf download owner/a-model_1.5 --local-dir "
            "a-model_1.5`");
  EXPECT_TRUE(contains(hint_of_hub("gpt2"), "`hf download OWNER/gpt2 --local-dir gpt2`"));
  for (const char* const path : {"", "/", "a/", "/a", "a/b/c", "./a", "../a", "a/..", "a b", "a/b c", "a/b`x`", "m.bin",
                                 "o/model.safetensors", "a\\b", "\xc3\xa9/b", "~/a"}) {
    EXPECT_EQ(hint_of_hub(path), "") << path;
  }
}

}  // namespace
}  // namespace lffn
