// SPDX-License-Identifier: Apache-2.0
#include "model/config/tokenizer_files.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string_view>

#include "format/file.h"
#include "format/stand_in.h"
#include "model/config/sentence_folder.h"
#include "runtime/error.h"

namespace lffn {
namespace {

// The names that XLM-RoBERTa, DeBERTa, ALBERT and T5, and others use.
constexpr const char* kSentencePieceNames[] = {"sentencepiece.bpe.model", "spm.model", "spiece.model",
                                               "tokenizer.model"};

// Of a model in one file.
std::shared_ptr<const Tokenizer> tokenizer_of(const Bytes& file, const int32_t* cancel) {
  Safetensors model = parse_safetensors(file);
  std::shared_ptr<const Tokenizer> found = take_tokenizer(model.tensors, cancel);
  if (found == nullptr) fail(LFFN_ERROR_BAD_MODEL, "the file holds no tokenizer");
  return found;
}

}  // namespace

// Takes the tokenizer of a single file out of its tensors.
std::shared_ptr<const Tokenizer> take_tokenizer(std::vector<TensorView>& tensors, const int32_t* cancel,
                                                const char* name) {
  for (auto view = tensors.begin(); view != tensors.end(); ++view) {
    if (view->name != name) continue;
    if (view->dtype != DType::kU8 || view->shape.size() != 1) {
      fail(LFFN_ERROR_BAD_MODEL, "%s: %s %s, expected U8 and one dimension", name, dtype_name(view->dtype),
           view->shape_text().c_str());
    }
    if (view->size > kMaxVocabularyBytes) {
      fail(LFFN_ERROR_BAD_MODEL, "%s: %zu bytes, allowed are %zu", name, view->size, kMaxVocabularyBytes);
    }
    std::string text(view->size, '\0');
    view->read(0, text.size(), text.data());
    tensors.erase(view);
    return Tokenizer::from_tokenizer_json(text, cancel);
  }
  return nullptr;
}

std::shared_ptr<const Tokenizer> read_tokenizer(const Folder& folder, const int32_t* cancel) {
  std::array<std::string, 8> texts;
  size_t used = 0;
  const auto read = [&](const char* name) -> std::optional<std::string_view> {
    if (!folder.has(name)) return std::nullopt;
    return texts[used++] = folder.read_text(name, kMaxVocabularyBytes);
  };
  TokenizerFiles files;
  files.cancel = cancel;
  files.tokenizer_json = read("tokenizer.json");
  if (!files.tokenizer_json) {
    files.vocab_txt = read("vocab.txt");
    files.vocab_json = read("vocab.json");
    files.merges_txt = read("merges.txt");
    if (!files.vocab_txt && !files.vocab_json && !files.merges_txt) {
      const auto name = std::find_if(std::begin(kSentencePieceNames), std::end(kSentencePieceNames),
                                     [&](const char* each) { return folder.has(each); });
      if (name == std::end(kSentencePieceNames)) return nullptr;
      files.sentencepiece = read(*name);
      files.sentencepiece_name = *name;
    }
  }
  files.config = read("config.json");
  files.tokenizer_config = read("tokenizer_config.json");
  files.special_tokens_map = read("special_tokens_map.json");
  return Tokenizer::from_files(files);
}

std::shared_ptr<const Tokenizer> load_tokenizer(const Folder& folder, const int32_t* cancel) {
  if (holds_saved_model(folder)) return tokenizer_of(*folder.open(kSavedModel), cancel);
  const InnerFolder inside(folder, transformer_place(folder));
  std::shared_ptr<const Tokenizer> found = read_tokenizer(inside, cancel);
  if (found == nullptr) {
    fail(LFFN_ERROR_BAD_MODEL,
         "there is no tokenizer.json, no vocab.txt, no vocab.json with merges.txt, and no "
         "model of SentencePiece");
  }
  return found;
}

std::shared_ptr<const Tokenizer> load_tokenizer(const std::string& path, const int32_t* cancel) {
  return naming(path, [&] {
    if (is_folder(path)) return load_tokenizer(FolderOnDisk(path, false), cancel);
    const auto opened = open_given(path, [&] { return std::make_unique<const FileReader>(path); });
    const FileReader& file = *opened;
    // A safetensors file begins with a number of eight bytes whose upper ones are zero; no text begins so.
    char first[8] = {};
    file.read(0, std::min(file.size(), sizeof first), first);
    if (file.size() < sizeof first || first[7] != '\0') {
      if (file.size() > kMaxVocabularyBytes) fail(LFFN_ERROR_BAD_MODEL, "it is too large for a tokenizer.json");
      std::string text(file.size(), '\0');
      file.read(0, text.size(), text.data());
      refuse_stand_in(text);
      return std::shared_ptr<const Tokenizer>(Tokenizer::from_tokenizer_json(text, cancel));
    }
    return tokenizer_of(file, cancel);
  });
}

}  // namespace lffn
