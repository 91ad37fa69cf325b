// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static io.github.lookupffn.Golden.direct;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Arguments that do not fit give a clear exception and touch nothing. */
class ArgumentsTest {
  private static final int IN = 32;
  private static final int OUT = 16;
  private static final LayerConfig CONFIG = LayerConfig.of(IN, 4, 8).withBlockHadamardProjection(2, 16);
  private static final LoadOptions ONE_THREAD = LoadOptions.defaults().withNumThreads(1);
  // Null means something here, as their descriptions say.
  private static final List<Class<?>> MAY_BE_NULL =
      List.of(Cancellation.class, TextCounts.class, TextStatuses.class, ElementType.class, LogListener.class,
          LookupFfnRuntime.class, Nearest.class, RunProgress.class, java.util.function.DoubleConsumer.class);
  private static final List<String> MAY_HAVE_NULLS =
      List.of("equals", "hash 2", "hash 3", "withAdapter", "withIsa", "RuntimeOptions.withExecutor");

  private final Layer layer = Layer.random(CONFIG.withOutputSize(OUT), ONE_THREAD);
  private final Layer square = Layer.random(CONFIG, ONE_THREAD);

  @AfterEach
  void close() {
    layer.close();
    square.close();
  }

  private static void rejects(String text, Executable call) {
    String message = assertThrows(IllegalArgumentException.class, call).getMessage();
    assertTrue(message.contains(text), message);
  }

  @Test
  void noTokens() {
    layer.forward(new float[0], 0, new float[0]);
    layer.forward(direct(0), 0, direct(0));
    layer.hash(new float[0], 0, new int[0], new float[0]);
  }

  @Test
  void arraysTooSmall() {
    float[] x = new float[2 * IN];
    float[] y = new float[2 * OUT];
    rejects("x has 64 elements from its offset on, but 96 are needed", () -> layer.forward(x, 3, y));
    rejects("y has 31 elements from its offset on, but 32 are needed", () -> layer.forward(x, 2, new float[31]));
    rejects("x has 63 elements", () -> layer.forward(x, 1, 2, y, 0));
    rejects("y has 31 elements", () -> layer.forward(x, 0, 2, y, 1));
    rejects("offset is -1", () -> layer.forward(x, -1, 1, y, 0));
    rejects("offset is 65", () -> layer.forward(x, 65, 0, y, 0));
    rejects("offset is -2", () -> layer.forward(x, 0, 1, y, -2));
    rejects("nTokens is -1", () -> layer.forward(x, -1, y));
    rejects("are needed", () -> layer.forward(x, Integer.MAX_VALUE, y));
    rejects("codes has 7 elements", () -> layer.hash(x, 2, new int[7], null));
    rejects("scores has 7 elements", () -> layer.hash(x, 2, null, new float[7]));
    rejects("x has 64 elements", () -> layer.hash(x, 3, null, null));
  }

  @Test
  void buffersThatCannotBeUsed() {
    FloatBuffer x = direct(2 * IN);
    FloatBuffer y = direct(2 * OUT);
    rejects("x is not a direct buffer", () -> layer.forward(FloatBuffer.allocate(2 * IN), 2, y));
    rejects("y is not a direct buffer", () -> layer.forward(x, 2, FloatBuffer.wrap(new float[2 * OUT])));
    boolean little = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    ByteOrder wrong = little ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    FloatBuffer swapped = ByteBuffer.allocateDirect(8 * IN).order(wrong).asFloatBuffer();
    rejects("x is " + wrong, () -> layer.forward(swapped, 2, y));
    rejects("y is " + wrong, () -> layer.forward(x, 2, swapped));
    rejects("y is read-only", () -> layer.forward(x, 2, y.asReadOnlyBuffer()));
    rejects("x has 64 elements from its position on, but 96", () -> layer.forward(x, 3, y));
    rejects("y has 31 elements from its position on, but 32", () -> layer.forward(x, 2, y.duplicate().position(1)));
    rejects("y has 31 elements", () -> layer.forward(x, 2, y.duplicate().limit(31)));
    rejects("nTokens is -1", () -> layer.forward(x, -1, y));
  }

  @Test
  void overlaps() {
    FloatBuffer buffer = direct(4 * IN);
    rejects("overlap", () -> square.forward(buffer, 2, buffer.duplicate().position(1)));
    rejects("overlap", () -> layer.forward(buffer, 2, buffer));
    square.forward(buffer, 2, buffer.duplicate().position(2 * IN));
    float[] array = new float[4 * IN];
    rejects("overlap", () -> square.forward(array, 0, 2, array, 1));
    rejects("overlap", () -> square.forward(array, 1, 2, array, 0));
    rejects("overlap", () -> layer.forward(array, 2, array));
    square.forward(array, 0, 2, array, 2 * IN);
    layer.forward(array, 2 * OUT, 2, array, 0);
  }

  @Test
  void nulls() {
    float[] x = new float[IN];
    assertThrows(NullPointerException.class, () -> layer.forward(null, 1, x));
    assertThrows(NullPointerException.class, () -> layer.forward(x, 1, null));
    assertThrows(NullPointerException.class, () -> layer.forward((FloatBuffer) null, 1, direct(OUT)));
    assertThrows(NullPointerException.class, () -> layer.forward(direct(IN), 1, null));
    assertThrows(NullPointerException.class, () -> layer.forward(x, 0, 1, new float[OUT], 0, null));
    assertThrows(NullPointerException.class, () -> layer.hash(null, 1, null, null));
    assertThrows(NullPointerException.class, () -> Layer.load((java.nio.file.Path) null));
    assertThrows(NullPointerException.class, () -> Layer.load((byte[]) null));
    assertThrows(NullPointerException.class, () -> Layer.load(new byte[0], null));
    assertThrows(NullPointerException.class, () -> Layer.random(null));
    assertThrows(NullPointerException.class, () -> layer.save(null));
  }

  @Test
  void infoTellsWhatWasAskedFor() {
    LayerInfo info = layer.info();
    assertEquals(IN, info.hiddenSize());
    assertEquals(OUT, info.outputSize());
    assertEquals(IN, layer.inputSize());
    assertEquals(OUT, layer.outputSize());
    assertEquals(4, info.numTables());
    assertEquals(8, info.tableSize());
    assertEquals(3, info.codeBits());
    assertEquals("bh2", info.projection());
    assertEquals(16, info.blockSize());
    assertEquals(1, info.numChains());
    assertEquals(Activation.GELU, info.activation());
    assertEquals(1, info.numProbes());
    assertTrue(info.layerNorm());
    assertEquals(0.7f, info.decayCoeff());
    assertEquals(1e-5f, info.layerNormEps());
    assertEquals(ElementType.F32, info.tableType());
    assertEquals(ElementType.F32, info.hashType());
    assertEquals(1, info.numThreads());
    assertEquals(1 * 2 * (2 * 32 * 16 + 32 * 5) + 2 * 4 * 16, info.flopPerToken());
    assertTrue(info.numParameters() > 4 * 8 * 16, info.toString());
    assertEquals(4 * info.numParameters(), info.fileBytes());
    assertTrue(info.memoryBytes() >= 4 * 4 * 8 * 16, info.toString());
    assertTrue(info.scratchBytes() > 0);
    assertTrue(layer.toString().contains("bh2"), layer.toString());
  }

  @Test
  void elementTypesReachTheLayer() {
    ElementType[][] pairs = {
      {ElementType.BF16, ElementType.F32}, {ElementType.INT8, ElementType.F32}, {ElementType.F32, ElementType.INT8}
    };
    float[] x = new float[IN];
    for (int i = 0; i < IN; i++) {
      x[i] = (float) Math.sin(i);
    }
    float[] expected = new float[OUT];
    layer.forward(x, 1, expected);
    for (ElementType[] pair : pairs) {
      LoadOptions options =
          LoadOptions.defaults().withTableType(pair[0]).withHashType(pair[1]).withFlushedDenormals(true);
      try (Layer other = Layer.random(CONFIG.withOutputSize(OUT), options)) {
        assertEquals(pair[0], other.info().tableType());
        assertEquals(pair[1], other.info().hashType());
        float[] y = new float[OUT];
        other.forward(x, 1, y);
        assertTrue(!Arrays.equals(expected, y), pair[0] + " tables and " + pair[1] + " hash changed nothing");
      }
    }
  }

  @Test
  void configReachesTheLayer() {
    LayerConfig config = LayerConfig.of(24, 3, 4).withDenseProjection().withActivation(Activation.SIGMOID)
        .withNumProbes(2).withLayerNorm(false).withLayerNormEps(1e-3f).withDecayCoeff(0.25f).withSeed(-1);
    try (Layer first = Layer.random(config);
        Layer same = Layer.random(config);
        Layer other = Layer.random(config.withSeed(2))) {
      LayerInfo info = first.info();
      assertEquals("dense", info.projection());
      assertEquals(0, info.blockSize());
      assertEquals(Activation.SIGMOID, info.activation());
      assertEquals(2, info.numProbes());
      assertEquals(false, info.layerNorm());
      assertEquals(1e-3f, info.layerNormEps());
      assertEquals(0.25f, info.decayCoeff());
      float[] x = new float[24];
      x[5] = 1;
      float[][] y = new float[3][24];
      first.forward(x, 1, y[0]);
      same.forward(x, 1, y[1]);
      other.forward(x, 1, y[2]);
      Golden.assertSameBits(y[0], y[1]);
      assertTrue(!Arrays.equals(y[0], y[2]));
    }
  }

  private static Object example(Class<?> type, Path folder) {
    Map<Class<?>, Object> known = Map.ofEntries(
        Map.entry(int.class, 1), Map.entry(long.class, 1L), Map.entry(float.class, 1f), Map.entry(boolean.class, true),
        Map.entry(String.class, "text"), Map.entry(int[].class, new int[] {1}), Map.entry(int[][].class, new int[][] {{1}}),
        Map.entry(long[].class, new long[] {0}), Map.entry(long[][].class, new long[][] {{0}}),
        Map.entry(float[].class, new float[1 << 16]), Map.entry(float[][].class, new float[][] {{1}}),
        Map.entry(byte[].class, new byte[1]), Map.entry(byte[][].class, new byte[][] {{1}}),
        Map.entry(java.util.BitSet.class, new java.util.BitSet()), Map.entry(Measure.class, Measure.DOT),
        Map.entry(Int8Embedding.class, new Int8Embedding(new byte[1], 1)),
        Map.entry(Vectors.class, Vectors.ofInt8(new byte[1], 1)), Map.entry(SearchOptions.class, SearchOptions.defaults()),
        Map.entry(ByteBuffer.class, ByteBuffer.allocate(1)), Map.entry(List.class, List.of("text")),
        Map.entry(Map.class, Map.of("a", new byte[1])), Map.entry(Path.class, folder),
        Map.entry(FloatBuffer.class, java.nio.ByteBuffer.allocateDirect(1 << 18)
            .order(java.nio.ByteOrder.nativeOrder()).asFloatBuffer()),
        Map.entry(RunOptions.class, RunOptions.defaults()), Map.entry(LoadOptions.class, LoadOptions.defaults()),
        Map.entry(SaveOptions.class, SaveOptions.defaults()),
        Map.entry(ForwardOptions.class, ForwardOptions.defaults()),
        Map.entry(AnswerOptions.class, AnswerOptions.defaults()),
        Map.entry(ZeroShotOptions.class, ZeroShotOptions.defaults()),
        Map.entry(TokenizeOptions.class, TokenizeOptions.defaults()),
        Map.entry(RuntimeOptions.class, RuntimeOptions.defaults()),
        Map.entry(BatchingOptions.class, BatchingOptions.defaults()), Map.entry(Aggregation.class, Aggregation.SIMPLE),
        Map.entry(Input.class, Input.text("text")), Map.entry(Output.class, Output.EMBEDDINGS),
        Map.entry(Pooling.class, Pooling.MAX), Map.entry(ScoreKind.class, ScoreKind.RAW),
        Map.entry(Activation.class, Activation.GELU), Map.entry(Executor.class, Async.DEFAULT),
        Map.entry(Duration.class, Duration.ZERO), Map.entry(LayerConfig.class, LayerConfig.of(64, 2, 16)));
    return type == Stream.class ? Stream.of("text") : known.get(type);
  }

  /** Every public method says which argument is null, but where null has a meaning. */
  @Test
  void nullsAreNamed() throws Exception {
    Path folder = GoldenModel.all().get(0).folder;
    List<String> unnamed = new ArrayList<>();
    int tried = 0;
    try (Model model = Model.load(folder); Layer other = Layer.random(LayerConfig.of(64, 2, 16));
        Tokenizer tokenizer = model.tokenizer(); EmbeddingBatcher batcher = new EmbeddingBatcher(model)) {
      Object[] objects = {
        model, other, tokenizer, batcher, RunOptions.defaults(), LoadOptions.defaults(), ForwardOptions.defaults(),
        AnswerOptions.defaults(), ZeroShotOptions.defaults(), TokenizeOptions.defaults(), RuntimeOptions.defaults(),
        BatchingOptions.defaults(), LayerConfig.of(64, 2, 16), SearchOptions.defaults(), Vectors.ofInt8(new byte[1], 1)
      };
      for (Object object : objects) {
        for (Method method : object.getClass().getMethods()) {
          if (method.getDeclaringClass() == Object.class || method.isBridge() && Modifier.isVolatile(method.getModifiers())
              && method.getReturnType() == Object.class) {
            continue;
          }
          for (int i = 0; i < method.getParameterCount(); i++) {
            Class<?> type = method.getParameterTypes()[i];
            String name = object.getClass().getSimpleName() + "." + method.getName();
            if (type.isPrimitive() || MAY_BE_NULL.contains(type) || MAY_HAVE_NULLS.contains(method.getName())
                || MAY_HAVE_NULLS.contains(method.getName() + " " + i) || MAY_HAVE_NULLS.contains(name)) {
              continue;
            }
            tried++;
            tryNull(object, method, i, folder, unnamed);
          }
        }
      }
    }
    assertTrue(tried > 150, tried + " were tried");
    assertEquals(List.of(), unnamed);
  }

  private static void tryNull(Object object, Method method, int place, Path folder, List<String> unnamed)
      throws Exception {
    Object[] arguments = new Object[method.getParameterCount()];
    for (int k = 0; k < arguments.length; k++) {
      arguments[k] = k == place ? null : example(method.getParameterTypes()[k], folder);
    }
    String call = object.getClass().getSimpleName() + "." + method.getName() + " argument " + place;
    try {
      Object result = method.invoke(object, arguments);
      if (result instanceof CompletableFuture) {
        ((CompletableFuture<?>) result).join();
      }
      unnamed.add(call + " accepts null");
    } catch (InvocationTargetException | CompletionException thrown) {
      Throwable failure = thrown.getCause();
      String message = String.valueOf(failure.getMessage());
      // The virtual machine's own messages say what could not be done, not which argument it was.
      if (!(failure instanceof NullPointerException) || !message.matches("[\\w\\[\\]]+( is null)?|a name of files")) {
        unnamed.add(call + ": " + failure);
      }
    }
  }
}
