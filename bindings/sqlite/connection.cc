// SPDX-License-Identifier: Apache-2.0
#include "connection.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <map>
#include <mutex>

#include "packed_index.h"

namespace lffn::sql {
namespace {

constexpr int kMostInner = 8;

// Lets a long call check now and then whether the statement was interrupted.
struct Watch {
  InterruptCheck& is_interrupted;
  int32_t cancel = 0;
  void look() {
    if (is_interrupted()) cancel = 1;
  }
};

[[noreturn]] void fail(lffn_status status) {
  if (status == LFFN_ERROR_CANCELLED) throw Interrupted();
  if (status == LFFN_ERROR_OUT_OF_MEMORY) throw std::bad_alloc();
  // The caller names the text itself, since texts have no numbers in SQL.
  std::string_view why = lffn_last_error();
  for (const std::string_view number : {"texts[0]: ", "document 0: "}) {
    if (why.substr(0, number.size()) == number) why.remove_prefix(number.size());
  }
  throw Failure(std::string(why));
}

// The models of the process by their paths, resolved by the system.
struct Models {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<const SharedModel>> by_path;
};
Models& models() {
  static Models* const all = new Models;  // never freed: connections may outlive static objects
  return *all;
}

std::string own_path(const std::string& path) {
  char* const found = realpath(path.c_str(), nullptr);
  const std::string result = found == nullptr ? path : found;
  std::free(found);
  return result;
}

std::shared_ptr<const SharedModel> load_shared(const std::string& path, Watch& watch) {
  const std::string key = own_path(path);
  // Held while a model loads: a second connection that wants the same model waits for it.
  const std::lock_guard<std::mutex> lock(models().mutex);
  for (auto it = models().by_path.begin(); it != models().by_path.end();) {
    it = it->second.expired() ? models().by_path.erase(it) : std::next(it);
  }
  if (const auto found = models().by_path.find(key); found != models().by_path.end()) {
    if (auto model = found->second.lock()) return model;
  }
  lffn_load_options options;
  lffn_load_options_init(&options);
  options.cancel = &watch.cancel;
  options.progress = [](double, void* user) { static_cast<Watch*>(user)->look(); };
  options.progress_user = &watch;
  auto model = std::make_shared<SharedModel>();
  if (const lffn_status status = lffn_model_load(path.c_str(), &options, &model->handle)) fail(status);
  lffn_model_heads_init(&model->heads);
  if (const lffn_status status = lffn_model_get_heads(model->handle, &model->heads)) fail(status);
  models().by_path[key] = model;
  return model;
}

std::string bits_of(const uint8_t* bytes, int64_t size) {
  std::string blob(static_cast<size_t>((size + 7) / 8), '\0');
  for (size_t i = 0; i < blob.size(); ++i) blob[i] = static_cast<char>(reversed_bits(bytes[i]));
  return blob;
}

template <typename Number>
std::string numbers_of(const Number* numbers, int64_t size) {
  return {reinterpret_cast<const char*>(numbers), static_cast<size_t>(size) * sizeof(Number)};
}

}  // namespace

InterruptCheck::InterruptCheck(sqlite3* database) {
  sqlite3_prepare_v2(database, "SELECT 1", -1, &statement_, nullptr);
}

bool InterruptCheck::operator()() {
  if (statement_ == nullptr) return false;
  const int code = sqlite3_step(statement_);
  sqlite3_reset(statement_);
  return code == SQLITE_INTERRUPT;
}

Connection::Inner::Inner(Connection& connection) : connection_(connection) {
  if (connection.depth_ >= kMostInner) {
    throw Failure("more than " + std::to_string(kMostInner) +
                  " searches run within one another; a view searches itself");
  }
  ++connection.depth_;
}

const SharedModel& Connection::load(const std::string& path) {
  InterruptCheck is_interrupted(database_);
  Watch watch{is_interrupted};
  std::shared_ptr<const SharedModel> model = load_shared(path, watch);
  if (model->heads.has_tokenizer == 0) throw Failure("this model has no tokenizer, so it reads no text");
  if (model->heads.sparse_size > 0) {
    throw Failure("this model makes sparse vectors, which no function here compares; search with `lookupffn search`");
  }
  ++loads_;
  if (!model->scores_pairs()) fingerprint_.clear();
  return *((model->scores_pairs() ? reranker_ : encoder_) = std::move(model));
}

const SharedModel& Connection::encoder() const {
  if (encoder_ != nullptr) return *encoder_;
  throw Failure("this connection has no model that embeds; call SELECT lffn_model('folder') first");
}

const std::string& Connection::fingerprint() {
  if (fingerprint_.empty()) {
    uint8_t bytes[LFFN_FINGERPRINT_SIZE];
    if (const lffn_status status = lffn_model_fingerprint(encoder().handle, bytes)) fail(status);
    constexpr char kDigits[] = "0123456789abcdef";
    for (const uint8_t byte : bytes) fingerprint_ += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return fingerprint_;
}

void Connection::remove_index(PackedIndex* index) {
  indexes_.erase(std::remove(indexes_.begin(), indexes_.end(), index), indexes_.end());
}

PackedIndex* Connection::find_index(const std::string& schema, const std::string& name) const {
  for (PackedIndex* const index : indexes_) {
    if (sqlite3_stricmp(index->schema().c_str(), schema.c_str()) == 0 &&
        sqlite3_stricmp(index->name().c_str(), name.c_str()) == 0) {
      return index;
    }
  }
  return nullptr;
}

void Connection::run(const SharedModel& model, lffn_model_run_args& args) {
  if (result_ == nullptr) {
    if (const lffn_status status = lffn_result_create(&result_)) fail(status);
  }
  InterruptCheck is_interrupted(database_);
  Watch watch{is_interrupted};
  args.result = result_;
  args.cancel = &watch.cancel;
  args.progress = [](int64_t, int64_t, void* user) { static_cast<Watch*>(user)->look(); };
  args.progress_user = &watch;
  if (const lffn_status status = lffn_model_run(model.handle, &args)) fail(status);
}

lffn_array Connection::array(int32_t what) const {
  lffn_array found = {};
  if (const lffn_status status = lffn_result_array(result_, what, &found)) fail(status);
  return found;
}

std::vector<std::string> Connection::embed(const std::vector<std::string_view>& texts, const Reading& reading,
                                           bool may_fail) {
  const Form form = reading.form;
  std::vector<const char*> pointers;
  std::vector<size_t> sizes;
  for (const std::string_view text : texts) {
    pointers.push_back(text.empty() ? "" : text.data());
    sizes.push_back(text.size());
  }
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  args.n = static_cast<int64_t>(texts.size());
  args.texts = pointers.data();
  args.text_sizes = sizes.data();
  if (reading.purpose == Purpose::kQuery) args.prompt_kind = LFFN_PROMPT_QUERY;
  if (reading.purpose == Purpose::kNone) args.prompt_kind = LFFN_PROMPT_NONE;
  if (reading.purpose == Purpose::kDocument) args.prompt_kind = LFFN_PROMPT_DOCUMENT;
  if (reading.repairs) args.flags |= LFFN_RUN_REPAIR_TEXT;
  const int32_t what = form == Form::kFloats  ? LFFN_OUT_EMBEDDINGS
                       : form == Form::kBytes ? LFFN_OUT_INT8_EMBEDDINGS
                                              : LFFN_OUT_BIT_EMBEDDINGS;
  const lffn_output outputs[] = {{what, 0, nullptr, 0}, {LFFN_OUT_STATUSES, 0, nullptr, 0}};
  args.outputs = outputs;
  args.n_outputs = may_fail ? 2 : 1;
  run(encoder(), args);
  const lffn_array vectors = array(what);
  const auto* const statuses = may_fail ? static_cast<const int32_t*>(array(LFFN_OUT_STATUSES).data) : nullptr;
  std::vector<std::string> blobs(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    if (may_fail && statuses[i] != LFFN_OK) continue;
    const int64_t first = static_cast<int64_t>(i) * vectors.columns;
    if (form == Form::kFloats) blobs[i] = numbers_of(static_cast<const float*>(vectors.data) + first, vectors.columns);
    if (form == Form::kBytes) blobs[i] = numbers_of(static_cast<const int8_t*>(vectors.data) + first, vectors.columns);
    if (form == Form::kBits) blobs[i] = bits_of(static_cast<const uint8_t*>(vectors.data) + first, size());
  }
  return blobs;
}

double Connection::rerank(std::string_view query, std::string_view document) {
  if (reranker_ == nullptr) {
    throw Failure("this connection has no model that scores pairs; call SELECT lffn_model('folder') with one first");
  }
  if (reranker_->is_late()) return rerank_late(query, document);
  const char* const texts[] = {query.empty() ? "" : query.data()};
  const char* const pairs[] = {document.empty() ? "" : document.data()};
  const size_t sizes[] = {query.size()}, pair_sizes[] = {document.size()};
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  args.n = 1;
  args.texts = texts;
  args.text_sizes = sizes;
  args.pairs = pairs;
  args.pair_sizes = pair_sizes;
  args.flags = LFFN_RUN_DOCUMENTS;
  const lffn_output output = {LFFN_OUT_CLASS_SCORES, 0, nullptr, 0};
  args.outputs = &output;
  args.n_outputs = 1;
  run(*reranker_, args);
  float score = *static_cast<const float*>(array(LFFN_OUT_CLASS_SCORES).data);
  const lffn_status status = lffn_model_activate_scores(reranker_->handle, LFFN_SCORES_MODEL, &score, 1, &score);
  if (status != LFFN_OK) fail(status);
  return static_cast<double>(score);
}

double Connection::rerank_late(std::string_view query, std::string_view document) {
  const char* const documents[] = {document.empty() ? "" : document.data()};
  const size_t sizes[] = {document.size()};
  float score = 0;
  lffn_model_rerank_args args;
  lffn_model_rerank_args_init(&args);
  args.query = query.empty() ? "" : query.data();
  args.query_size = query.size();
  args.documents = documents;
  args.document_sizes = sizes;
  args.n_documents = 1;
  args.max_tokens = LFFN_MAX_TOKENS_MODEL;
  const lffn_output output = {LFFN_OUT_DOCUMENT_SCORES, 0, &score, 1};
  args.outputs = &output;
  args.n_outputs = 1;
  if (const lffn_status status = lffn_model_rerank(reranker_->handle, &args)) fail(status);
  return static_cast<double>(score);
}

}  // namespace lffn::sql
