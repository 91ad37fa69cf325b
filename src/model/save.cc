// SPDX-License-Identifier: Apache-2.0
#include "model/config/sentence_settings.h"
#include "model/config/tokenizer_files.h"
#include "model/model.h"

namespace lffn {
namespace {

// Collects what a file holds of each part.
struct Storing {
  std::vector<TensorView> tensors;
  std::vector<Memory> memory;
  std::vector<std::unique_ptr<const Bytes>> sources;

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

}  // namespace

void Model::save(const std::string& path, LoadProgress* progress) const {
  Storing storing;
  if (statics_) {
    statics_->add_stored(storing.tensors, storing.memory);
  } else {
    visit_parts(config_, storing, weights_);
  }
  if (has_lm_head() && weights_.decoder.empty() && family().ties_decoder && !config_.ties_decoder) {
    storing({family().decoder}, decoder());  // which then must be there
  }
  std::string tokenizer, query_tokenizer;
  if (!query_weights_.empty()) query_weights_.add_stored(storing.tensors, query_tokenizer);
  if (tokenizer_ != nullptr) {
    tokenizer = tokenizer_->to_json();
    storing.tensors.push_back(
        view_of(kTokenizerTensor, DType::kU8, {static_cast<int64_t>(tokenizer.size())}, tokenizer.data()));
  }
  std::map<std::string, std::string> metadata = {
      {"format", "lookupffn"}, {"format_version", "1"}, {"kind", "model"}, {"config", config_.text}};
  if (sentence_.is_sentence_encoder || sentence_.pairs) metadata[kSentenceKey] = sentence_to_json(sentence_);
  if (statics_) metadata[kStaticKey] = static_to_json(statics_->settings());
  write_safetensors(path, metadata, storing.tensors, progress);
}

}  // namespace lffn
