// SPDX-License-Identifier: Apache-2.0
// What the readers take and what they refuse, and with which words.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tokenizer/small.h"

namespace lffn {
namespace {

std::string failure(const std::string& vocab, const std::string& merges) {
  try {
    from_vocab_merges(vocab, merges);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), LFFN_ERROR_BAD_MODEL);
    return error.what();
  }
}

std::string json_failure(const std::string& text) {
  try {
    Tokenizer::from_tokenizer_json(text);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), LFFN_ERROR_BAD_MODEL);
    return error.what();
  }
}

const std::string kTokens = R"("<s>": 0, "</s>": 2, "<unk>": 3)";

TEST(Load, KnowsItsIds) {
  const auto tokenizer = small_tokenizer();
  EXPECT_EQ(tokenizer->size(), 11);
  EXPECT_EQ(tokenizer->bos_id(), 0);
  EXPECT_EQ(tokenizer->pad_id(), 1);
  EXPECT_EQ(tokenizer->eos_id(), 2);
  EXPECT_EQ(tokenizer->unk_id(), 3);
  EXPECT_EQ(tokenizer->mask_id(), 4);
  const auto smaller = from_vocab_merges("{" + kTokens + "}", "");
  EXPECT_EQ(smaller->pad_id(), -1);
  EXPECT_EQ(smaller->mask_id(), -1);
  EXPECT_EQ(encode(*smaller, " <mask>").size(), 7u);
}

TEST(Load, RefusesBadVocabularies) {
  EXPECT_EQ(failure("", ""), "vocab.json: byte 0 is not valid JSON: it is empty");
  EXPECT_EQ(failure("[]", ""), "vocab.json: must be one JSON object of tokens and their ids");
  EXPECT_EQ(failure("5", ""), "vocab.json: must be one JSON object of tokens and their ids");
  EXPECT_EQ(failure(R"({"a": {}})", ""), "vocab.json: must be one JSON object of tokens and their ids");
  EXPECT_EQ(failure(R"({"a": []})", ""), "vocab.json: must be one JSON object of tokens and their ids");
  for (const char* id : {"-1", "1.0", "\"1\"", "4194304", "99999999999999999999", "null", "true"}) {
    EXPECT_EQ(failure("{" + kTokens + ", \"a\": " + id + "}", ""),
              "vocab.json: the id of 'a' must be a whole number from 0 to 4194303");
  }
  EXPECT_EQ(failure("{" + kTokens + R"(, "a": 4, "a": 5})", ""), "vocab.json: duplicate key 'a'");
  EXPECT_EQ(failure("{" + kTokens + R"(, "a": 7, "b": 7})", ""),
            "vocab.json and merges.txt: the id 7 is given to 'a' and to 'b'");
  EXPECT_EQ(failure(R"({"<s>": 0, "<unk>": 1})", ""),
            "vocab.json and merges.txt: the token '</s>' is missing, the sep_token of RoBERTa, whose files these are");
  EXPECT_EQ(failure(R"({"</s>": 0, "<unk>": 1})", ""),
            "vocab.json and merges.txt: the token '<s>' is missing, the cls_token of RoBERTa, whose files these are");
  EXPECT_EQ(failure(R"({"<s>": 0, "</s>": 1})", ""), "vocab.json and merges.txt: the token '<unk>' is missing");
  EXPECT_EQ(failure("{\"\x80\": 0}", ""), "vocab.json: byte 2 is not valid UTF-8");
  EXPECT_EQ(failure(std::string((64u << 20) + 1, ' '), ""),
            "vocab.json: 67108865 bytes, more than the 67108864 allowed");
}

TEST(Load, RefusesBadMerges) {
  const std::string vocab = "{" + kTokens + "}";
  EXPECT_EQ(failure(vocab, "#version: 0.2\r\na b\r\n"), "");
  EXPECT_EQ(failure(vocab, "a b"), "");
  EXPECT_EQ(failure(vocab, "# a\n"), "");  // only #version begins a header
  EXPECT_EQ(failure(vocab, "a b\n#version: 0.2\n"), "");
  EXPECT_EQ(failure(vocab, "a b\n\nc d\n"), "merges.txt: line 2: '' is not two symbols with a space between them");
  EXPECT_EQ(failure(vocab, "a b\nc\n"), "merges.txt: line 2: 'c' is not two symbols with a space between them");
  EXPECT_EQ(failure(vocab, "a b c\n"), "merges.txt: line 1: 'a b c' is not two symbols with a space between them");
  EXPECT_EQ(failure(vocab, " b\n"), "vocab.json and merges.txt: the merge of '' and 'b' is of an empty text");
  EXPECT_EQ(failure(vocab, "a b\nb c\na b\n"), "vocab.json and merges.txt: the merge of 'a' and 'b' is there twice");
  EXPECT_EQ(failure(vocab, "a \u65e5\n"),
            "vocab.json and merges.txt: the merge of 'a' and '\u65e5' is not of the byte alphabet");
  EXPECT_EQ(failure(vocab, "a \xff\n"), "merges.txt: byte 2 is not valid UTF-8");
}

// A tokenizer.json like small_tokenizer, with one part replaced.
std::string json(const std::string& part = "", const std::string& other = "") {
  std::string text =
      R"({"version": "1.0", "truncation": null, "padding": {"strategy": "BatchLongest"}, "added_tokens": [)"
      R"({"id": 0, "content": "<s>", "single_word": false, "lstrip": false, "rstrip": false, "special": true},)"
      R"({"id": 2, "content": "</s>", "special": true}, {"id": 3, "content": "<unk>", "special": true},)"
      R"({"id": 4, "content": "<mask>", "lstrip": true, "special": true},)"
      R"({"id": 9, "content": "R\u00f6h", "rstrip": true, "special": false}],)"
      R"("normalizer": null, "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},)"
      R"("post_processor": {"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 0]},)"
      R"("decoder": {"type": "ByteLevel"}, "model": {"type": "BPE", "dropout": null, "unk_token": null,)"
      R"("vocab": {"<s>": 0, "</s>": 2, "<unk>": 3, "a": 5, "b": 6, "ab": 7, "aab": 8},)"
      R"("merges": ["a b", ["a", "ab"]]}})";
  if (!part.empty()) {
    const size_t at = text.find(part);
    EXPECT_NE(at, std::string::npos) << part;
    text.replace(at, part.size(), other);
  }
  return text;
}

TEST(LoadJson, TakesBothFormsOfMerges) {
  const auto tokenizer = Tokenizer::from_tokenizer_json(json());
  EXPECT_EQ(tokenizer->size(), 10);
  EXPECT_EQ(tokenizer->mask_id(), 4);
  EXPECT_EQ(encode(*tokenizer, "aabab <mask>b"), (Ids{8, 7, 4, 6}));
}

TEST(Load, HeedsTheCallersFlag) {
  const std::string vocab = R"({"<s>": 0, "</s>": 2, "<unk>": 3, "a": 5, "b": 6, "ab": 7})", merges = "a b\n";
  const std::string words = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n", whole = json();
  std::vector<TokenizerFiles> all(3);
  all[0].tokenizer_json = whole;
  all[1].vocab_json = vocab;
  all[1].merges_txt = merges;
  all[2].vocab_txt = words;
  for (TokenizerFiles& files : all) {
    int32_t flag = 0;
    files.cancel = &flag;
    EXPECT_NE(Tokenizer::from_files(files), nullptr);
    flag = 1;
    try {
      Tokenizer::from_files(files);
      ADD_FAILURE() << "went on";
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), LFFN_ERROR_CANCELLED);
    }
  }
}

TEST(LoadJson, TakesAddedTokens) {
  const auto tokenizer = Tokenizer::from_tokenizer_json(json());
  EXPECT_EQ(encode(*tokenizer, "aR\u00f6h \nb"), (Ids{5, 9, 6}));
  EXPECT_EQ(tokenizer->decode(Ids{0, 5, 9, 6}.data(), 4, true), "aR\ufffdhb");  // not special, read as bytes like all
  EXPECT_EQ(encode(*Tokenizer::from_tokenizer_json(tokenizer->to_json()), "aR\u00f6h \nb"), (Ids{5, 9, 6}));
}

TEST(LoadJson, TakesATemplate) {
  const std::string roberta = R"({"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 0]})";
  const std::string start =
      R"({"type": "TemplateProcessing", "pair": [{"Sequence": {"id": "B", "type_id": 3}},)"
      R"({"Sequence": {"id": "A", "type_id": 0}}], "special_tokens": {"<s>": {"ids": [0]}, "</s>": {"ids": [2, 3]}},)"
      R"("single": [{"SpecialToken": {"id": "<s>", "type_id": 1}}, {"Sequence": {"id": "A", "type_id": 2}})";
  const auto tokenizer =
      Tokenizer::from_tokenizer_json(json(roberta, start + R"(, {"SpecialToken": {"id": "</s>", "type_id": 0}}]})"));
  const Encoding found = encoded(*tokenizer, "ab", {true});
  EXPECT_EQ(found.ids, (Ids{0, 7, 2, 3}));
  EXPECT_EQ(found.types, (Ids{1, 2, 0, 0}));
  Encoding pair;
  Tokenizer::Scratch scratch;
  const std::string_view second = "b";
  tokenizer->encode("ab", &second, {true}, scratch, pair);
  EXPECT_EQ(pair.ids, (Ids{6, 7}));
  EXPECT_EQ(pair.types, (Ids{3, 0}));
  EXPECT_EQ(json_failure(json(roberta, start + R"(,{"SpecialToken": {"id": "</t>", "type_id": 0}}]})")),
            "tokenizer.json: '/post_processor/single/2/SpecialToken/id' must be one of the special tokens");
  EXPECT_EQ(json_failure(json(roberta, start + R"(, {"Sequence": {"id": "B", "type_id": 0}}]})")),
            "tokenizer.json: '/post_processor/single' must be a template with one A and no B");
  EXPECT_EQ(json_failure(json(roberta, "null")), "");
}

struct Refusal {
  const char* part;
  const char* other;
  const char* message;
};

TEST(LoadJson, RefusesWhatItDoesNotKnow) {
  const Refusal refusals[] = {
      {R"("type": "BPE")", R"("type": "WordLevel")", "'/model/type' must be \"WordPiece\", \"BPE\" or \"Unigram\""},
      {R"("type": "BPE")", R"("type": "Unigram")", "'/model/unk_id' must be a whole number from 0 to 4194303"},
      {R"("dropout": null)", R"("dropout": 0.1)", "'/model/dropout' must be null; nothing else is known here"},
      {R"("unk_token": null)", R"("unk_token": "?")", "the token '?' is missing"},
      {R"("dropout": null)", R"("continuing_subword_prefix": "##")",
       "'/model/continuing_subword_prefix' must be null; nothing else is known here"},
      {R"("dropout": null)", R"("end_of_word_suffix": "</w>", "byte_fallback": true)",
       "'/model/end_of_word_suffix' must be null where there is byte_fallback"},
      {R"("dropout": null)", R"("ignore_merges": "x")", "'/model/ignore_merges' must be true or false"},
      {R"("dropout": null)", R"("fuse_unk": 1)", "'/model/fuse_unk' must be true or false"},
      {R"("normalizer": null)", R"("normalizer": {"type": "Odd"})",
       "'/normalizer/type' must be \"Precompiled\", \"NFC\", \"NFD\", \"NFKC\", \"NFKD\", \"Replace\", \"Prepend\", "
       "\"Strip\", \"StripAccents\", \"Lowercase\", \"Nmt\" or \"Sequence\""},
      {R"("type": "ByteLevel", "add_prefix_space": false)", R"("type": "UnicodeScripts")",
       "'/pre_tokenizer/type' must be \"ByteLevel\", \"Split\", \"Metaspace\", \"WhitespaceSplit\", \"Whitespace\", "
       "\"Punctuation\", \"Digits\", \"CharDelimiterSplit\", \"BertPreTokenizer\" or \"Sequence\""},
      {R"("type": "ByteLevel", "add_prefix_space": false)",
       R"x("type": "Split", "pattern": {"Regex": "a(?<!b)"}, "behavior": "Isolated", "invert": false)x",
       "'/pre_tokenizer/pattern/Regex' must be one of the expressions that are known here"},
      {R"("type": "ByteLevel", "add_prefix_space": false)",
       R"("type": "Split", "pattern": {"String": "a"}, "behavior": "Merged", "invert": false)",
       "'/pre_tokenizer/behavior' must be \"Isolated\", \"Removed\", \"Contiguous\", \"MergedWithPrevious\" or "
       "\"MergedWithNext\""},
      {R"("RobertaProcessing")", R"("Bert")",
       "'/post_processor/type' must be \"TemplateProcessing\", \"BertProcessing\", \"RobertaProcessing\", "
       "\"ByteLevel\" or \"Sequence\""},
      {R"({"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 0]})",
       R"({"type": "Sequence", "processors": [{"type": "ByteLevel"}, {"type": "ByteLevel"}]})",
       "'/post_processor/processors/1' must be the only one of its kind"},
      {R"(["</s>", 2])", R"(["</s>", 1])", "the id 1 of the template belongs to no token"},
      {R"("type": "ByteLevel"}, "model")", R"("type": "CTC"}, "model")",
       "'/decoder/type' must be \"WordPiece\", \"ByteLevel\", \"Metaspace\", \"BPEDecoder\", \"ByteFallback\", "
       "\"Fuse\", \"Strip\", \"Replace\" or \"Sequence\""},
      {R"("content": "<s>")", R"("content": "")", "'/added_tokens/0/content' must be a text that is not empty"},
      {R"({"id": 4)", R"({"id": 4.5)", "'/added_tokens/3/id' must be a whole number from 0 to 4194303"},
      {R"({"id": 4)", R"({"id": 5)", "the id 5 of the token '<mask>' belongs to another token"},
      {R"({"id": 9)", R"({"id": 4)", "the id 4 of the token 'R\u00f6h' belongs to another token"},
      {R"("<unk>", "special")", R"("<none>", "special")", "the id 3 of the token '<none>' belongs to another token"},
      {R"("a b", )", R"("ab", )", "'ab' is not two symbols with a space between them"},
      {R"("a b", )", "5, ", "'/model/merges' must be an array of pairs of texts"},
      {R"("a b", )", "{}, ", "'/model/merges' must be an array of pairs of texts"},
      {R"(["a", "ab"])", R"(["a"])", "'/model/merges' must be an array of pairs of texts"},
      {R"(["a", "ab"])", R"(["a", ["b"]])", "'/model/merges' must be an array of pairs of texts"},
      {R"(["a", "ab"])", R"(["a", 1])", "'/model/merges' must be an array of pairs of texts"},
      {R"("a": 5)", R"("a": "5")", "the id of 'a' must be a whole number from 0 to 4194303"},
      {R"("merges")", R"("merge")", "'/model/merges' is missing"},
      {R"(["a b", ["a", "ab"]])", R"("a b")", "'/model/merges' must be an array of pairs of texts"},
      {R"(["a b", ["a", "ab"]])", R"({"x": "a b"})", "'/model/merges' must be an array of pairs of texts"},
      {R"("a": 5)", R"("a": {})", "'/model/vocab' must be an object of tokens and their ids"},
      {R"("a": 5)", R"("a": [5])", "'/model/vocab' must be an object of tokens and their ids"},
      {R"("type": "BPE")", R"("type": 5)", "'/model/type' must be a text"},
      {R"("unk_token": null)", R"("unk_token": 3)", "'/model/unk_token' must be a text"},
      {R"("content": "<s>")", R"("content": ["<s>"])", "'/added_tokens/0/content' must be a text"},
  };
  EXPECT_EQ(json_failure(json()), "");
  for (const Refusal& refusal : refusals) {
    EXPECT_EQ(json_failure(json(refusal.part, refusal.other)), std::string("tokenizer.json: ") + refusal.message)
        << refusal.other;
  }
  EXPECT_EQ(json_failure("5"), "tokenizer.json: '/model/vocab' is missing");
  EXPECT_EQ(json_failure("[]"), "tokenizer.json: '/model/vocab' is missing");
  for (const char* vocab : {"[]", "5", R"([["a", 1]])"}) {
    EXPECT_EQ(json_failure(R"({"model": {"type": "WordPiece", "vocab": )" + std::string(vocab) + "}}"),
              "tokenizer.json: '/model/vocab' must be an object of tokens and their ids");
  }
  EXPECT_EQ(json_failure(R"({"model": {"type": "Unigram", "vocab": [["a", 0.5]]}})"),
            "tokenizer.json: '/model/unk_id' must be a whole number from 0 to 4194303");
  for (const char* vocab : {R"(["a"])", R"([["a"]])", R"([[1, "a"]])", R"([["a", 1, 2]])", R"([["a", "b"]])",
                            R"([["a", [1]]])", R"([{"a": 1}])", R"([["a", 1], 5])"}) {
    EXPECT_EQ(json_failure(R"({"model": {"type": "Unigram", "unk_id": 0, "vocab": )" + std::string(vocab) + "}}"),
              "tokenizer.json: '/model/vocab' must be an array of pairs of pieces and their scores")
        << vocab;
  }
  EXPECT_EQ(json_failure(R"({"model": {"type": "WordPiece", "continuing_subword_prefix": 3, "vocab": {"[UNK]": 0}}})"),
            "tokenizer.json: '/model/continuing_subword_prefix' must be a text");
}

TEST(LoadJson, TakesATokenTwice) {
  const std::string again = R"({"id": 4, "content": "<mask>", "in_plain_text": false, "in_normalized_text": false})";
  const auto tokenizer = Tokenizer::from_tokenizer_json(json(R"("special": false})", R"("special": false}, )" + again));
  EXPECT_EQ(encode(*tokenizer, "aR\u00f6hb"), (Ids{5, 9, 6}));  // the token before is as it was
  EXPECT_EQ(encode(*tokenizer, "a<mask>b"), (Ids{5, 5, 6}));
}

TEST(LoadJson, BoundsWhatItKeeps) {
  std::string tokens, values;
  for (int i = 0; i < 65536; ++i) {
    tokens += R"({"content": "t)" + std::to_string(i) + R"(", "id": )" + std::to_string(100 + i) + "},";
  }
  for (int i = 0; i < 1 << 20; ++i) values += "0,";
  EXPECT_EQ(json_failure(json(R"({"id": 9)", tokens + R"({"id": 9)")), "tokenizer.json: more than 65536 added tokens");
  EXPECT_EQ(json_failure(json(R"("version")", R"("list": [)" + values + R"(0], "version")")),
            "tokenizer.json: more than 1048576 values besides vocabulary and merges");
  // Each value is kept under its whole path.
  std::string few = "0";
  for (int i = 0; i < 100; ++i) few += ",0";
  EXPECT_EQ(json_failure(json(R"("version")", '"' + std::string(1 << 20, 'k') + "\": [" + few + R"(], "version")")),
            "tokenizer.json: the names of the values besides vocabulary and merges have more than 67108864 bytes");
  const std::string longest(4096, 'x');
  EXPECT_EQ(json_failure(json(R"("content": "R\u00f6h")", R"("content": ")" + longest + '"')), "");
  EXPECT_EQ(json_failure(json(R"("content": "R\u00f6h")", R"("content": ")" + longest + "x\"")),
            "tokenizer.json: the token '" + longest.substr(0, 80) + "...' has 4097 bytes, more than the 4096 allowed");
}

TEST(LoadJson, BoundsTheTemplate) {
  std::string ids = "0", parts;
  for (int i = 0; i < 90; ++i) ids += ", 0";
  for (int i = 0; i < 45; ++i) parts += R"({"SpecialToken": {"id": "<s>", "type_id": 0}}, )";
  const auto with = [&](const std::string& more) {
    return json(R"({"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 0]})",
                R"({"type": "TemplateProcessing", "special_tokens": {"<s>": {"ids": [)" + ids +
                    R"(]}, "</s>": {"ids": [2]}}, "pair": [{"Sequence": {"id": "A", "type_id": 0}}, )"
                    R"({"Sequence": {"id": "B", "type_id": 1}}], "single": [)" +
                    parts + more + R"({"Sequence": {"id": "A", "type_id": 0}}]})");
  };
  EXPECT_EQ(json_failure(with("")), "");  // 45 times 91 tokens, and the text
  EXPECT_EQ(json_failure(with(R"({"SpecialToken": {"id": "</s>", "type_id": 0}}, )")),
            "tokenizer.json: '/post_processor/single' must be a template of at most 4096 tokens");
}

}  // namespace
}  // namespace lffn
