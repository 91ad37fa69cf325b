/* SPDX-License-Identifier: Apache-2.0 */
/* Every struct of the C interface that may grow, with its last member. */
#define LFFN_STRUCTS(ENTRY)                  \
  ENTRY(lffn_load_options, progress_user)    \
  ENTRY(lffn_runtime_options, isa)           \
  ENTRY(lffn_file, size)                     \
  ENTRY(lffn_allocator, user)                \
  ENTRY(lffn_layer_config, seed)             \
  ENTRY(lffn_tensor, size)                   \
  ENTRY(lffn_layer_info, scratch_bytes)      \
  ENTRY(lffn_forward_args, cancel)           \
  ENTRY(lffn_memory_estimate, loading_bytes) \
  ENTRY(lffn_model_info, num_token_classes)  \
  ENTRY(lffn_model_layer_info, file_bytes)   \
  ENTRY(lffn_model_run_args, reserved)       \
  ENTRY(lffn_result_view, entity_labels)     \
  ENTRY(lffn_tokenizer_info, own_max_tokens) \
  ENTRY(lffn_tokenize_args, reserved)        \
  ENTRY(lffn_answer_args, reserved)          \
  ENTRY(lffn_zero_shot_args, reserved)       \
  ENTRY(lffn_train_weights, bias)            \
  ENTRY(lffn_train_gradients, bias)
