// SPDX-License-Identifier: Apache-2.0
#include <climits>
#include <cstring>
#include <vector>

#include "format/safetensors.h"
#include "tests/format/helpers.h"

namespace lffn {
namespace {

Safetensors parse(const std::string& file) { return parse_safetensors(file.data(), file.size()); }

void expect_refused(const std::string& file, const std::string& part) {
  expect_error(LFFN_ERROR_BAD_MODEL, part, [&] { parse(file); });
}

// One tensor 'a' of three floats, with the rest of its entry as given.
std::string with_a(const std::string& entry, size_t data_bytes = 12) {
  return file_of("{\"a\":" + entry + "}", std::string(data_bytes, 'd'));
}

const char kGoodEntry[] = R"({"dtype":"F32","shape":[3],"data_offsets":[0,12]})";

TEST(SafetensorsReader, ReadsWhatIsThere) {
  const std::string file = file_of(
      R"({"b":{"shape":[2,2],"dtype":"I8","data_offsets":[8,12]},"__metadata__":{"k":"v","empty":"","\u0065\n":"é"},)"
      R"( "a":{"dtype":"F16","shape":[4,1],"data_offsets":[0,8]}, "scalar":{"dtype":"U8","shape":[],"data_offsets":[12,13]}}  )",
      "aaaaaaaabbbbs");
  const Safetensors read = parse(file);
  ASSERT_EQ(read.tensors.size(), 3u);
  EXPECT_EQ(read.tensors[0].name, "a");
  EXPECT_EQ(read.tensors[0].dtype, DType::kF16);
  EXPECT_EQ(read.tensors[0].shape, (std::vector<int64_t>{4, 1}));
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(read.tensors[0].data), read.tensors[0].size), "aaaaaaaa");
  EXPECT_EQ(read.tensors[1].name, "b");
  EXPECT_EQ(read.tensors[1].shape_text(), "[2,2]");
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(read.tensors[1].data), read.tensors[1].size), "bbbb");
  EXPECT_EQ(read.tensors[2].shape_text(), "[]");
  EXPECT_EQ(*read.tensors[2].data, 's');
  EXPECT_EQ(read.find("b"), &read.tensors[1]);
  EXPECT_EQ(read.find("c"), nullptr);
  const std::map<std::string, std::string> metadata = {{"k", "v"}, {"empty", ""}, {"e\n", "é"}};
  EXPECT_EQ(read.metadata, metadata);
}

TEST(SafetensorsReader, ReadsEveryDType) {
  const std::pair<const char*, size_t> dtypes[] = {{"F32", 4}, {"F16", 2}, {"BF16", 2}, {"I8", 1},  {"U8", 1},
                                                   {"I32", 4}, {"I64", 8}, {"F64", 8},  {"U32", 4}, {"U64", 8},
                                                   {"I16", 2}, {"U16", 2}, {"BOOL", 1}};
  for (const auto& [name, size] : dtypes) {
    const std::string file = with_a(
        "{\"dtype\":\"" + std::string(name) + "\",\"shape\":[3],\"data_offsets\":[0," + std::to_string(3 * size) + "]}",
        3 * size);
    const Safetensors read = parse(file);
    EXPECT_STREQ(dtype_name(read.tensors[0].dtype), name);
    EXPECT_EQ(dtype_size(read.tensors[0].dtype), size);
  }
}

TEST(SafetensorsReader, AllowsNoTensorsAndEmptyOnes) {
  EXPECT_TRUE(parse(file_of("{}", "")).tensors.empty());
  const Safetensors read = parse(file_of(R"({"z":{"dtype":"F32","shape":[0,7],"data_offsets":[4,4]},)"
                                         R"("a":{"dtype":"I8","shape":[4],"data_offsets":[0,4]},)"
                                         R"("y":{"dtype":"F32","shape":[7,0],"data_offsets":[0,0]}})",
                                         "1234"));
  ASSERT_EQ(read.tensors.size(), 3u);
  EXPECT_EQ(read.tensors[0].name, "y");
  EXPECT_EQ(read.tensors[2].size, 0u);
}

TEST(SafetensorsReader, ReadsDataAtAnyAddress) {
  const std::string file = with_a(kGoodEntry);
  std::vector<char> room(file.size() + 64);
  for (size_t shift = 0; shift < 64; ++shift) {
    std::memcpy(room.data() + shift, file.data(), file.size());
    const Safetensors read = parse_safetensors(room.data() + shift, file.size());
    EXPECT_EQ(std::memcmp(read.tensors[0].data, "dddddddddddd", 12), 0);
  }
}

TEST(SafetensorsReader, RefusesTheFileCutAtEveryByte) {
  const std::string file = with_a(kGoodEntry);
  ASSERT_EQ(parse(file).tensors.size(), 1u);
  for (size_t size = 0; size < file.size(); ++size) {
    // A copy of exactly this size, so that a sanitizer sees a read beyond it.
    const std::vector<char> cut(file.begin(), file.begin() + static_cast<ptrdiff_t>(size));
    expect_error(LFFN_ERROR_BAD_MODEL, "", [&] { parse_safetensors(cut.data(), cut.size()); });
  }
}

TEST(SafetensorsReader, RefusesWhatFollowsTheLastTensor) {
  const std::string file = with_a(kGoodEntry);
  for (const size_t more : {size_t{1}, size_t{8}, size_t{4096}}) {
    expect_refused(file + std::string(more, '\0'), "the tensors end at data offset 12, but the file has " +
                                                       std::to_string(12 + more) + " bytes of data");
  }
  expect_refused(file_of("{}", "x"), "the tensors end at data offset 0, but the file has 1 bytes of data");
}

TEST(SafetensorsReader, RefusesBadHeaderLengths) {
  expect_refused("", "ends at byte 0, inside the 8 bytes");
  expect_refused("1234567", "ends at byte 7, inside the 8 bytes");
  expect_refused(std::string(8, '\0'), "byte 8 is not '{'");
  std::string file = with_a(kGoodEntry);
  file[3] = 1;
  expect_refused(file, "inside its header of 16777");
  const uint64_t allowed = 100'000'000;
  for (const uint64_t length : {allowed + 1, uint64_t{INT64_MAX}, UINT64_MAX}) {
    std::memcpy(file.data(), &length, sizeof(length));
    expect_refused(file, "byte 0: a header of " + std::to_string(length) + " bytes, more than the 100000000 allowed");
  }
  std::memcpy(file.data(), &allowed, sizeof(allowed));
  expect_refused(file, "inside its header of 100000000 bytes");
}

TEST(SafetensorsReader, RefusesWhatIsNoJsonObject) {
  for (const char* header : {"", " {}", "[]", "null", "\xEF\xBB\xBF{}"}) {
    expect_refused(file_of(header, ""), "byte 8 is not '{'");
  }
  expect_refused(file_of("{", ""), "byte 9 is not valid JSON");
  expect_refused(file_of("{}x", ""), "byte 10 is not valid JSON");
  expect_refused(file_of("{}{}", ""), "byte 10 is not valid JSON");
  expect_refused(file_of("{,}", ""), "byte 9 is not valid JSON");
  expect_refused(file_of("{'a':1}", ""), "byte 9 is not valid JSON");
  expect_refused(file_of("{} // note", ""), "byte 11 is not valid JSON");
  expect_refused(file_of("{\"\t\":1}", ""), "is not valid JSON");
  expect_refused(file_of(R"({"\ud800":1})", ""), "is not valid JSON");
  expect_refused(with_a(std::string(kGoodEntry) + ","), "is not valid JSON");
  expect_refused(file_of(std::string("{}\0", 3), ""), "byte 10 is not valid JSON");
  expect_refused(file_of(std::string("{}\0{}", 5), ""), "byte 10 is not valid JSON");
}

TEST(SafetensorsReader, RefusesWhatIsNotUtf8) {
  expect_refused(file_of("{\"\xFF\":1}", ""), "header: byte 10 is not valid UTF-8");
  expect_refused(file_of("{\"\xC0\xAF\":1}", ""), "byte 10 is not valid UTF-8");
  expect_refused(file_of("{\"__metadata__\":{\"a\":\"\xED\xA0\x80\"}}", ""), "byte 30 is not valid UTF-8");
}

TEST(SafetensorsReader, RefusesDuplicateKeys) {
  const std::string a = std::string("\"a\":") + kGoodEntry;
  expect_refused(file_of("{" + a + "," + a + "}", std::string(12, 'd')), "duplicate key 'a'");
  expect_refused(file_of("{" + a + ",\"\\u0061\":" + kGoodEntry + "}", std::string(12, 'd')), "duplicate key 'a'");
  expect_refused(with_a(R"({"dtype":"F32","dtype":"F32","shape":[3],"data_offsets":[0,12]})"),
                 "tensor 'a': duplicate key 'dtype'");
  expect_refused(with_a(R"({"dtype":"F32","shape":[3],"data_offsets":[0,12],"shape":[3]})"),
                 "tensor 'a': duplicate key 'shape'");
  expect_refused(file_of(R"({"__metadata__":{"k":"v","k":"v"}})", ""), "__metadata__: duplicate key 'k'");
  expect_refused(file_of(R"({"__metadata__":{},"__metadata__":{}})", ""), "duplicate key '__metadata__'");
}

TEST(SafetensorsReader, RefusesDeepNesting) {
  const std::string deep(100000, '[');
  expect_refused(with_a(deep), "header: 'a' must not hold a list");
  expect_refused(with_a("{\"shape\":" + deep), "tensor 'a': nested deeper than 3 levels");
  expect_refused(with_a("{\"shape\":[{\"x\":1}]}"), "tensor 'a'");
  expect_refused(with_a("{\"dtype\":{}}"), "tensor 'a': 'dtype' must not hold an object");
  expect_refused(file_of(R"({"__metadata__":{"k":[]}})", ""), "__metadata__: 'k' must not hold a list");
}

TEST(SafetensorsReader, RefusesHighRank) {
  EXPECT_EQ(parse(with_a(R"({"dtype":"F32","shape":[1,1,1,1,1,1,1,3],"data_offsets":[0,12]})")).tensors[0].shape.size(),
            8u);
  expect_refused(with_a(R"({"dtype":"F32","shape":[1,1,1,1,1,1,1,1,3],"data_offsets":[0,12]})"),
                 "tensor 'a': more than 8 dimensions");
}

TEST(SafetensorsReader, RefusesBadEntries) {
  expect_refused(file_of(R"({"a":1})", ""), "header: 'a' must not hold a single value");
  expect_refused(file_of(R"({"a":null})", ""), "header: 'a' must not hold a single value");
  expect_refused(with_a(R"({"shape":[3],"data_offsets":[0,12]})"), "tensor 'a': has no 'dtype'");
  expect_refused(with_a(R"({"dtype":"F32","data_offsets":[0,12]})"), "tensor 'a': has no 'shape'");
  expect_refused(with_a(R"({"dtype":"F32","shape":[3]})"), "tensor 'a': has no 'data_offsets'");
  expect_refused(with_a("{}"), "tensor 'a': has no 'dtype'");
  expect_refused(with_a(R"({"dtype":"F32","shape":[3],"data_offsets":[0,12],"more":1})"),
                 "tensor 'a': unknown key 'more'");
  expect_refused(with_a(R"({"dtype":"F33","shape":[3],"data_offsets":[0,12]})"), "tensor 'a': unknown dtype 'F33'");
  expect_refused(with_a(R"({"dtype":"f32","shape":[3],"data_offsets":[0,12]})"), "tensor 'a': unknown dtype 'f32'");
  expect_refused(with_a(R"({"dtype":4,"shape":[3],"data_offsets":[0,12]})"), "tensor 'a': 'dtype'");
  expect_refused(with_a(R"({"dtype":"F32","shape":3,"data_offsets":[0,12]})"), "tensor 'a': 'shape'");
  expect_refused(with_a(R"({"dtype":"F32","shape":"3","data_offsets":[0,12]})"), "tensor 'a': 'shape'");
  expect_refused(with_a(R"({"dtype":["F32"],"shape":[3],"data_offsets":[0,12]})"), "tensor 'a': 'dtype'");
  for (const char* offsets : {"[]", "[0]", "[0,12,12]"}) {
    expect_refused(with_a(std::string(R"({"dtype":"F32","shape":[3],"data_offsets":)") + offsets + "}"),
                   "tensor 'a': 'data_offsets' must be two numbers");
  }
}

TEST(SafetensorsReader, RefusesBadNumbers) {
  for (const char* number : {"-1", "-0", "3.0", "3e0", "1e30", "1e999", "9223372036854775808", "18446744073709551615",
                             "18446744073709551616", "\"3\"", "null", "true"}) {
    expect_refused(with_a(std::string(R"({"dtype":"F32","shape":[)") + number + R"(],"data_offsets":[0,12]})"),
                   "tensor 'a'");
    expect_refused(with_a(std::string(R"({"dtype":"F32","shape":[3],"data_offsets":[0,)") + number + "]}"),
                   "tensor 'a'");
    expect_refused(with_a(std::string(R"({"dtype":"F32","shape":[3],"data_offsets":[)") + number + ",12]}"),
                   "tensor 'a'");
  }
  expect_refused(with_a(R"({"dtype":"F32","shape":[-3],"data_offsets":[0,12]})"),
                 "tensor 'a': 'shape' must hold whole numbers from 0 to 2^63 - 1");
}

TEST(SafetensorsReader, RefusesShapesThatOverflow) {
  for (const char* shape : {"[9223372036854775807]", "[4294967296,4294967296]", "[4611686018427387904,4]",
                            "[9223372036854775807,9223372036854775807,9223372036854775807]",
                            "[0,9223372036854775807,2]", "[9223372036854775807,2,0]", "[2305843009213693952]"}) {
    expect_refused(with_a(std::string(R"({"dtype":"F32","shape":)") + shape + R"(,"data_offsets":[0,0]})"),
                   std::string("tensor 'a': shape ") + shape + " is too large");
  }
}

TEST(SafetensorsReader, RefusesSizesThatDisagree) {
  expect_refused(with_a(R"({"dtype":"F32","shape":[3,2],"data_offsets":[0,12]})"),
                 "tensor 'a': data offsets [0, 12] hold 12 bytes, but F32 [3,2] needs 24");
  expect_refused(with_a(R"({"dtype":"I8","shape":[3],"data_offsets":[0,12]})"),
                 "tensor 'a': data offsets [0, 12] hold 12 bytes, but I8 [3] needs 3");
  expect_refused(with_a(R"({"dtype":"F32","shape":[],"data_offsets":[0,12]})"), "but F32 [] needs 4");
  expect_refused(with_a(R"({"dtype":"F32","shape":[0],"data_offsets":[0,12]})"), "but F32 [0] needs 0");
  expect_refused(with_a(R"({"dtype":"F32","shape":[3],"data_offsets":[12,0]})"),
                 "tensor 'a': data offsets [12, 0] run backwards");
  expect_refused(with_a(kGoodEntry, 11), "tensor 'a': data offsets [0, 12] end after the file's 11 bytes of data");
}

TEST(SafetensorsReader, RefusesHolesAndOverlaps) {
  const auto two = [](const std::string& a, const std::string& b, size_t bytes) {
    return file_of(R"({"a":{"dtype":"I8","shape":[4],"data_offsets":)" + a +
                       R"(},"b":{"dtype":"I8","shape":[4],"data_offsets":)" + b + "}}",
                   std::string(bytes, 'd'));
  };
  EXPECT_EQ(parse(two("[4,8]", "[0,4]", 8)).tensors[0].name, "b");
  expect_refused(two("[0,4]", "[5,9]", 9), "tensor 'b': data begins at offset 5, leaving a hole after");
  expect_refused(two("[0,4]", "[3,7]", 8), "tensor 'b': data begins at offset 3, overlapping");
  expect_refused(two("[0,4]", "[0,4]", 4), "tensor 'b': data begins at offset 0, overlapping");
  expect_refused(two("[1,5]", "[5,9]", 9), "tensor 'a': data begins at offset 1, leaving a hole after");
  expect_refused(file_of(R"({"a":{"dtype":"I8","shape":[4],"data_offsets":[0,4]},)"
                         R"("empty":{"dtype":"I8","shape":[0],"data_offsets":[2,2]}})",
                         "1234"),
                 "tensor 'empty': data begins at offset 2, overlapping");
}

TEST(SafetensorsReader, RefusesMetadataThatIsNotText) {
  for (const char* value : {"1", "null", "true", "{}", "[]"}) {
    expect_refused(file_of(std::string(R"({"__metadata__":{"k":)") + value + "}}", ""),
                   "__metadata__: 'k' must not hold");
  }
  for (const char* value : {"1", "\"text\"", "[]", "null"}) {
    expect_refused(file_of(std::string(R"({"__metadata__":)") + value + "}", ""), "'__metadata__' must not hold");
  }
}

TEST(SafetensorsReader, RefusesTooMuchMetadata) {
  std::string header = "{\"__metadata__\":{\"k\":\"\"";
  for (int i = 0; i < 65536; ++i) header += ",\"" + std::to_string(i) + "\":\"\"";
  expect_refused(file_of(header + "}}", ""), "__metadata__: more than 65536 entries");
}

TEST(SafetensorsReader, RefusesTooManyTensors) {
  std::string header = "{";
  for (int i = 0; i <= 65536; ++i) {
    header +=
        (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}";
  }
  expect_refused(file_of(header + "}", ""), "header: more than 65536 tensors");
}

TEST(SafetensorsReader, ShowsOddNamesSafely) {
  expect_refused(file_of(R"({"a\u0000b\n":{}})", ""), "tensor 'a\\x00b\\x0a': has no 'dtype'");
  expect_refused(file_of("{\"" + std::string(5000, 'n') + "\":{}}", ""), "nnn...': has no 'dtype'");
}

}  // namespace
}  // namespace lffn
