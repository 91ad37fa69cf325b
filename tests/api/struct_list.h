/* SPDX-License-Identifier: Apache-2.0 */
/* Every struct of the C interface that may grow, with its last member. */
#define LFFN_STRUCTS(ENTRY)                      \
  ENTRY(lffn_load_options, adapter)              \
  ENTRY(lffn_save_options, progress_user)        \
  ENTRY(lffn_runtime_options, isa)               \
  ENTRY(lffn_file, read_user)                    \
  ENTRY(lffn_allocator, user)                    \
  ENTRY(lffn_layer_config, seed)                 \
  ENTRY(lffn_tensor, size)                       \
  ENTRY(lffn_layer_info, scratch_bytes)          \
  ENTRY(lffn_layer_run_args, cancel)             \
  ENTRY(lffn_layer_run_hash_args, progress_user) \
  ENTRY(lffn_memory_estimate, loading_bytes)     \
  ENTRY(lffn_model_shape, num_threads)           \
  ENTRY(lffn_model_heads, attends_to_filler)     \
  ENTRY(lffn_model_costs, scratch_bytes)         \
  ENTRY(lffn_model_layer_info, rope_theta)       \
  ENTRY(lffn_model_run_args, progress_user)      \
  ENTRY(lffn_tokenizer_info, memory_bytes)       \
  ENTRY(lffn_tokenizer_encode_args, cancel)      \
  ENTRY(lffn_tokenizer_decode_args, reserved)    \
  ENTRY(lffn_model_answer_args, cancel)          \
  ENTRY(lffn_model_zero_shot_args, cancel)       \
  ENTRY(lffn_max_sim_args, cancel)               \
  ENTRY(lffn_top_k_args, reserved)               \
  ENTRY(lffn_model_rerank_args, cancel)

/* Those of train.h, which is another library's. */
#define LFFN_TRAIN_STRUCTS(ENTRY) \
  ENTRY(lffn_train_weights, bias) \
  ENTRY(lffn_train_gradients, bias)
