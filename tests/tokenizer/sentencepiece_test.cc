// SPDX-License-Identifier: Apache-2.0
// Files of SentencePiece itself, as transformers converts them.
#include <cmath>
#include <cstring>

#include "tests/tokenizer/small.h"

namespace lffn {
namespace {

// A message of protocol buffers.
std::string field(int number, const std::string& bytes) {
  std::string result(1, static_cast<char>(number << 3 | 2));
  for (size_t size = bytes.size(); size > 0 || result.size() == 1; size >>= 7) {
    result += static_cast<char>((size & 127) | (size > 127 ? 128 : 0));
  }
  return result + bytes;
}
std::string whole(int number, int value) {  // below 128
  std::string result;
  const int key = number << 3;
  if (key > 127) result += static_cast<char>((key & 127) | 128);
  result += static_cast<char>(key > 127 ? key >> 7 : key);
  return result + static_cast<char>(value);
}
std::string piece(const std::string& text, float score, int type) {
  std::string bits(4, '\0');
  std::memcpy(bits.data(), &score, 4);
  return field(1, field(1, text) + "\x15" + bits + whole(3, type));
}

std::string small_model(const std::vector<std::string>& first) {
  std::string model;
  for (const std::string& text : first) model += piece(text, 0, text.find("unk") == 1 || text == "[UNK]" ? 2 : 3);
  for (const char* text : {"\u2581", "a", "b", "1,"}) model += piece(text, -2, 1);
  return model + piece("<user>", 0, 4);
}

std::unique_ptr<const Tokenizer> from_model(const std::string& name, const std::string& model,
                                            const std::string& config = "{}", const std::string& type = "{}") {
  TokenizerFiles files;
  files.sentencepiece = model;
  files.sentencepiece_name = name;
  files.tokenizer_config = config;
  files.config = type;
  auto tokenizer = Tokenizer::from_files(files);
  EXPECT_EQ(Tokenizer::from_tokenizer_json(tokenizer->to_json())->to_json(), tokenizer->to_json());
  return tokenizer;
}

TEST(SentencePiece, BecomesWhatItsFamilyHas) {
  const std::string roberta = small_model({"<unk>", "<s>", "</s>"});
  const auto xlmr = from_model("sentencepiece.bpe.model", roberta);
  EXPECT_EQ(encode(*xlmr, "a  b <mask>x<user>", {true}), (Ids{0, 4, 5, 4, 6, 9, 4, 3, 8, 2}));
  EXPECT_EQ(xlmr->pad_id(), 1);
  EXPECT_EQ(xlmr->num_special(true), 4u);
  const auto camembert = from_model("sentencepiece.bpe.model", roberta, R"({"tokenizer_class": "CamembertTokenizer"})");
  EXPECT_EQ(encode(*camembert, "a", {true}), (Ids{5, 7, 8, 6}));
  EXPECT_EQ(camembert->mask_id(), 12);
  const std::string deberta = small_model({"[PAD]", "[CLS]", "[SEP]", "[UNK]"}) + field(2, whole(40, 3));
  for (const char* name : {"spm.model", "tokenizer.model"}) {
    const auto tokenizer = from_model(name, deberta);
    EXPECT_EQ(encode(*tokenizer, " a  [MASK] b? ", {true}), (Ids{1, 4, 5, 9, 4, 6, 3, 2}));
    EXPECT_EQ(tokenizer->mask_id(), 9);
  }
  const auto lowers = from_model("spm.model", deberta, R"({"do_lower_case": true, "split_by_punct": true})");
  EXPECT_EQ(encode(*lowers, "A?B"), (Ids{4, 5, 4, 3, 4, 6}));
  const std::string albert = small_model({"<pad>", "<unk>", "[CLS]", "[SEP]"}) + field(2, whole(40, 1));
  const auto tokenizer = from_model("spiece.model", albert, "{}", R"({"model_type": "albert"})");
  EXPECT_EQ(encode(*tokenizer, "\u00c1``B", {true}), (Ids{2, 4, 5, 1, 6, 3}));
  const auto t5 = from_model("spiece.model", small_model({"<pad>", "</s>", "<unk>"}) + field(2, whole(40, 2)), "{}",
                             R"({"model_type": "t5"})");
  EXPECT_EQ(encode(*t5, "a<extra_id_0>", {true}), (Ids{3, 4, 107, 1}));
}

TEST(SentencePiece, RefusesBadFiles) {
  const auto failure_of = [](const std::string& model) -> std::string {
    try {
      from_model("spm.model", model);
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), LFFN_ERROR_BAD_MODEL);
      return error.what();
    }
    return "";
  };
  const std::string good = small_model({"[PAD]", "[CLS]", "[SEP]", "[UNK]"});
  EXPECT_EQ(failure_of(good), "");
  EXPECT_EQ(failure_of(good + "\x0a\x05"),
            "spm.model: the message before byte " + std::to_string(good.size() + 2) + " ends too early");
  EXPECT_EQ(failure_of(good + field(2, whole(3, 2))), "spm.model: its model_type is 2; only 1, Unigram, is known here");
  EXPECT_EQ(failure_of(good + field(2, whole(40, 90))),
            "spm.model: the id 90 of the unknown piece is not one of its 9 pieces");
  EXPECT_NE(failure_of(good + piece("\xff", 0, 1)).find("has a piece that is not UTF-8"), std::string::npos);
  EXPECT_NE(failure_of(good + piece("a", 0, 9)).find("of a type that is not known"), std::string::npos);
  EXPECT_NE(failure_of(good + "\x0b").find("of a kind that is not known"), std::string::npos);
  EXPECT_NE(failure_of(good + piece("q", NAN, 1)).find("is not a finite number"), std::string::npos);
  for (size_t size = 0; size < good.size(); ++size) failure_of(good.substr(0, size));
}

}  // namespace
}  // namespace lffn
