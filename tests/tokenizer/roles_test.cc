// SPDX-License-Identifier: Apache-2.0
// Which tokens are special: what the files say, and what the class that they name has where they say nothing. A usual
// name alone makes no token special.
#include <optional>

#include "tests/tokenizer/small.h"

namespace lffn {
namespace {

using Text = std::optional<std::string>;

// Byte-level BPE with the usual names among its ordinary tokens, as Qwen has them.
const std::string kOrdinary =
    R"("vocab": {"a": 0, "b": 1, "c": 2, "<": 3, ">": 4, "/": 5, "s": 6, "<s>": 7, "</s>": 8, "<unk>": 9,
    "<mask>": 10, "<end>": 11, "Ġ": 12, "[MASK]": 13, "m": 14, "k": 15}, "merges": []}})";
enum : int32_t { kA, kB, kC, kLess, kMore, kSlash, kS, kBos, kEos, kUnk, kMask, kEnd, kBlank, kBertMask };
const Ids kStruck = {kA, kLess, kSlash, kS, kMore, kB, kLess, kS, kMore, kC};
const std::string kTags = "a</s>b<s>c";

std::string byte_level(const std::string& added = "[]") {
  return R"({"added_tokens": )" + added +
         R"(, "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false}, "model": {"type": "BPE", )" +
         kOrdinary;
}

std::unique_ptr<const Tokenizer> with(const std::string& json, const Text& tokenizer_config = {},
                                      const Text& config = {}, const Text& map = {}) {
  TokenizerFiles files;
  files.tokenizer_json = json;
  files.tokenizer_config = tokenizer_config;
  files.config = config;
  files.special_tokens_map = map;
  return Tokenizer::from_files(files);
}

TEST(Roles, AreNotGivenByNamesInTheVocabulary) {
  for (const Text& config : {Text(), Text("{}"), Text(R"({"tokenizer_class": "PreTrainedTokenizerFast"})"),
                             Text(R"({"tokenizer_class": "TokenizersBackend", "unk_token": null})"),
                             Text(R"({"tokenizer_class": "OwnTokenizer"})"),
                             Text(R"({"tokenizer_class": "Qwen2Tokenizer", "bos_token": null, "unk_token": null})"),
                             Text(R"({"tokenizer_class": "LlamaTokenizerFast", "bos_token": "<end>",
                                      "eos_token": "<end>", "unk_token": null})")}) {
    const auto tokenizer = with(byte_level(), config);
    EXPECT_EQ(encode(*tokenizer, kTags), kStruck) << config.value_or("none");
    EXPECT_EQ(tokenizer->unk_id(), -1);
    EXPECT_EQ(tokenizer->mask_id(), -1);
    EXPECT_EQ(tokenizer->pad_id(), -1);
    EXPECT_EQ(tokenizer->cls_id(), -1);
    const auto again = Tokenizer::from_tokenizer_json(tokenizer->to_json());
    EXPECT_EQ(encode(*again, kTags), kStruck) << config.value_or("none");
    EXPECT_EQ(again->unk_id(), -1);
    EXPECT_EQ(again->bos_id(), tokenizer->bos_id());
  }
}

TEST(Roles, AreThoseOfTheClassWhereNoFileSpeaksOfThem) {
  const Ids cut = {kA, kEos, kB, kBos, kC};
  const std::string roberta = R"({"model_type": "roberta"})", own = R"({"model_type": "own"})";
  const std::string by_class = R"({"tokenizer_class": "RobertaTokenizer"})";
  EXPECT_EQ(encode(*with(byte_level(), by_class), kTags), cut);
  EXPECT_EQ(encode(*with(byte_level(), R"({"tokenizer_class": "BartTokenizerFast"})"), kTags), cut);
  EXPECT_EQ(encode(*with(byte_level(), R"({"tokenizer_class": "LlamaTokenizer"})"), kTags), cut);
  EXPECT_EQ(encode(*with(byte_level(), "{}", roberta), kTags), cut);
  EXPECT_EQ(encode(*with(byte_level(), {}, roberta), kTags), cut);
  EXPECT_EQ(encode(*with(byte_level(), {}, R"({"tokenizer_class": "RobertaTokenizer", "model_type": "own"})"), kTags),
            cut);
  EXPECT_EQ(encode(*with(byte_level(), {}, own), kTags), kStruck);
  // The class counts before the model.
  EXPECT_EQ(encode(*with(byte_level(), R"({"tokenizer_class": "PreTrainedTokenizerFast"})", roberta), kTags), kStruck);
  const auto tokenizer = with(byte_level(), by_class);
  EXPECT_EQ(tokenizer->bos_id(), kBos);
  EXPECT_EQ(tokenizer->eos_id(), kEos);
  EXPECT_EQ(tokenizer->unk_id(), kUnk);
  EXPECT_EQ(tokenizer->mask_id(), kMask);
  EXPECT_EQ(encode(*tokenizer, "a <mask>"), (Ids{kA, kMask}));  // this class's mask takes the blank before it
  EXPECT_EQ(encode(*Tokenizer::from_tokenizer_json(tokenizer->to_json()), kTags), cut);
}

TEST(Roles, AreWhatTheFilesSayBeforeTheClass) {
  const auto ids = [](const std::string& text, const std::string& roles, const Text& map = {}) {
    return encode(*with(byte_level(), R"({"tokenizer_class": "RobertaTokenizer", )" + roles + "}", {}, map), text);
  };
  // null: there is none, though the class has one.
  const Ids no_eos = {kA, kLess, kSlash, kS, kMore, kB, kBos, kC};
  EXPECT_EQ(ids(kTags, R"("sep_token": null, "eos_token": null)"), no_eos);
  EXPECT_EQ(ids(kTags, R"("sep_token": "<end>", "eos_token": "<end>")"), no_eos);
  EXPECT_EQ(ids(kTags, R"("sep_token": "</s>")", R"({"sep_token": null, "eos_token": null})"), no_eos);
  EXPECT_EQ(ids("a<end>", R"("eos_token": "<end>")"), (Ids{kA, kEnd}));
  EXPECT_EQ(ids("a<end>", R"("eos_token": "</s>")"), (Ids{kA, kLess, kMore}));
}

TEST(Roles, HaveTheirFlagsAndOthersBesideThem) {
  const auto ids = [](const std::string& text, const std::string& config) {
    return encode(*with(byte_level(), "{" + config + "}"), text);
  };
  EXPECT_EQ(ids("a <mask> b", R"("mask_token": "<mask>")"), (Ids{kA, kBlank, kMask, kBlank, kB}));
  EXPECT_EQ(ids("a <mask> b", R"("mask_token": {"content": "<mask>", "lstrip": true})"), (Ids{kA, kMask, kBlank, kB}));
  EXPECT_EQ(ids("a <mask> b", R"("mask_token": {"content": "<mask>", "rstrip": true})"), (Ids{kA, kBlank, kMask, kB}));
  EXPECT_EQ(ids("a<end>", R"("additional_special_tokens": ["<end>", "<none>"])"), (Ids{kA, kEnd}));
  EXPECT_EQ(ids("a<end>", R"("extra_special_tokens": {"end_token": "<end>"})"), (Ids{kA, kEnd}));
}

TEST(Roles, AreRecognisedAmongSpecialTokensAlone) {
  const auto mask = [](const std::string& token, const std::string& special) {
    return with(byte_level(R"([{"id": )" + token + R"(, "special": )" + special + "}]"))->mask_id();
  };
  EXPECT_EQ(mask(R"(10, "content": "<mask>")", "true"), kMask);
  EXPECT_EQ(mask(R"(13, "content": "[MASK]")", "true"), kBertMask);
  EXPECT_EQ(mask(R"(10, "content": "<mask>")", "false"), -1);
}

TEST(Roles, AreNotGuessedForWordPieceEither) {
  const std::string json =
      R"({"pre_tokenizer": {"type": "BertPreTokenizer"}, "model": {"type": "WordPiece", "unk_token": "[UNK]",
          "vocab": {"[UNK]": 0, "[MASK]": 1, "[": 2, "]": 3, "MASK": 4}}})";
  const auto ids = [&](const Text& config) { return encode(*with(json, config), "[MASK]"); };
  EXPECT_EQ(ids(R"({"tokenizer_class": "PreTrainedTokenizerFast"})"), (Ids{2, 4, 3}));
  EXPECT_EQ(ids({}), (Ids{2, 4, 3}));
  EXPECT_EQ(ids(R"({"tokenizer_class": "BertTokenizerFast"})"), (Ids{1}));
  EXPECT_EQ(ids(R"({"tokenizer_class": "BertTokenizerFast", "mask_token": null})"), (Ids{2, 4, 3}));
}

TEST(Roles, AreThoseOfTheFileOnlyForClassesThatReadIt) {
  const std::string vocab = "{\"<s>\": 0, \"</s>\": 1, \"<unk>\": 2, \"a\": 3}";
  const auto load = [&](const std::string& config) {
    TokenizerFiles files;
    files.vocab_json = vocab;
    files.merges_txt = "";
    files.tokenizer_config = config;
    return Tokenizer::from_files(files);
  };
  EXPECT_EQ(encode(*load("{}"), "a<s>", {true}), (Ids{0, 3, 0, 1}));
  EXPECT_EQ(encode(*load(R"({"tokenizer_class": "RobertaTokenizer"})"), "a", {true}), (Ids{0, 3, 1}));
  try {
    load(R"({"tokenizer_class": "Qwen2Tokenizer"})");
    FAIL() << "its files are others'";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "vocab.json and merges.txt: the class 'Qwen2Tokenizer' of tokenizer_config.json is not one that "
                 "these files suffice for; save its tokenizer.json, as "
                 "AutoTokenizer.from_pretrained(...).save_pretrained(...) does");
  }
  try {
    load(R"({"tokenizer_class": "RobertaTokenizer", "cls_token": "[CLS]"})");
    FAIL() << "there is no such token";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "vocab.json and merges.txt: the token '[CLS]' is missing, the cls_token of the class "
                 "RobertaTokenizer in tokenizer_config.json");
  }
}

}  // namespace
}  // namespace lffn
