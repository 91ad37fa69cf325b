// SPDX-License-Identifier: Apache-2.0
// Unigram with vocabularies small enough to follow by hand.
#include <cstdio>
#include <functional>
#include <random>

#include "format/json.h"
#include "tests/support/cpu_time.h"
#include "tests/tokenizer/small.h"

namespace lffn {
namespace {

constexpr char kMetaspace[] = R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"})";

struct Parts {
  std::string normalizer = "null";
  std::string pre_tokenizer = kMetaspace;
  std::string decoder = kMetaspace;
  std::string vocab = R"(["<unk>", 0], ["▁", -1], ["a", -2], ["b", -2], ["ab", -3], ["▁a", -2.5], ["é", -2])";
  std::string more;  // of the model
  std::string added;
};

std::string json_of(const Parts& parts) {
  return R"({"added_tokens": [)" + parts.added + R"(], "normalizer": )" + parts.normalizer + R"(, "pre_tokenizer": )" +
         parts.pre_tokenizer + R"(, "decoder": )" + parts.decoder + R"(, "model": {"type": "Unigram", "unk_id": 0)" +
         parts.more + R"(, "vocab": [)" + parts.vocab + "]}}";
}

std::unique_ptr<const Tokenizer> made(const Parts& parts) {
  auto tokenizer = Tokenizer::from_tokenizer_json(json_of(parts));
  EXPECT_EQ(Tokenizer::from_tokenizer_json(tokenizer->to_json())->to_json(), tokenizer->to_json());
  return tokenizer;
}

std::unique_ptr<const Tokenizer> normalizing(const std::string& normalizer) {
  Parts parts;
  parts.normalizer = normalizer;
  return made(parts);
}

std::string failure(const Parts& parts) {
  try {
    Tokenizer::from_tokenizer_json(json_of(parts));
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), LFFN_ERROR_BAD_MODEL);
    return error.what();
  }
  return "";
}

// What a text becomes before it is cut, shown by a vocabulary in which every character is unknown.
std::string normalized(const std::string& normalizer, const std::string& text) {
  Parts parts;
  parts.normalizer = normalizer;
  parts.pre_tokenizer = "null";
  parts.decoder = R"({"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]})";
  parts.vocab = R"(["<unk>", 0])";
  for (int byte = 0; byte < 256; ++byte) {
    char piece[32];
    std::snprintf(piece, sizeof piece, ", [\"<0x%02X>\", -1]", static_cast<unsigned>(byte));
    parts.vocab += piece;
  }
  parts.more = R"(, "byte_fallback": true)";
  const auto tokenizer = made(parts);
  const Ids ids = encode(*tokenizer, text);
  return tokenizer->decode(ids.data(), ids.size(), false);
}

TEST(Unigram, FindsTheBestPieces) {
  const auto tokenizer = made({});
  EXPECT_EQ(encode(*tokenizer, "ab"), (Ids{1, 4}));  // -4 against -4.5
  EXPECT_EQ(encode(*tokenizer, "a b"), (Ids{5, 1, 3}));
  EXPECT_EQ(spans(*tokenizer, "a bab"), (Spans{{0, 1}, {1, 2}, {2, 3}, {3, 5}}));
  EXPECT_EQ(encode(*tokenizer, ""), Ids());
}

TEST(Unigram, FusesWhatIsUnknown) {
  const auto tokenizer = made({});
  EXPECT_EQ(encode(*tokenizer, "axyzb"), (Ids{5, 0, 3}));
  EXPECT_EQ(spans(*tokenizer, "a\u6f22\u5b57b"), (Spans{{0, 1}, {1, 7}, {7, 8}}));
  Parts parts;
  parts.vocab += R"(, ["<0xC3>", -9], ["<0x84>", -9])";
  parts.more = R"(, "byte_fallback": true)";
  const auto falls_back = made(parts);
  EXPECT_EQ(encode(*falls_back, "a\u00c4b"), (Ids{5, 7, 8, 3}));
  EXPECT_EQ(spans(*falls_back, "a\u00c4b"), (Spans{{0, 1}, {1, 3}, {1, 3}, {3, 4}}));
  EXPECT_EQ(encode(*falls_back, "a\u00c4xb"), (Ids{5, 0, 3}));  // x has no piece
}

// Nodes with many children are looked up in another way than those with few.
TEST(Unigram, FindsPiecesAmongManyThatBeginAlike) {
  Parts parts;
  parts.pre_tokenizer = "null";
  parts.vocab = R"(["<unk>", 0], ["q", -1])";
  std::string letters = "abcdefghijklmnop";
  for (const char letter : letters) parts.vocab += std::string(", [\"") + letter + "\", -5]";
  for (size_t i = 0; i < letters.size(); i += 2) parts.vocab += std::string(", [\"q") + letters[i] + "\", -1]";
  for (size_t i = 0; i < letters.size(); i += 2) parts.vocab += std::string(", [\"qa") + letters[i] + "\", -1]";
  const auto tokenizer = made(parts);
  for (size_t i = 0; i < letters.size(); ++i) {
    const auto id = static_cast<int32_t>(i);
    const std::string text = std::string("q") + letters[i], longer = std::string("qa") + letters[i];
    EXPECT_EQ(encode(*tokenizer, text), i % 2 == 0 ? Ids{18 + id / 2} : (Ids{1, 2 + id})) << text;
    EXPECT_EQ(encode(*tokenizer, longer), i % 2 == 0 ? Ids{26 + id / 2} : (Ids{18, 2 + id})) << longer;
  }
}

TEST(Unigram, LetsTheLastOfEqualPiecesCount) {
  Parts parts;
  parts.vocab += R"(, ["ab", -1])";
  EXPECT_EQ(encode(*made(parts), "ab"), (Ids{1, 7}));
}

TEST(Unigram, AgreesWithEveryWayTried) {
  std::mt19937 random(7);
  const auto below = [&](uint32_t end) { return random() % end; };
  for (int round = 0; round < 200; ++round) {
    Parts parts;
    parts.pre_tokenizer = "null";
    std::vector<std::pair<std::string, double>> pieces = {{"<unk>", 0}};
    parts.vocab = R"(["<unk>", 0])";
    for (uint32_t i = 1 + below(12); i-- > 0;) {
      std::string piece;
      for (uint32_t k = 1 + below(4); k-- > 0;) piece += static_cast<char>('a' + below(3));
      const double score = -static_cast<double>(below(64)) / 8;
      pieces.emplace_back(piece, score);
      parts.vocab += ", [\"" + piece + "\", " + std::to_string(score) + "]";
    }
    double least = 0;
    for (const auto& piece : pieces) least = std::min(least, piece.second);
    const auto tokenizer = made(parts);
    std::string text;
    for (uint32_t k = 1 + below(10); k-- > 0;) text += static_cast<char>('a' + below(4));
    const std::function<double(size_t)> best = [&](size_t at) -> double {
      if (at == text.size()) return 0;
      double result = -1e9;
      bool is_known = false;
      for (size_t size = 1; at + size <= text.size(); ++size) {
        const int32_t id = tokenizer->id_of(text.substr(at, size));
        if (id < 0) continue;
        is_known = is_known || size == 1;
        result = std::max(result, pieces[static_cast<size_t>(id)].second + best(at + size));
      }
      return is_known ? result : std::max(result, least - 10 + best(at + 1));
    };
    double sum = 0;
    const Encoding found = [&] {
      Tokenizer::Options options;
      options.spans = true;
      return encoded(*tokenizer, text, options);
    }();
    for (size_t i = 0; i < found.ids.size(); ++i) {
      const double characters = static_cast<double>(found.spans[i].end - found.spans[i].begin);
      sum += found.ids[i] == 0 ? characters * (least - 10) : pieces[static_cast<size_t>(found.ids[i])].second;
    }
    EXPECT_DOUBLE_EQ(sum, best(0)) << text << " " << parts.vocab;
  }
}

TEST(Unigram, CutsAsTheMetaspaceSays) {
  const auto cut = [](const std::string& settings, const std::string& text) {
    Parts parts;
    parts.pre_tokenizer = R"({"type": "Metaspace", "replacement": "▁", )" + settings + "}";
    parts.vocab = R"(["<unk>", 0], ["▁", -1], ["a", -2], ["a▁", -1], ["▁a", -9])";
    parts.added = R"({"id": 9, "content": "<m>"})";
    return encode(*made(parts), text);
  };
  EXPECT_EQ(cut(R"("prepend_scheme": "always")", "a a"), (Ids{1, 2, 1, 2}));
  EXPECT_EQ(cut(R"("prepend_scheme": "always", "split": false)", "a a"), (Ids{1, 3, 2}));
  EXPECT_EQ(cut(R"("prepend_scheme": "never")", "a a"), (Ids{2, 1, 2}));
  EXPECT_EQ(cut(R"("add_prefix_space": false)", "a"), (Ids{2}));
  EXPECT_EQ(cut(R"("str_rep": "x", "add_prefix_space": true)", "a"), (Ids{1, 2}));
  EXPECT_EQ(cut(R"("prepend_scheme": "first")", "a<m>a"), (Ids{1, 2, 9, 2}));
  EXPECT_EQ(cut(R"("prepend_scheme": "first")", "<m>a"), (Ids{9, 2}));
  EXPECT_EQ(cut(R"("prepend_scheme": "always")", "<m>a"), (Ids{9, 1, 2}));
  EXPECT_EQ(cut(R"("prepend_scheme": "always")", " a"), (Ids{1, 2}));
  EXPECT_EQ(cut(R"("prepend_scheme": "always")", "\u2581a"), (Ids{1, 2}));
  EXPECT_EQ(cut(R"("prepend_scheme": "always")", "  a"), (Ids{1, 1, 2}));
}

TEST(Unigram, CutsAtBlanksAndSigns) {
  Parts parts;
  parts.pre_tokenizer =
      R"({"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, )" + std::string(kMetaspace) + "]}";
  EXPECT_EQ(encode(*made(parts), " a \t b\n"), (Ids{5, 1, 3}));
  EXPECT_EQ(spans(*made(parts), " a \t b\n"), (Spans{{1, 2}, {5, 6}, {5, 6}}));
  parts.pre_tokenizer = R"({"type": "Sequence", "pretokenizers": [{"type": "Punctuation", "behavior": "Isolated"}, )" +
                        std::string(kMetaspace) + "]}";
  EXPECT_EQ(encode(*made(parts), "a,b"), (Ids{5, 1, 0, 1, 3}));
}

TEST(Unigram, Normalises) {
  EXPECT_EQ(normalized(R"({"type": "NFC"})", "e\u0301 a\u0323\u0302 \u1100\u1161\u11a8"), "\u00e9 \u1ead \uac01");
  EXPECT_EQ(normalized(R"({"type": "NFC"})", "q\u0307\u0323 \u0958 \u212b"), "q\u0323\u0307 \u0915\u093c \u00c5");
  EXPECT_EQ(normalized(R"({"type": "NFD"})", "\u00e9\uac01\ufb01"), "e\u0301\u1100\u1161\u11a8\ufb01");
  EXPECT_EQ(normalized(R"({"type": "NFKD"})", "\ufb01\u00e9\u2460"), "fie\u03011");
  EXPECT_EQ(normalized(R"({"type": "NFKC"})", "\ufb01e\u0301\uff21\u2126"), "fi\u00e9A\u03a9");
  EXPECT_EQ(normalized(R"({"type": "StripAccents"})", "e\u0301\u00e9\u0903x"), "e\u00e9x");
  EXPECT_EQ(normalized(R"({"type": "Lowercase"})", "A\u0130\u00c9"), "ai\u0307\u00e9");
  EXPECT_EQ(normalized(R"({"type": "Prepend", "prepend": "xy"})", "a"), "xya");
  EXPECT_EQ(normalized(R"({"type": "Strip"})", " \u3000a b\t"), "a b");
  EXPECT_EQ(normalized(R"({"type": "Strip", "strip_left": false, "strip_right": true})", " a "), " a");
  const auto replaced = [](const std::string& pattern, const std::string& text) {
    return normalized(R"({"type": "Replace", "content": "_", "pattern": )" + pattern + "}", text);
  };
  EXPECT_EQ(replaced(R"({"String": "aa"})", "aaaba"), "_aba");
  EXPECT_EQ(replaced(R"({"String": ""})", "ab"), "ab");
  EXPECT_EQ(replaced(R"({"Regex": " {2,}"})", " a  b   "), " a_b_");
  EXPECT_EQ(replaced(R"({"Regex": "\\s{2,}|[\\n\\r\\t]"})", "a\nb \r\nc d\te"), "a_b_c d_e");
  EXPECT_EQ(replaced(R"({"Regex": "[^a-c]+"})", "aXYbc\u00e9"), "a_bc_");
  EXPECT_EQ(replaced(R"({"Regex": "a{2}"})", "aaaaa"), "__a");
  EXPECT_EQ(replaced(R"({"Regex": "\\.\\w"})", "a.b.-"), "a_.-");
}

TEST(Unigram, KeepsCountWhileNormalising) {
  // A character that two became comes from the first; what was replaced comes from the last that went.
  EXPECT_EQ(spans(*normalizing(R"({"type": "NFC"})"), "ae\u0301b"), (Spans{{0, 1}, {1, 2}, {4, 5}}));
  EXPECT_EQ(spans(*normalizing(R"({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "▁"})"), "b   b"),
            (Spans{{0, 1}, {0, 1}, {3, 4}, {4, 5}}));
  EXPECT_EQ(spans(*normalizing(R"({"type": "Strip"})"), "  b"), (Spans{{2, 3}, {2, 3}}));
  EXPECT_EQ(spans(*normalizing(R"({"type": "Prepend", "prepend": "▁a"})"), "b"), (Spans{{0, 1}, {0, 1}}));
}

TEST(Unigram, Decodes) {
  const auto text = [](const std::string& decoder, const Ids& ids) {
    Parts parts;
    parts.decoder = decoder;
    parts.vocab = R"(["<unk>", 0], ["▁a", -1], ["▁b▁", -1], ["<0xC3>", -1], ["<0xA9>", -1], ["xxy", -1])";
    return made(parts)->decode(ids.data(), ids.size(), false);
  };
  EXPECT_EQ(text(kMetaspace, {1, 2, 1}), "a b  a");
  EXPECT_EQ(text(R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never"})", {1, 2}), " a b ");
  EXPECT_EQ(text(R"({"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
      {"type": "ByteFallback"}, {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]})",
                 {1, 3, 4, 2, 3, 2}),
            "a\u00e9 b \ufffd b ");
  EXPECT_EQ(text(R"({"type": "Strip", "content": "x", "start": 1, "stop": 1})", {5, 5}), "xyxy");
  EXPECT_EQ(text("null", {1, 5}), "\u2581a xxy");
}

TEST(Unigram, RefusesWhatItDoesNotKnow) {
  const auto with = [](std::string Parts::*part, const std::string& value) {
    Parts parts;
    parts.*part = value;
    return failure(parts);
  };
  EXPECT_EQ(with(&Parts::normalizer, R"({"type": "Odd"})").substr(0, 62),
            "tokenizer.json: '/normalizer/type' must be \"Precompiled\", \"NFC");
  EXPECT_EQ(with(&Parts::normalizer, R"({"type": "Replace", "pattern": {"Regex": "a+?c"}, "content": ""})"),
            "tokenizer.json: '/normalizer/pattern/Regex' must be one of the expressions that are known here");
  EXPECT_EQ(with(&Parts::pre_tokenizer, R"({"type": "Metaspace", "replacement": "ab"})"),
            "tokenizer.json: '/pre_tokenizer/replacement' must be one character");
  EXPECT_EQ(with(&Parts::normalizer, R"({"type": "Precompiled", "precompiled_charsmap": "A"})"),
            "tokenizer.json: '/normalizer/precompiled_charsmap' must be a text of base64");
  EXPECT_EQ(with(&Parts::normalizer, R"({"type": "Precompiled", "precompiled_charsmap": "AAAB"})"),
            "tokenizer.json: the precompiled normaliser has fewer than four bytes");
  EXPECT_EQ(with(&Parts::normalizer, R"({"type": "Precompiled", "precompiled_charsmap": "CAAAAAAA"})"),
            "tokenizer.json: the precompiled normaliser names a size of its trie that it does not have");
  EXPECT_EQ(with(&Parts::vocab, "[\"<unk>\", 1e999]").substr(0, 15), "tokenizer.json:");
  EXPECT_EQ(with(&Parts::vocab, "[\"" + std::string(513, 'a') + "\", 1]").substr(0, 27), "tokenizer.json: the piece '");
  EXPECT_EQ(with(&Parts::vocab, "").substr(0, 40), "tokenizer.json: '/model/unk_id' must be ");
  std::string many = R"({"type": "Replace", "pattern": {"String": "a"}, "content": ")" + std::string(100, 'a') + "\"}";
  many += ", " + many + ", " + many;
  EXPECT_EQ(with(&Parts::normalizer, R"({"type": "Sequence", "normalizers": [)" + many + "]}").substr(0, 58),
            "tokenizer.json: the normalizers could make a text more tha");
}

double seconds(const Tokenizer& tokenizer, const std::string& text) {
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const double start = cpu_seconds();
    encode(tokenizer, text);
    best = std::min(best, cpu_seconds() - start);
  }
  return best;
}

TEST(Unigram, TakesLinearTime) {
  Parts parts;
  parts.normalizer = R"({"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Strip"},
      {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}]})";
  for (size_t size = 1; size <= 64; ++size) parts.vocab += ", [\"" + std::string(size, 'x') + "\", -3]";
  const auto tokenizer = made(parts);
  for (const char* unit : {"x", "x ", "  ", "\u00e9", "\u6f22", "\u2581"}) {
    std::string text;
    while (text.size() < 20000) text += unit;
    std::string longer;
    for (int i = 0; i < 32; ++i) longer += text;
    // 32 times as long, and some times more for new memory; what grows with the square takes 1024 times as long.
    EXPECT_LT(seconds(*tokenizer, longer), 256 * seconds(*tokenizer, text)) << unit;
  }
}

TEST(Unigram, CanBeCancelled) {
  const auto tokenizer = made({});
  int32_t stop = 1;
  Tokenizer::Options options;
  options.cancel = &stop;
  EXPECT_THROW(encode(*tokenizer, "ab", options), Error);
  EXPECT_THROW(Tokenizer::from_tokenizer_json(json_of({}), &stop), Error);
}

// As a trainer writes it that was told no unknown token.
TEST(Unigram, RefusesUnknownCharactersWithoutAnUnknownPiece) {
  const auto tokenizer = Tokenizer::from_tokenizer_json(
      R"({"model": {"type": "Unigram", "unk_id": null, "vocab": [["a", -1], ["b", -2]]}})");
  EXPECT_EQ(encode(*tokenizer, "abba"), (Ids{0, 1, 1, 0}));
  EXPECT_EQ(tokenizer->unknown_id(), -1);
  EXPECT_EQ(Tokenizer::from_tokenizer_json(tokenizer->to_json())->to_json(), tokenizer->to_json());
  for (const bool has_spans : {false, true}) {
    Tokenizer::Options options;
    options.spans = has_spans;
    try {
      encode(*tokenizer, "abé", options);
      FAIL() << "no piece is that character";
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), LFFN_ERROR_BAD_TEXT);
      EXPECT_STREQ(error.what(),
                   "no piece of the tokenizer is the character '\u00e9', and its unk_id is null: it knows no unknown "
                   "ones");
    }
  }
}

}  // namespace
}  // namespace lffn
