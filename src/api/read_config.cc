#include "api/read_config.h"

#include "api/structs.h"

namespace lffn {

LayerConfig read_config(const lffn_layer_config* config) {
  const lffn_layer_config given = read_struct(config, "config");
  LayerConfig result;
  result.hidden_size = given.hidden_size;
  result.output_size = given.output_size == 0 ? given.hidden_size : given.output_size;
  result.num_tables = given.num_tables;
  result.table_size = given.table_size;
  result.projection = given.projection;
  result.block_size = given.block_size;
  result.activation = given.activation;
  result.num_probes = given.num_probes;
  result.layer_norm = given.layer_norm != 0;
  result.decay_coeff = given.decay_coeff;
  result.layer_norm_eps = given.layer_norm_eps;
  check_layer_config(result, LFFN_ERROR_INVALID_ARGUMENT);
  return result;
}

}  // namespace lffn
