// SPDX-License-Identifier: Apache-2.0
// A plugin with the static library inside, as programs load and unload them.
#include <lookupffn/lookupffn.h>

#include <cstring>
#include <vector>

// Runs a layer with four threads. 0: well.
extern "C" __attribute__((visibility("default"))) int plugin_run() {
  lffn_layer_config config;
  lffn_layer_config_init(&config);
  config.hidden_size = 64;
  config.num_tables = 8;
  config.table_size = 16;
  std::vector<float> x(64 * 1024, 0.5f), y(x.size()), alone(x.size());
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 101) - 50.0f;
  for (const int threads : {1, 4}) {
    lffn_load_options options;
    lffn_load_options_init(&options);
    options.num_threads = threads;
    lffn_layer* layer = nullptr;
    if (lffn_layer_create(&config, nullptr, 0, &options, &layer) != LFFN_OK) return 1;
    for (int call = 0; call < 10; ++call) {
      if (lffn_layer_forward(layer, x.data(), 1024, threads == 1 ? alone.data() : y.data()) != LFFN_OK) return 2;
    }
    lffn_layer_free(layer);
  }
  return std::memcmp(alone.data(), y.data(), y.size() * sizeof(float)) == 0 ? 0 : 3;
}

extern "C" __attribute__((visibility("default"))) void plugin_stop() { lffn_shutdown_threads(); }
