// SPDX-License-Identifier: Apache-2.0
// WordPiece: the normaliser, words, added tokens, files that contradict each other, pairs, decoding.
#include <algorithm>

#include "tests/support/cpu_time.h"
#include "tests/tokenizer/small.h"

namespace lffn {
namespace {

// The ids are the line numbers, from 0.
constexpr char kVocab[] =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n##b\nab\n!\n\u00e9\ne\n\u6f22\ni\n##\u0307\n\u03c3\nA\n##a\n\u00c9\n";
enum : int32_t { kPad, kUnk, kCls, kSep, kMask, kA, kB, kInB, kAb, kBang, kEAcute, kE, kHan, kI, kDot, kSigma, kBigA };

std::unique_ptr<const Tokenizer> made(const std::string& config = "{}", const std::string& vocab = kVocab) {
  TokenizerFiles files;
  files.vocab_txt = vocab;
  files.tokenizer_config = config;
  return Tokenizer::from_files(files);
}

TEST(WordPiece, TakesTheLongestTokens) {
  const auto tokenizer = made();
  EXPECT_EQ(encode(*tokenizer, "ab abb b!a"), (Ids{kAb, kAb, kInB, kB, kBang, kA}));
  EXPECT_EQ(encode(*tokenizer, "abx ab"), (Ids{kUnk, kAb}));  // the whole word is unknown
  EXPECT_EQ(encode(*tokenizer, "ab", {true}), (Ids{kCls, kAb, kSep}));
  EXPECT_EQ(encode(*tokenizer, "a" + std::string(99, 'b')).size(), 99u);  // ab and 98 b
  EXPECT_EQ(encode(*tokenizer, "a" + std::string(100, 'b')), (Ids{kUnk}));
  EXPECT_EQ(encode(*tokenizer, ""), Ids());
  EXPECT_EQ(encode(*tokenizer, " \n"), Ids());
}

TEST(WordPiece, NormalisesAsBertDoes) {
  const auto tokenizer = made();
  EXPECT_EQ(encode(*tokenizer, "A\u00c9"), (Ids{kUnk}));
  EXPECT_EQ(encode(*tokenizer, "\u00c9 e\u0301 e\u0323\u0301"), (Ids{kE, kE, kE}));
  EXPECT_EQ(encode(*tokenizer, "a\u6f22b"), (Ids{kA, kHan, kB}));
  EXPECT_EQ(encode(*tokenizer, std::string("a\0\u200d\ufffd\ue000b\u3000a", 16)), (Ids{kAb, kA}));
  EXPECT_EQ(encode(*tokenizer, "\u0130"), (Ids{kI}));
  EXPECT_EQ(encode(*tokenizer, "\u03a3"), (Ids{kSigma}));
  EXPECT_EQ(spans(*tokenizer, "\u00c9 e\u0301b \u6f22!", {true}),
            (Spans{{0, 0}, {0, 2}, {3, 4}, {6, 7}, {8, 11}, {11, 12}, {0, 0}}));
}

TEST(WordPiece, HeedsTheConfig) {
  const std::string cased = R"("do_lower_case": false)";
  EXPECT_EQ(encode(*made("{" + cased + "}"), "A a \u00c9"), (Ids{kBigA, kA, 18}));
  EXPECT_EQ(encode(*made("{" + cased + R"(, "strip_accents": true})"), "\u00e9"), (Ids{kE}));
  EXPECT_EQ(encode(*made(R"({"strip_accents": false})"), "\u00c9"), (Ids{kEAcute}));
  // Lower-casing makes two characters of this one.
  EXPECT_EQ(encode(*made(R"({"strip_accents": false})"), "\u0130"), (Ids{kI, kDot}));
  EXPECT_EQ(encode(*made(R"({"tokenize_chinese_chars": false})"), "a\u6f22"), (Ids{kUnk}));
  const auto limited = made(R"({"model_max_length": 1000000000000000019884624838656})");
  EXPECT_EQ(limited->max_length(), 0u);
  EXPECT_EQ(made(R"({"model_max_length": 40})")->max_length(), 40u);
}

// As transformers cuts: what tokenizer.json was saved with is for those who use it alone.
TEST(WordPiece, IsAsLongAsTheConfigSaysElseAsTokenizerJsonIsCut) {
  const std::string json = made(R"({"model_max_length": 40})")->to_json();  // as its truncation
  const auto longest = [&](const std::string& config) {
    TokenizerFiles files;
    files.tokenizer_json = json;
    files.tokenizer_config = config;
    return Tokenizer::from_files(files)->max_length();
  };
  EXPECT_EQ(longest("{}"), 40u);
  EXPECT_EQ(longest(R"({"model_max_length": 512})"), 512u);
  EXPECT_EQ(longest(R"({"model_max_length": 24})"), 24u);
  EXPECT_EQ(longest(R"({"model_max_length": 1000000000000000019884624838656})"), 40u);
}

TEST(WordPiece, LetsTheConfigWinOverTokenizerJson) {
  const std::string json = made()->to_json(),
                    config = R"({"do_lower_case": false, "tokenizer_class": "BertTokenizer"})";
  const std::string plain = R"({"do_lower_case": false, "tokenizer_class": "PreTrainedTokenizerFast"})";
  TokenizerFiles files;
  files.tokenizer_json = json;
  EXPECT_EQ(encode(*Tokenizer::from_files(files), "A"), (Ids{kA}));
  files.tokenizer_config = config;
  EXPECT_EQ(encode(*Tokenizer::from_files(files), "A"), (Ids{kBigA}));
  files.tokenizer_config = plain;  // a class that has no such setting
  EXPECT_EQ(encode(*Tokenizer::from_files(files), "A"), (Ids{kA}));
}

// As in transformers the map is of an older day than added_tokens_decoder, and else wins over the config.
TEST(WordPiece, HeedsTheSpecialTokensMapOnlyWithoutAddedTokens) {
  const std::string map = R"({"pad_token": {"content": "b"}})";
  const auto pad = [&](const std::string& config) {
    TokenizerFiles files;
    files.vocab_txt = kVocab;
    files.special_tokens_map = map;
    if (!config.empty()) files.tokenizer_config = config;
    return Tokenizer::from_files(files)->pad_id();
  };
  EXPECT_EQ(pad(""), kB);
  EXPECT_EQ(pad("{}"), kB);
  EXPECT_EQ(pad(R"({"pad_token": "a"})"), kB);
  EXPECT_EQ(pad(R"({"pad_token": "a", "added_tokens_decoder": {}})"), kA);
  EXPECT_EQ(pad(R"({"added_tokens_decoder": {"5": {"content": "a"}}})"), kPad);
}

TEST(WordPiece, FindsAddedTokens) {
  const auto with = [](const std::string& flags) {
    return made(R"({"added_tokens_decoder": {"40": {"content": "Xy", )" + flags + "}}}");
  };
  EXPECT_EQ(encode(*with(R"("normalized": false)"), "aXyb Xy xy"), (Ids{kA, 40, kB, 40, kUnk}));
  EXPECT_EQ(encode(*with(R"("normalized": true)"), "aXYb xy"), (Ids{kA, 40, kB, 40}));
  EXPECT_EQ(encode(*with(R"("single_word": true)"), "aXy Xy, Xyb"), (Ids{kUnk, 40, kUnk, kUnk}));
  const auto strips = with(R"("lstrip": true, "rstrip": true, "normalized": false)");
  EXPECT_EQ(spans(*strips, "a  Xy\u3000b"), (Spans{{0, 1}, {1, 8}, {8, 9}}));
  EXPECT_EQ(strips->size(), 41);
  EXPECT_EQ(strips->id_of("Xy"), 40);
  EXPECT_EQ(*strips->token_of(40), "Xy");
  EXPECT_FALSE(strips->token_of(39).has_value());
  EXPECT_EQ(encode(*strips, "[MASK]a[mask]"), (Ids{kMask, kA, kUnk, kUnk, kUnk}));
}

TEST(WordPiece, CutsTheLongerTextFirst) {
  const auto tokenizer = made();
  const auto sizes = [&](size_t first, size_t second, size_t most) {
    std::string a, b;
    for (size_t i = 0; i < first; ++i) a += "a ";
    for (size_t i = 0; i < second; ++i) b += "b ";
    Tokenizer::Scratch scratch;
    Encoding found;
    const std::string_view pair = b;
    tokenizer->encode(a, &pair, {true, most}, scratch, found);
    EXPECT_EQ(found.num_tokens, first + second + 3);
    EXPECT_EQ(found.types.back(), 1);
    return std::make_pair(std::count(found.ids.begin(), found.ids.end(), kA),
                          std::count(found.ids.begin(), found.ids.end(), kB));
  };
  using Sizes = std::pair<ptrdiff_t, ptrdiff_t>;
  EXPECT_EQ(sizes(3, 4, 10), (Sizes{3, 4}));
  EXPECT_EQ(sizes(2, 9, 10), (Sizes{2, 5}));
  EXPECT_EQ(sizes(9, 2, 10), (Sizes{5, 2}));
  EXPECT_EQ(sizes(9, 8, 10), (Sizes{4, 3}));
  EXPECT_EQ(sizes(8, 9, 10), (Sizes{3, 4}));
  EXPECT_EQ(sizes(8, 8, 10), (Sizes{3, 4}));
  EXPECT_EQ(sizes(5, 5, 3), (Sizes{0, 0}));
  EXPECT_THROW(sizes(5, 5, 2), Error);
}

TEST(WordPiece, Decodes) {
  const auto tokenizer = made();
  const auto decoded = [&](const Ids& ids, bool skip) { return tokenizer->decode(ids.data(), ids.size(), skip); };
  EXPECT_EQ(decoded({kCls, kA, kInB, kBang, kAb, kSep}, true), "ab! ab");
  EXPECT_EQ(decoded({kCls, kA, kSep}, false), "[CLS] a [SEP]");
  EXPECT_EQ(decoded({kInB, kA}, false), "##b a");
  EXPECT_THROW(decoded({77}, false), Error);
}

TEST(WordPiece, RefusesBadFiles) {
  const auto failure = [](const std::string& config, const std::string& vocab) -> std::string {
    try {
      made(config, vocab);
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), LFFN_ERROR_BAD_MODEL);
      return error.what();
    }
  };
  EXPECT_EQ(failure("{}", "[CLS]\n[SEP]\n"), "vocab.txt: the token '[UNK]' is missing");
  EXPECT_EQ(failure("{}", "[UNK]\n[SEP]\n"),
            "vocab.txt: the token '[CLS]' is missing, the cls_token of BERT, whose file this is");
  EXPECT_EQ(failure("{}", "\xff\n"), "vocab.txt: byte 0 is not valid UTF-8");
  EXPECT_EQ(failure("[", kVocab), "tokenizer_config.json: byte 1 is not valid JSON: it ends there");
  EXPECT_EQ(failure(R"({"do_lower_case": 1})", kVocab),
            "tokenizer_config.json: '/do_lower_case' must be true or false");
  EXPECT_EQ(failure(R"({"added_tokens_decoder": {"x": {"content": "y"}}})", kVocab),
            "tokenizer_config.json: '/added_tokens_decoder' must be an object whose keys are ids");
  EXPECT_EQ(failure(R"({"added_tokens_decoder": {"5": {"content": "y"}}})", kVocab),
            "vocab.txt: the id 5 of the token 'y' belongs to another token");
}

double seconds(const Tokenizer& tokenizer, const std::string& text) {
  const double start = cpu_seconds();
  spans(tokenizer, text);
  return cpu_seconds() - start;
}

TEST(WordPiece, TakesLinearTime) {
  const auto tokenizer = made(R"({"added_tokens_decoder": {"40": {"content": "Xy", "normalized": true}}})");
  const size_t size = 1 << 20;
  std::string marks = "a", mixed = "a";
  for (size_t i = 0; i < size / 4; ++i) {
    marks += "\u0301";
    mixed += i % 2 == 0 ? "\u0301" : "\u0323";
  }
  // About a tenth of a second each; what grows with the square of the length takes hours.
  for (const std::string& text :
       {std::string(size, 'a'), std::string(size, ' '), marks, mixed, std::string(size, '!')}) {
    EXPECT_LT(seconds(*tokenizer, text), 30);
  }
}

// Long words between added tokens: none is looked through to the end of the text.
TEST(WordPiece, LooksForABlankNoFurtherThanTheNextToken) {
  const std::string part = "[MASK]" + std::string((1 << 16) + 1, 'a');
  std::string text;
  for (int i = 0; i < 1000; ++i) text += part;
  EXPECT_LT(seconds(*made(), text), 20);
}

TEST(WordPiece, SwallowsTheSameBlanksButOnce) {
  const auto tokenizer = made(R"({"added_tokens_decoder": {"40": {"content": " ", "rstrip": true, "normalized": false},
                                                           "41": {"content": "\t", "normalized": false}}})");
  EXPECT_EQ(spans(*tokenizer, "a   b"), (Spans{{0, 1}, {1, 4}, {2, 4}, {3, 4}, {4, 5}}));
  EXPECT_EQ(spans(*tokenizer, "a \t b"), (Spans{{0, 1}, {1, 4}, {2, 3}, {3, 4}, {4, 5}}));
  std::string mixed;
  for (int i = 0; i < 1 << 18; ++i) mixed += " \t";
  for (const std::string& text : {std::string(1 << 19, ' '), mixed}) EXPECT_LT(seconds(*tokenizer, text), 20);
}

TEST(WordPiece, CanBeCancelled) {
  const auto tokenizer = made();
  const int32_t cancel = 1;
  Tokenizer::Options options;
  options.cancel = &cancel;
  for (const char* text : {"ab", "[MASK][MASK]"}) {
    try {
      encode(*tokenizer, text, options);
      ADD_FAILURE() << "not seen in " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), LFFN_ERROR_CANCELLED);
    }
  }
}

}  // namespace
}  // namespace lffn
