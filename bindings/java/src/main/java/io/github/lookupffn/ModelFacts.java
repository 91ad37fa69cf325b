// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Facts about a model, read once and for all. */
final class ModelFacts {
  final ModelInfo info;
  final List<ModelLayerInfo> layers;
  final List<String> labels;
  final Map<String, String> prompts;

  ModelFacts(long address) {
    long[] numbers = new long[Abi.MODEL_COUNT];
    Raw.modelInfo(address, numbers);
    info = new ModelInfo(numbers);
    List<ModelLayerInfo> told = new ArrayList<>();
    for (int i = 0; i < info.numLayers(); i++) {
      long[] layer = new long[Abi.MODEL_LAYER_COUNT];
      Raw.modelLayerInfo(address, i, layer);
      told.add(new ModelLayerInfo(layer));
    }
    layers = List.copyOf(told);
    List<String> names = new ArrayList<>();
    boolean ofTokens = numbers[Abi.MODEL_TOKEN_HEAD] == Abi.TOKEN_HEAD_CLASSES;
    int classes = ofTokens ? info.numTokenClasses() : info.numClasses();
    for (int i = 0; i < classes; i++) {
      names.add(Utf8.text(Raw.modelText(address, Abi.TEXT_LABEL, i)));
    }
    labels = List.copyOf(names);
    Map<String, String> texts = new LinkedHashMap<>();
    for (int i = 0; i < numbers[Abi.MODEL_NUM_PROMPTS]; i++) {
      texts.put(
          Utf8.text(Raw.modelText(address, Abi.TEXT_PROMPT_NAME, i)),
          Utf8.text(Raw.modelText(address, Abi.TEXT_PROMPT, i)));
    }
    prompts = Collections.unmodifiableMap(texts);
  }
}
