// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What models say of themselves: what becomes of their scores, their family, their config, their default prompt. */
class ModelFactsTest {
  private static final Path MADE = Path.of(System.getProperty("lookupffn.made.models"));
  private static final RunOptions DEFAULTS = RunOptions.defaults();

  private static Map<String, byte[]> files(String name) throws Exception {
    Path folder = MADE.resolve(name);
    Map<String, byte[]> files = new HashMap<>();
    try (Stream<Path> paths = Files.walk(folder)) {
      for (Path path : paths.filter(Files::isRegularFile).collect(Collectors.toList())) {
        files.put(folder.relativize(path).toString(), Files.readAllBytes(path));
      }
    }
    return files;
  }

  /** The classifier, whose config says something more. */
  private static Model with(String member) throws Exception {
    Map<String, byte[]> files = files("entailment");
    String json = new String(files.get("config.json"), StandardCharsets.UTF_8);
    files.put("config.json", json.replaceFirst("\\{", "{" + member + ", ").getBytes(StandardCharsets.UTF_8));
    return Model.load(files, LoadOptions.defaults());
  }

  private static double made(ScoreActivation activation, double x) {
    switch (activation) {
      case TANH:
        return Math.tanh(x);
      case RELU:
        return Math.max(x, 0);
      case SIGMOID:
        return 1 / (1 + Math.exp(-x));
      default:
        return x;
    }
  }

  @Test
  void scoresBecomeWhatTheInfoSays() throws Exception {
    Map<String, ScoreActivation> names = Map.of("Identity", ScoreActivation.IDENTITY, "Tanh", ScoreActivation.TANH, "ReLU",
        ScoreActivation.RELU, "Sigmoid", ScoreActivation.SIGMOID, "GELU", ScoreActivation.GELU);
    assertEquals(ScoreActivation.values().length, names.size());
    for (Map.Entry<String, ScoreActivation> named : names.entrySet()) {
      String member = "\"sbert_ce_default_activation_function\": \"torch.nn.modules.activation." + named.getKey() + "\"";
      try (Model model = with(member)) {
        assertEquals(named.getValue(), model.info().scoreActivation());
        float[] raw = model.classify("a text");
        float[] scores = model.classify("a text", DEFAULTS.withScores(ScoreKind.MODEL));
        for (int i = 0; i < raw.length && named.getValue() != ScoreActivation.GELU; i++) {
          assertEquals(made(named.getValue(), raw[i]), scores[i], 1e-5, named.getKey());
        }
      }
    }
    try (Model several = Model.load(MADE.resolve("entailment")); Model one = Model.load(MADE.resolve("reranker"))) {
      assertEquals(ScoreActivation.IDENTITY, several.info().scoreActivation());
      assertEquals(ScoreActivation.SIGMOID, one.info().scoreActivation());
    }
    assertThrows(IllegalArgumentException.class, () -> ScoreActivation.ofCode(99));
  }

  @Test
  void severalLabelsAndPooling() throws Exception {
    String member = "\"problem_type\": \"multi_label_classification\"";
    Map<String, byte[]> files = files("prompts");
    try (Model model = Model.load(MADE.resolve("entailment")); Model several = with(member);
        Model prompts = Model.load(files, LoadOptions.defaults())) {
      assertFalse(model.info().severalLabels());
      assertTrue(several.info().severalLabels());
      assertEquals(Pooling.MEAN, prompts.info().pooling());
      // The mean is taken unless the file says that it is not.
      String first = "{\"word_embedding_dimension\": " + prompts.info().hiddenSize() + ", \"pooling_mode_cls_token\": true";
      assertEquals(Pooling.MODEL, poolingOf(files, first + "}"));
      assertEquals(Pooling.FIRST, poolingOf(files, first + ", \"pooling_mode_mean_tokens\": false}"));
    }
    assertThrows(IllegalArgumentException.class, () -> Pooling.ofCode(99));
  }

  private static Pooling poolingOf(Map<String, byte[]> files, String json) {
    files.put("1_Pooling/config.json", json.getBytes(StandardCharsets.UTF_8));
    try (Model model = Model.load(files, LoadOptions.defaults())) {
      return model.info().pooling();
    }
  }

  @Test
  void familyAndConfig() throws Exception {
    Path folder = MADE.resolve("entailment");
    Model model = Model.load(folder);
    assertEquals("bert", model.family());
    assertEquals(Files.readString(folder.resolve("config.json")), model.config());
    model.close();
    assertThrows(IllegalStateException.class, model::family);
    assertThrows(IllegalStateException.class, model::config);
    assertThrows(IllegalStateException.class, model::defaultPrompt);
  }

  @Test
  void aPromptMayBeTheDefault() throws Exception {
    try (Model none = Model.load(MADE.resolve("prompts"))) {
      assertNull(none.defaultPrompt());
      assertEquals(List.of("query", "document"), List.copyOf(none.prompts().keySet()));
    }
    String prompts = "{\"prompts\": {\"query\": \"query: \", \"document\": \"passage: \"}, \"default_prompt_name\": \"document\"}";
    Map<String, byte[]> files = files("prompts");
    files.put("config_sentence_transformers.json", prompts.getBytes(StandardCharsets.UTF_8));
    try (Model model = Model.load(files, LoadOptions.defaults())) {
      assertEquals("document", model.defaultPrompt());
      Golden.assertSameBits(model.embed("passage: so", DEFAULTS.withoutPrompt()), model.embed("so"));
    }
  }
}
