#include "api/read_config.h"

#include "api/boundary.h"

namespace lffn {

LayerConfig read_config(const lffn_layer_config* config) {
  need(config, "config");
  need_size(config->struct_size, sizeof(lffn_layer_config), "config");
  LayerConfig result;
  result.hidden_size = config->hidden_size;
  result.output_size = config->output_size == 0 ? config->hidden_size : config->output_size;
  result.num_tables = config->num_tables;
  result.table_size = config->table_size;
  result.projection = config->projection;
  result.block_size = config->block_size;
  result.activation = config->activation;
  result.num_probes = config->num_probes;
  result.layer_norm = config->layer_norm != 0;
  result.decay_coeff = config->decay_coeff;
  result.layer_norm_eps = config->layer_norm_eps;
  check_layer_config(result, LFFN_ERROR_INVALID_ARGUMENT);
  return result;
}

}  // namespace lffn
