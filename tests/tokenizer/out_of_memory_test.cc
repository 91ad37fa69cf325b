// SPDX-License-Identifier: Apache-2.0
// Makes each allocation of a tokenizer in turn fail: it is then made or not, and nothing leaks.
#include "tests/format/out_of_memory.h"

#include "tests/tokenizer/small.h"

namespace lffn {
namespace {

template <typename Action>
void survive_all(const Action& action) {
  for (int allowed = 0; allowed < 100000; ++allowed) {
    const Balance before;
    left = allowed;
    refused = 0;
    bool done = false;
    try {
      action();
      done = true;
    } catch (const std::bad_alloc&) {
    }
    left = INT64_MAX;
    EXPECT_TRUE(before == Balance()) << "something is left after " << allowed << " allocations";
    if (testing::Test::HasFailure()) return;
    if (!done) continue;
    EXPECT_EQ(refused, 0) << "an allocation failed unnoticed";
    EXPECT_GT(allowed, 10);
    return;
  }
  FAIL() << "never done";
}

const std::string kText = "ab <mask> na\u00efve \u6f22a\u0301\u0323b";
const std::string_view kPair = kText;

TEST(TokenizerOutOfMemory, MakingOne) {
  const std::string json = small_tokenizer()->to_json();
  const std::string vocab = "[UNK]\n[CLS]\n[SEP]\na\n##b\n", config = R"({"added_tokens_decoder":
      {"0": {"content": "[UNK]", "normalized": true}, "9": {"content": "longer than what is kept inside"}}})";
  survive_all([&] { Tokenizer::from_tokenizer_json(json)->to_json(); });
  survive_all([&] {
    TokenizerFiles files;
    files.vocab_txt = vocab;
    files.tokenizer_config = config;
    const auto tokenizer = Tokenizer::from_files(files);
    Tokenizer::Scratch scratch;
    Encoding found;
    Tokenizer::Options options;
    options.spans = true;
    tokenizer->encode(kText, &kPair, options, scratch, found);
    tokenizer->decode(found.ids.data(), found.ids.size(), false);
  });
}

// A message of protocol buffers, of pieces with these texts: a length, then the bytes.
std::string sentencepiece_model() {
  std::string model;
  for (const char* text : {"<unk>", "<s>", "</s>", "\u2581", "a", "b", "ab", "a long one of several letters"}) {
    const std::string piece = text;
    const std::string score("\x15\0\0\x80\xbf", 5);  // -1
    const char type = piece == "<unk>" ? 2 : piece[0] == '<' ? 3 : 1;
    const std::string message = "\n" + std::string(1, static_cast<char>(piece.size())) + piece + score + "\x18" + type;
    model += "\n" + std::string(1, static_cast<char>(message.size())) + message;
  }
  return model;
}

TEST(TokenizerOutOfMemory, MakingOneOfUnigrams) {
  const std::string model = sentencepiece_model();
  TokenizerFiles files;
  files.sentencepiece = model;
  const std::string json = Tokenizer::from_files(files)->to_json();
  survive_all([&] { Tokenizer::from_tokenizer_json(json)->to_json(); });
  survive_all([&] {
    const auto tokenizer = Tokenizer::from_files(files);
    Tokenizer::Scratch scratch;
    Encoding found;
    Tokenizer::Options options;
    options.spans = true;
    tokenizer->encode(kText, &kPair, options, scratch, found);
    tokenizer->decode(found.ids.data(), found.ids.size(), false);
  });
}

TEST(TokenizerOutOfMemory, UsingOneAgainAllocatesNothing) {
  const auto tokenizer = small_tokenizer();
  Tokenizer::Scratch scratch;
  Encoding found;
  tokenizer->encode(kText, &kPair, {true, 12, true}, scratch, found);
  left = 0;
  refused = 0;
  tokenizer->encode(kText, &kPair, {true, 12, true}, scratch, found);
  left = INT64_MAX;
  EXPECT_EQ(refused, 0);
  EXPECT_EQ(found.ids.size(), 12u);
}

}  // namespace
}  // namespace lffn
