// SPDX-License-Identifier: Apache-2.0
// PyTorch's files that say much in few bytes: memory must not grow beyond them.
#include <gtest/gtest.h>

#include <string>

#include "format/torch_file.h"
#include "runtime/error.h"
#include "tests/growth/counted_memory.h"
#include "tests/support/torch_maker.h"

namespace {

using namespace torch_maker;

constexpr size_t kTimes = 256;  // bytes of memory for a byte of a pickle

struct Outcome {
  std::string message;
  size_t peak = 0, handed_out = 0;
  size_t tensors = 0;
};

Outcome outcome_of(const std::string& file) {
  Outcome outcome;
  const size_t before = counted_memory::handed_out();
  outcome.peak = counted_memory::peak_of([&] {
    try {
      outcome.tensors = lffn::parse_torch_file(lffn::BorrowedBytes(file.data(), file.size())).tensors.size();
    } catch (const lffn::Error& error) {
      outcome.message = error.what();
    }
  });
  outcome.handed_out = counted_memory::handed_out() - before;
  return outcome;
}

std::string file_of(const std::string& pickle, const std::string& numbers = std::string(24, '\0')) {
  return zip_of({{"a/data.pkl", pickle}, {"a/byteorder", "little"}, {"a/data/0", numbers}});
}

std::string repeated(const std::string& what, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += what;
  return result;
}

const std::string kWeight = tensor(storage("FloatStorage", "0"), 0, "K\2K\3", "K\3K\1");

TEST(TorchGrowth, ReadsAKeyOnce) {
  // A storage's arguments with a long key, remembered, and asked for again and again.
  const std::string key(30000, 'k');
  const std::string arguments = "(" + text("storage") + "ctorch\nFloatStorage\n" + text(key) + text("cpu") + "K\6tq\1Q";
  const std::string file = file_of("\x80\2" + arguments + repeated("h\1Q", 20000) + ".");
  EXPECT_LE(outcome_of(file).peak, kTimes * file.size());

  // The arguments of one tensor with such a storage.
  const std::string call = "ctorch._utils\n_rebuild_tensor_v2\nq\2(" + arguments + "K\0(tttq\3";
  const std::string tensors = file_of("\x80\2" + call + repeated("h\2h\3R", 10000) + ".");
  EXPECT_LE(outcome_of(tensors).peak, kTimes * tensors.size());
}

TEST(TorchGrowth, ReadsANameOnce) {
  const std::string name(100000, 'n');
  const std::string file =
      file_of(dict(text(name) + "q\1" + kWeight + "q\2" + repeated("h\1h\2", 5000) + text("b") + "h\2"));
  const Outcome outcome = outcome_of(file);
  EXPECT_EQ(outcome.message, "");
  EXPECT_EQ(outcome.tensors, 2u);
  EXPECT_LE(outcome.handed_out, kTimes * file.size());
}

TEST(TorchGrowth, TheLastOfEqualNamesCounts) {
  // By the same text and by another one of the same letters.
  const std::string other = tensor(storage("FloatStorage", "0"), 0, "K\6", "K\1");
  for (const bool last : {false, true}) {
    const std::string file =
        file_of(dict(text("w") + "q\1" + kWeight + "q\2" + text("w") + other + "q\3" + (last ? "h\1h\2" : "h\1h\3")));
    const lffn::BorrowedBytes bytes(file.data(), file.size());
    const lffn::Safetensors content = lffn::parse_torch_file(bytes);
    ASSERT_EQ(content.tensors.size(), 1u);
    EXPECT_EQ(content.tensors[0].shape_text(), last ? "[2,3]" : "[6]");
  }
}

TEST(TorchGrowth, TensorsShareFewBytes) {
  const std::string numbers(4000, '\0');
  const auto file = [&](int count) {
    std::string items;
    for (int i = 0; i < count; ++i) {
      items += text("t" + std::to_string(i)) + tensor(storage("FloatStorage", "0"), 0, "M\xe8\3", "K\1");
    }
    return file_of(dict(items), numbers);
  };
  // A matrix of words, and what scores with it.
  EXPECT_EQ(outcome_of(file(4)).message, "");
  EXPECT_EQ(outcome_of(file(4)).tensors, 4u);
  EXPECT_NE(outcome_of(file(60)).message.find("times the file's"), std::string::npos) << outcome_of(file(60)).message;
}

TEST(TorchGrowth, EveryOperationCostsLittle) {
  for (const char* operation : {")", "}", "N", "(", "K\1", "X\0\0\0", "\x8c", "N\x94", "K\1\x85"}) {
    const std::string one = std::string(operation) == "X\0\0\0" ? text("")
                            : std::string(operation) == "\x8c"  ? std::string("\x8c\0", 2)
                                                                : operation;
    const std::string file = file_of("\x80\2" + repeated(one, 50000) + ".");
    EXPECT_LE(outcome_of(file).peak, kTimes * file.size()) << "operation " << static_cast<int>(operation[0]);
  }
}

}  // namespace
