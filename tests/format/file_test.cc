// SPDX-License-Identifier: Apache-2.0
#include "format/file.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "format/folder.h"
#include "runtime/error.h"
#include "tests/format/helpers.h"

namespace lffn {
namespace {

class FileTest : public InFolder {
 protected:
  std::string make(const std::string& name, const std::string& content) {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }
};

void write_file(const std::string& path, const std::string& content) {
  NewFile file(path);
  file.write(content.data(), content.size());
  file.commit();
}

unsigned permissions(const std::string& path) {
  struct stat status = {};
  EXPECT_EQ(stat(path.c_str(), &status), 0);
  return status.st_mode & 07777;
}

TEST_F(FileTest, ReadsAndMapsTheSameBytes) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{4096}, size_t{100001}}) {
    std::string content(size, '\0');
    for (size_t i = 0; i < size; ++i) content[i] = static_cast<char>(i * 7 + i / 256);
    const std::string name = make("file \xF0\x9F\x98\x80", content);
    const FileBytes bytes(name);
    ASSERT_EQ(bytes.size(), size);
    EXPECT_EQ(std::string(static_cast<const char*>(bytes.data()), size), content);
    EXPECT_EQ(FileReader(name).map(0, size), nullptr) << "unasked";
    for (const size_t first : {size_t{0}, size_t{1}, size_t{65535}, size_t{65536}, size_t{70001}}) {
      if (first >= size) continue;
      const auto mapped = FileReader(name, true).map(first, size - first);  // stays when the file is closed
      EXPECT_EQ(std::string(reinterpret_cast<const char*>(mapped.get()), size - first), content.substr(first));
    }
  }
}

TEST_F(FileTest, SaysWhatCannotBeRead) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  const std::string missing = path("missing");
  const auto refused = [](const std::string& name, const std::string& message) {
    expect_error(LFFN_ERROR_IO, message, [&] { FileBytes bytes(name); });
    expect_error(LFFN_ERROR_IO, message, [&] { FileReader reader(name, true); });
  };
  refused(missing, "cannot open '" + missing + "': No such file or directory");
  refused(folder_.string(), "'" + folder_.string() + "': Is a directory");
  refused(path("pipe"), "not a regular file");
  refused("/dev/zero", "not a regular file");
  refused("", "No such file");
  refused(std::string(5000, 'x'), "File name too long");
}

TEST_F(FileTest, RefusesAnEmptyNameBeforeItWrites) {
  expect_error(LFFN_ERROR_IO, "cannot write ''", [] { NewFile file(""); });
}

TEST_F(FileTest, ReadsInPieces) {
  std::string content(3000001, '\0');
  for (size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 7 + i / 256);
  const FileReader reader(make("file", content));
  ASSERT_EQ(reader.size(), content.size());
  std::string piece;
  const auto expect = [&](size_t first, size_t count) {
    piece.assign(count, '\0');
    reader.read(first, count, piece.data());
    EXPECT_EQ(piece, content.substr(first, count)) << first << ", " << count;
  };
  expect(0, content.size());
  for (const size_t count : {size_t{0}, size_t{1}, size_t{999}, size_t{262144}, size_t{262145}, size_t{1000000}}) {
    for (size_t first = 0; first + count <= content.size(); first += 333333) {  // from several places in turns
      expect(first, count);
      expect(content.size() - count - first, count);
      expect(first / 2, count);
      expect(first / 3, count);
    }
  }
  const FileReader empty(make("empty", ""));
  EXPECT_EQ(empty.size(), 0u);
  const FileReader shrinking(make("shrinking", content));
  ASSERT_EQ(truncate(path("shrinking").c_str(), 5), 0);
  expect_error(LFFN_ERROR_IO, "its size changed meanwhile", [&] { shrinking.read(10, 5, piece.data()); });
  expect_error(LFFN_ERROR_IO, "its size changed meanwhile", [&] { shrinking.read(0, 2000000, content.data()); });
}

TEST_F(FileTest, NoticesAFileOfAnotherSizeThanItTold) {
  // The kernel's own files tell 4096 or 0 bytes and hold fewer or more: as if cut or extended after the look.
  const std::string shorter = "/sys/devices/system/cpu/online";
  const std::string longer = "/proc/self/status";
  if (access(shorter.c_str(), R_OK) != 0 || std::filesystem::file_size(shorter) != 4096)
    GTEST_SKIP() << "no " << shorter;
  expect_error(LFFN_ERROR_IO, "its size changed meanwhile", [&] { FileBytes bytes(shorter); });
  expect_error(LFFN_ERROR_IO, "its size changed meanwhile", [&] { FileBytes bytes(longer); });
}

TEST_F(FileTest, ReadsAFileThatChangesSizeWholeOrNotAtAll) {
  const std::string name = make("file", std::string(1 << 20, 'x'));
  std::atomic<bool> stop{false};
  std::thread resizer([&] {
    while (!stop) {
      EXPECT_EQ(truncate(name.c_str(), 5), 0);
      EXPECT_EQ(truncate(name.c_str(), 1 << 20), 0);
    }
  });
  for (int i = 0; i < 300; ++i) {
    try {
      const FileBytes bytes(name);
      EXPECT_TRUE(bytes.size() == 5 || bytes.size() == 1 << 20) << bytes.size();
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), LFFN_ERROR_IO);
    }
  }
  stop = true;
  resizer.join();
}

TEST_F(FileTest, WritesANewFileWithTheUsersMask) {
  const mode_t mask = umask(027);
  write_file(path("new"), "content");
  umask(mask);
  EXPECT_EQ(content_of(path("new")), "content");
  EXPECT_EQ(permissions(path("new")), 0640u);
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(FileTest, ReplacesAFileAndKeepsItsPermissions) {
  for (const mode_t mode : {0600u, 0666u, 0751u}) {
    const std::string name = make("old", "a much longer old content");
    ASSERT_EQ(chmod(name.c_str(), mode), 0);
    write_file(name, "new");
    EXPECT_EQ(content_of(name), "new");
    EXPECT_EQ(permissions(name), mode);
    EXPECT_EQ(files_in_folder(), 1u);
  }
}

TEST_F(FileTest, WritesThroughASymbolicLink) {
  std::filesystem::create_directory(path("elsewhere"));
  const std::string target = make("elsewhere/target", "old");
  std::filesystem::create_symlink("elsewhere/target", path("link"));
  write_file(path("link"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(content_of(target), "new");
}

TEST_F(FileTest, WritesIntoTheCurrentFolderAndLongNames) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder_);
  const std::string longest(255, 'n');
  write_file(longest, "content");
  std::filesystem::current_path(before);
  EXPECT_EQ(content_of(path(longest)), "content");
}

TEST_F(FileTest, LeavesTheOldFileWhenNotCommitted) {
  const std::string name = make("old", "old");
  {
    NewFile file(name);
    file.write("new", 3);
    EXPECT_EQ(content_of(name), "old");
  }
  EXPECT_EQ(content_of(name), "old");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(FileTest, LeavesTheOldFileWhenTheDiskIsFull) {
  const std::string name = make("old", "old");
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small = {10000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  // Nobody here ignores SIGXFSZ: if it got out, this process would end.
  expect_error(LFFN_ERROR_IO, "cannot write '" + name + "': File too large",
               [&] { write_file(name, std::string(100000, 'x')); });
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(content_of(name), "old");
  EXPECT_EQ(files_in_folder(), 1u);
  write_file(name, std::string(100000, 'x'));
  EXPECT_EQ(content_of(name).size(), 100000u);
}

TEST_F(FileTest, LeavesTheOldFileInAFolderThatCannotBeWritten) {
  const std::string name = make("old", "old");
  ASSERT_EQ(chmod(folder_.c_str(), 0555), 0);
  const bool root = geteuid() == 0;
  if (root) {
    ASSERT_EQ(seteuid(65534), 0);
  }
  expect_error(LFFN_ERROR_IO, "cannot write '" + name + "': Permission denied", [&] { write_file(name, "new"); });
  if (root) {
    ASSERT_EQ(seteuid(0), 0);
  }
  ASSERT_EQ(chmod(folder_.c_str(), 0755), 0);
  EXPECT_EQ(content_of(name), "old");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(FileTest, SaysWhatCannotBeWritten) {
  std::filesystem::create_directory(path("folder"));
  make("file", "old");
  expect_error(LFFN_ERROR_IO, "Is a directory", [&] { write_file(path("folder"), "new"); });
  expect_error(LFFN_ERROR_IO, "Not a directory", [&] { write_file(path("file/below"), "new"); });
  expect_error(LFFN_ERROR_IO, "No such file or directory", [&] { write_file(path("missing/file"), "new"); });
  expect_error(LFFN_ERROR_IO, "not a regular file", [&] { write_file("/dev/full", "new"); });
  expect_error(LFFN_ERROR_IO, "", [&] { write_file("", "new"); });
  EXPECT_EQ(files_in_folder(), 2u);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST_F(FileTest, AKilledWriterLeavesOneWholeFile) {
  const std::string contents[] = {std::string(300000, 'a'), std::string(200000, 'b')};
  const std::string name = make("file", contents[0]);
  bool seen_second = false;
  for (int round = 0; round < 40; ++round) {
    int began[2];
    ASSERT_EQ(pipe(began), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      write_file(name, contents[1]);
      if (write(began[1], "", 1) != 1) _exit(1);
      for (int i = 0;; ++i) write_file(name, contents[i % 2]);
    }
    char byte;
    ASSERT_EQ(read(began[0], &byte, 1), 1);
    close(began[0]);
    close(began[1]);
    usleep(static_cast<useconds_t>(500 * round));
    ASSERT_EQ(kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    const std::string content = content_of(name);
    ASSERT_TRUE(content == contents[0] || content == contents[1]) << content.size() << " bytes";
    seen_second = seen_second || content == contents[1];
  }
  EXPECT_TRUE(seen_second) << "the child never got to write";
}

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
