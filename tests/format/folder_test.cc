// SPDX-License-Identifier: Apache-2.0
#include "format/folder.h"

#include "runtime/error.h"
#include "tests/format/helpers.h"

namespace lffn {
namespace {

class FolderTest : public InFolder {
 protected:
  void expect_files(const Folder& folder) {
    EXPECT_TRUE(folder.has("a.json"));
    EXPECT_TRUE(folder.has("inner/a.json"));
    EXPECT_FALSE(folder.has("b.json"));
    EXPECT_FALSE(folder.has("a.json/b"));
    EXPECT_EQ(folder.read_text("a.json", 5), "outer");
    const InnerFolder inner(folder, "inner"), same(folder, "");
    EXPECT_TRUE(inner.has("a.json"));
    EXPECT_EQ(inner.read_text("a.json", 100), "inside");
    EXPECT_EQ(inner.path("a.json"), folder.path("inner/a.json"));
    EXPECT_EQ(same.read_text("a.json", 100), "outer");
    expect_error(LFFN_ERROR_BAD_MODEL, "a.json': 6 bytes, more than the 5 allowed",
                 [&] { inner.read_text("a.json", 5); });
    expect_error(LFFN_ERROR_IO, "b.json", [&] { folder.open("b.json"); });
  }
};

TEST_F(FolderTest, OnDisk) {
  std::filesystem::create_directory(path("inner"));
  std::ofstream(path("a.json")) << "outer";
  std::ofstream(path("inner/a.json")) << "inside";
  for (const bool map : {false, true}) expect_files(FolderOnDisk(folder_.string(), map));
}

TEST_F(FolderTest, InMemory) {
  expect_files(FolderInMemory({{"inner/a.json", "inside", 6}, {"a.json", "outer", 5}}));
  expect_error(LFFN_ERROR_INVALID_ARGUMENT, "two files are named 'a'", [] {
    FolderInMemory({{"a", "", 0}, {"b", "", 0}, {"a", "", 0}});
  });
}

}  // namespace
}  // namespace lffn
