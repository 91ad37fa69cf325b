// SPDX-License-Identifier: Apache-2.0
// PyTorch's files, made by hand as torch.save writes them, and broken in many ways.
#include "format/torch_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "runtime/error.h"
#include "tests/support/torch_maker.h"

namespace lffn {
namespace {

using namespace torch_maker;

const std::string kSix("\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40\0\0\xa0\x40\0\0\xc0\x40", 24);
const std::string kWeight = text("w") + tensor(storage("FloatStorage", "0"), 0, "K\2K\3", "K\3K\1");

std::string file_of(const std::string& pickle) {
  return zip_of({{"a/data.pkl", pickle}, {"a/byteorder", "little"}, {"a/data/0", kSix}});
}

// What is wrong with it; "" if nothing is.
std::string failure(const std::string& file) {
  try {
    parse_torch_file(BorrowedBytes(file.data(), file.size()));
    return "";
  } catch (const Error& error) {
    return (error.status() == LFFN_ERROR_UNSUPPORTED ? "unsupported: " : "") + std::string(error.what());
  }
}

TEST(TorchFile, FindsTheNumbersOfItsTensors) {
  const std::string file = file_of(dict(kWeight + text("row") + tensor(storage("FloatStorage", "0"), 3, "K\3", "K\1") +
                                        text("one") + tensor(storage("FloatStorage", "0"), 5, "", "") + text("half") +
                                        tensor(storage("HalfStorage", "0"), 1, "K\1K\2", "K\7K\1")));
  const BorrowedBytes bytes(file.data(), file.size());
  const Safetensors content = parse_torch_file(bytes);
  ASSERT_EQ(content.tensors.size(), 4u);
  const auto check = [&](const char* name, DType dtype, const std::string& shape, const std::string& wanted) {
    const TensorView* view = content.find(name);
    ASSERT_NE(view, nullptr) << name;
    EXPECT_EQ(view->dtype, dtype);
    EXPECT_EQ(view->shape_text(), shape);
    std::string found(view->size, '\0');
    view->read(0, found.size(), found.data());
    EXPECT_EQ(found, wanted) << name;
  };
  check("w", DType::kF32, "[2,3]", kSix);
  check("row", DType::kF32, "[3]", kSix.substr(12));
  check("one", DType::kF32, "[]", kSix.substr(20));
  check("half", DType::kF16, "[1,2]", kSix.substr(2, 4));
}

TEST(TorchFile, RefusesWhatIsMoreThanTensors) {
  EXPECT_EQ(failure(file_of(dict(kWeight))), "");
  const char* kHow =
      "; only a dict of tensors is read here. In Python: import torch, safetensors.torch; "
      "safetensors.torch.save_file({name: tensor.clone().contiguous() for name, tensor in "
      "torch.load('FILE', map_location='cpu').items()}, 'model.safetensors')";
  const auto refusal = [&](const std::string& pickle) {
    const std::string found = failure(file_of(pickle));
    const size_t end = found.find(kHow);
    return end == std::string::npos ? "not said: " + found : found.substr(0, end);
  };
  EXPECT_EQ(refusal("\x80\2cos\nsystem\n(" + text("ls") + "tR."), "unsupported: the pickle asks for 'os.system'");
  EXPECT_EQ(refusal(dict(text("n") + "K\3")), "unsupported: 'n' is no tensor");
  EXPECT_EQ(refusal(dict("K\3K\3")), "unsupported: the dict has a key that is not text");
  EXPECT_EQ(refusal("\x80\2K\3."), "unsupported: the file does not hold a dict");
  EXPECT_EQ(refusal("\x80\2]."), "unsupported: the pickle uses an operation that tensors do not need (93)");
  EXPECT_EQ(refusal(dict(text("t") + tensor(storage("FloatStorage", "0"), 0, "K\3K\2", "K\1K\3"))),
            "unsupported: the numbers of the tensor 't' do not lie row by row");
  EXPECT_EQ(failure("\x80\2\x8a\x0a").substr(0, 56), "unsupported: the file was written by PyTorch before 1.6;");
}

TEST(TorchFile, RefusesBrokenFiles) {
  EXPECT_EQ(failure(""), "the file is empty; fetch it again");
  EXPECT_EQ(failure("x"), "the file is not PyTorch's: it is not a zip");
  EXPECT_EQ(failure(zip_of({{"a/data.pkl", dict(kWeight)}}, 8)),
            "the zip's entry 'a/data.pkl' is compressed or encrypted; PyTorch stores it as it is");
  EXPECT_EQ(failure(zip_of({{"x", "y"}})), "the zip has no data.pkl, so PyTorch did not write it");
  EXPECT_EQ(failure(zip_of({{"data.pkl", dict(kWeight)}})), "tensor 'w': the zip has no entry 'data/0'");
  EXPECT_EQ(failure(file_of(dict(text("w") + tensor(storage("FloatStorage", "0"), 1, "K\2K\3", "K\3K\1")))),
            "tensor 'w': F32 [2,3] from number 1 on does not fit into its 24 bytes");
  const std::string huge = "\x8a\x08" + number(INT64_MAX, 8);
  EXPECT_EQ(failure(file_of(dict(text("w") + tensor(storage("FloatStorage", "0"), 0, huge, "K\1")))),
            "tensor 'w': its shape is too large");
  for (const char* pickle :
       {"", "\x80", "\x80\1.", ".", "\x80\2u.", "\x80\2t.", "\x80\2Q.", "\x80\2}K\3K\4b.", "X\xff"}) {
    EXPECT_NE(failure(file_of(pickle)), "") << pickle;
  }
  // Cut anywhere, and with any byte another one: no more than an error.
  const std::string file = file_of(dict(kWeight));
  for (size_t size = 0; size < file.size(); ++size) EXPECT_NE(failure(file.substr(0, size)), "") << size;
  for (size_t at = 0; at < file.size(); ++at) {
    std::string other = file;
    for (const char byte : {'\0', '\x7f', '\xff', 'R', '('}) {
      other[at] = byte;
      failure(other);
    }
  }
}

}  // namespace
}  // namespace lffn
