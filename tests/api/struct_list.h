/* SPDX-License-Identifier: Apache-2.0 */
/* Every struct of the C interface that may grow, with its last member. */
#define LFFN_STRUCTS(ENTRY)                    \
  ENTRY(lffn_load_options, adapter)            \
  ENTRY(lffn_save_options, progress_user)      \
  ENTRY(lffn_runtime_options, isa)             \
  ENTRY(lffn_file, read_user)                  \
  ENTRY(lffn_allocator, user)                  \
  ENTRY(lffn_layer_config, seed)               \
  ENTRY(lffn_tensor, size)                     \
  ENTRY(lffn_layer_info, scratch_bytes)        \
  ENTRY(lffn_forward_args, cancel)             \
  ENTRY(lffn_hash_args, progress_user)         \
  ENTRY(lffn_memory_estimate, loading_bytes)   \
  ENTRY(lffn_model_info, local_theta)          \
  ENTRY(lffn_model_layer_info, theta)          \
  ENTRY(lffn_model_run_args, min_weight)       \
  ENTRY(lffn_result_view, token_vector_scales) \
  ENTRY(lffn_tokenizer_info, memory_bytes)     \
  ENTRY(lffn_tokenize_args, reserved)          \
  ENTRY(lffn_tokenize_batch_args, num_threads) \
  ENTRY(lffn_answer_args, reserved)            \
  ENTRY(lffn_zero_shot_args, reserved)         \
  ENTRY(lffn_max_sim_args, capacity)           \
  ENTRY(lffn_rerank_args, order)
