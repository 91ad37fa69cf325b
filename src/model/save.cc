// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/config/sentence_settings.h"
#include "model/config/tokenizer_files.h"
#include "model/model.h"

namespace lffn {

// What a file holds of each part.
struct Model::Stored {
  std::map<std::string, std::string> metadata;
  std::vector<TensorView> tensors;
  // Where they lie.
  std::vector<Memory> memory;
  std::vector<std::unique_ptr<const Bytes>> sources;
  std::string tokenizer, query_tokenizer;

  void operator()(const PartNames& names, const Floats& part) {
    if (!part.empty()) part.add_stored(names[0], tensors);
  }
  void operator()(const PartNames& names, const Norm& part) {
    if (!part.empty()) part.add_stored(names[0], tensors);
  }
  void operator()(const PartNames& names, const Linear& part) {
    if (!part.empty()) part.add_stored(names, tensors, sources);
  }
  void operator()(const PartNames& names, const WordMatrix& part) {
    if (!part.empty()) part.add_stored(names[0], tensors, memory);
  }
  void operator()(const PartNames& names, const RowNumbers& part) {
    if (!part.empty()) part.add_stored(names[0], tensors);
  }
  void operator()(const PartNames& names, const WordRows& part) {
    if (!part.empty()) part.add_stored(names[0], tensors);
  }
  void operator()(const PartNames& names, const Lookup& part) {
    if (!part.empty()) part.add_stored(names, tensors, memory);
  }
};

void Model::store(Stored& stored) const {
  if (statics_) {
    statics_->add_stored(stored.tensors, stored.memory);
  } else {
    visit_parts(config(), stored, weights());
  }
  if (has_lm_head() && weights().decoder.empty() && family().ties_decoder && !config().ties_decoder) {
    stored({family().decoder}, decoder());  // which then must be there
  }
  if (!query_weights_.empty()) query_weights_.add_stored(stored.tensors, stored.query_tokenizer);
  if (tokenizer_ != nullptr) {
    stored.tokenizer = tokenizer_->to_json();
    stored.tensors.push_back(view_of(kTokenizerTensor, DType::kU8, {static_cast<int64_t>(stored.tokenizer.size())},
                                     stored.tokenizer.data()));
  }
  stored.metadata = {{"format", "lookupffn"}, {"format_version", "1"}, {"kind", "model"}, {"config", config().text}};
  if (sentence().is_sentence_encoder || sentence().pairs) stored.metadata[kSentenceKey] = sentence_to_json(sentence());
  if (statics_) stored.metadata[kStaticKey] = static_to_json(statics_->settings());
}

void Model::save(const std::string& path, LoadProgress* progress) const {
  Stored saved;
  store(saved);
  write_safetensors(path, saved.metadata, saved.tensors, progress);
}

// A folder and the single file that is made of it hold the same, so they have the same fingerprint.
std::array<uint8_t, Digest::kBytes> Model::read_fingerprint() const {
  Digest digest;
  digest.add_number(static_cast<uint64_t>(info().arithmetic));
  digest.add_number(running().flush_denormals ? 1 : 0);
  for (size_t i = 0; i < weights().layers.size(); ++i) digest.add_number(attends_in_int8(i) ? 1 : 0);
  Stored named;
  store(named);
  for (const auto& [key, value] : named.metadata) {
    digest.add_text(key);
    digest.add_text(value);
  }
  std::vector<uint8_t> piece;
  for (const TensorView& tensor : named.tensors) {
    digest.add_text(tensor.name);
    digest.add_text(dtype_name(tensor.dtype));
    digest.add_text(tensor.shape_text());
    if (tensor.data != nullptr) {
      digest.add(tensor.data, tensor.size);
      continue;
    }
    constexpr size_t kPieceBytes = size_t{1} << 20;
    piece.resize(std::min(kPieceBytes, tensor.size));
    for (size_t done = 0; done < tensor.size; done += piece.size()) {
      const size_t count = std::min(piece.size(), tensor.size - done);
      tensor.read(done, count, piece.data());
      digest.add(piece.data(), count);
    }
  }
  return digest.value();
}

std::array<uint8_t, Digest::kBytes> Model::fingerprint() const {
  std::call_once(fingerprint_once_, [&] { fingerprint_ = read_fingerprint(); });
  return fingerprint_;
}

}  // namespace lffn
