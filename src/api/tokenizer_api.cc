// SPDX-License-Identifier: Apache-2.0
// The functions on tokenizers: argument checks, and no more.
#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>

#include "api/boundary.h"
#include "api/file_options.h"
#include "api/handles.h"
#include "api/structs.h"
#include "model/config/tokenizer_files.h"
#include "run/read.h"
#include "run/tokenize.h"
#include "runtime/threads.h"

using namespace lffn;

namespace {

void hand_out(std::shared_ptr<const Tokenizer> tokenizer, int64_t own_max_tokens, const SharedRuntime& runtime,
              const std::shared_ptr<Executor>& executor, int32_t num_threads, std::shared_ptr<CallMemoryPool> memory,
              lffn_tokenizer** out) {
  *out = new lffn_tokenizer{std::move(tokenizer), own_max_tokens, runtime, executor, num_threads, std::move(memory)};
  count_handle(1);
}

void hand_out(Loading& loading, std::shared_ptr<const Tokenizer> tokenizer, lffn_tokenizer** out) {
  const LoadOptions& options = loading.options();
  loading.finish();
  const auto own_max_tokens = static_cast<int64_t>(tokenizer->max_length());
  hand_out(std::move(tokenizer), own_max_tokens, loading.runtime(), options.executor, resolve_threads(options),
           std::make_shared<CallMemoryPool>(), out);
}

void encode(const lffn_tokenizer& handle, const lffn_tokenizer_encode_args& args) {
  check_count(args.n, "n");
  if (args.n > 0) need(args.texts, "texts");
  check_flags(args.flags, LFFN_ENCODE_SKIP_SPECIAL | LFFN_ENCODE_REPAIR_TEXT, "flags");
  check_max_tokens(args.max_tokens);
  check_threads(args.num_threads, "num_threads");
  const UseHooks hooks(hooks_of(handle.runtime));
  TextRows::Rules rules;
  rules.reading.repairs = (args.flags & LFFN_ENCODE_REPAIR_TEXT) != 0;
  rules.encoding.special = (args.flags & LFFN_ENCODE_SKIP_SPECIAL) == 0;
  rules.encoding.cancel = args.cancel;
  const int64_t most = args.max_tokens == LFFN_MAX_TOKENS_MODEL ? handle.own_max_tokens : args.max_tokens;
  if (most > 0) rules.encoding.most = static_cast<size_t>(most);
  const int32_t threads = args.num_threads > 0 ? std::min(args.num_threads, handle.num_threads) : handle.num_threads;
  with_outputs(args, kReadOutputs, *handle.memory, [&](Outputs& outputs, CallMemory& memory) {
    tokenize(*handle.tokenizer, {args.n, args.texts, args.text_sizes, args.pairs, args.pair_sizes}, rules,
             *handle.executor, threads, outputs, memory);
  });
}

void decode(const lffn_tokenizer& handle, const lffn_tokenizer_decode_args& args) {
  check_count(args.n, "n");
  check_flags(args.flags, LFFN_DECODE_SKIP_SPECIAL, "flags");
  check_reserved(args.reserved);
  if (args.n > 0) check_offsets(args.offsets, args.n);
  if (args.n > 0 && args.offsets[args.n] > 0) need(args.ids, "ids");
  const UseHooks hooks(hooks_of(handle.runtime));
  with_outputs(args, kDecodedOutputs, *handle.memory, [&](Outputs& outputs, CallMemory& memory) {
    detokenize(*handle.tokenizer, {args.ids, args.offsets}, args.n, (args.flags & LFFN_DECODE_SKIP_SPECIAL) != 0,
               outputs, memory);
  });
}

int32_t kind_of(const Tokenizer& tokenizer) {
  switch (tokenizer.kind()) {
    case TokenizerKind::kWordPiece:
      return LFFN_TOKENIZER_KIND_WORD_PIECE;
    case TokenizerKind::kUnigram:
      return LFFN_TOKENIZER_KIND_UNIGRAM;
    default:
      return LFFN_TOKENIZER_KIND_BYTE_PAIRS;
  }
}

lffn_tokenizer_info info_of(const lffn_tokenizer& handle) {
  const Tokenizer& tokenizer = *handle.tokenizer;
  lffn_tokenizer_info info = {};
  info.vocab_size = tokenizer.size();
  info.bos_id = tokenizer.bos_id();
  info.eos_id = tokenizer.eos_id();
  info.pad_id = tokenizer.pad_id();
  info.unk_id = tokenizer.unk_id();
  info.mask_id = tokenizer.mask_id();
  info.added_to_text = static_cast<int32_t>(tokenizer.num_special(false));
  info.added_to_pair = static_cast<int32_t>(tokenizer.num_special(true));
  info.kind = kind_of(tokenizer);
  info.own_max_tokens = handle.own_max_tokens;
  info.memory_bytes = tokenizer.bytes();
  return info;
}

}  // namespace

extern "C" {

void lffn_tokenizer_info_init_sized(lffn_tokenizer_info* info, size_t struct_size) { init_struct(info, struct_size); }

void lffn_tokenizer_encode_args_init_sized(lffn_tokenizer_encode_args* args, size_t struct_size) {
  lffn_tokenizer_encode_args defaults = {};
  defaults.max_tokens = LFFN_MAX_TOKENS_NEVER;
  init_struct(args, struct_size, defaults);
}

void lffn_tokenizer_decode_args_init_sized(lffn_tokenizer_decode_args* args, size_t struct_size) {
  init_struct(args, struct_size);
}

lffn_status lffn_tokenizer_load(const char* path, const lffn_load_options* options, lffn_tokenizer** out) {
  return guarded([&] {
    need(path, "path");
    need(out, "out");
    Loading loading(options);
    hand_out(loading, load_tokenizer(path, loading.cancel()), out);
  });
}

lffn_status lffn_tokenizer_load_files(const lffn_file* files, int64_t n_files, const lffn_load_options* options,
                                      lffn_tokenizer** out) {
  return guarded([&] {
    need(out, "out");
    Loading loading(options);
    hand_out(loading, load_tokenizer(FolderInMemory(read_files(files, n_files)), loading.cancel()), out);
  });
}

lffn_status lffn_model_tokenizer(const lffn_model* model, lffn_tokenizer** out) {
  return guarded([&] {
    need(model, "model");
    need(out, "out");
    if (model->model->tokenizer() == nullptr) fail(LFFN_ERROR_INVALID_ARGUMENT, "this model has no tokenizer");
    const Running& running = model->model->running();
    hand_out(model->model->tokenizer(), model->model->own_max_tokens(), model->runtime, running.executor,
             running.num_threads, model->memory, out);
  });
}

lffn_tokenizer* lffn_tokenizer_retain(lffn_tokenizer* tokenizer) { return retain_handle(tokenizer); }

void lffn_tokenizer_free(lffn_tokenizer* tokenizer) { leave_handle(tokenizer); }

lffn_status lffn_tokenizer_get_info(const lffn_tokenizer* tokenizer, lffn_tokenizer_info* info) {
  return guarded([&] {
    need(tokenizer, "tokenizer");
    write_struct(info_of(*tokenizer), info, "info");
  });
}

lffn_status lffn_tokenizer_encode(const lffn_tokenizer* tokenizer, const lffn_tokenizer_encode_args* args) {
  return guarded([&] {
    need(tokenizer, "tokenizer");
    encode(*tokenizer, read_struct(args, "args"));
  });
}

lffn_status lffn_tokenizer_decode(const lffn_tokenizer* tokenizer, const lffn_tokenizer_decode_args* args) {
  return guarded([&] {
    need(tokenizer, "tokenizer");
    decode(*tokenizer, read_struct(args, "args"));
  });
}

lffn_status lffn_tokenizer_find(const lffn_tokenizer* tokenizer, const char* token, size_t n_bytes, int32_t* id) {
  return guarded([&] {
    need(tokenizer, "tokenizer");
    need(id, "id");
    *id = tokenizer->tokenizer->id_of(read_text(token, n_bytes, "token"));
  });
}

lffn_status lffn_tokenizer_token(const lffn_tokenizer* tokenizer, int32_t id, const char** token, size_t* n_bytes) {
  return guarded([&] {
    need(tokenizer, "tokenizer");
    need(token, "token");
    need(n_bytes, "n_bytes");
    if (id < 0 || id >= tokenizer->tokenizer->size()) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "id is %d, which is not in the vocabulary: it has 0 to %d", id,
           tokenizer->tokenizer->size() - 1);
    }
    const std::optional<std::string_view> text = tokenizer->tokenizer->token_of(id);
    *token = text ? text->data() : nullptr;
    *n_bytes = text ? text->size() : 0;
  });
}

}  // extern "C"
