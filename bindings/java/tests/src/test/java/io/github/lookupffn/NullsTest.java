// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every public method says which argument is null, but where null has a meaning. */
class NullsTest {
  // Null means something here, as their descriptions say.
  private static final List<Class<?>> MAY_BE_NULL =
      List.of(Cancellation.class, TextCounts.class, TextStatuses.class, ElementType.class, LogListener.class,
          LookupFfnRuntime.class, RunProgress.class, java.util.function.DoubleConsumer.class);
  private static final List<String> MAY_HAVE_NULLS =
      List.of("equals", "hash 2", "hash 3", "withIsa", "RuntimeOptions.withExecutor");

  private final Path folder;

  NullsTest() throws Exception {
    folder = GoldenModel.all().get(0).folder;
  }

  private Object example(Class<?> type) {
    Map<Class<?>, Object> known = Map.ofEntries(
        Map.entry(int.class, 1), Map.entry(long.class, 1L), Map.entry(float.class, 1f), Map.entry(boolean.class, true),
        Map.entry(String.class, "text"), Map.entry(int[].class, new int[] {1}), Map.entry(int[][].class, new int[][] {{1}}),
        Map.entry(long[].class, new long[] {0}), Map.entry(float[].class, new float[1 << 16]),
        Map.entry(byte[].class, new byte[1]), Map.entry(List.class, List.of("text")),
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
        Map.entry(Pooling.class, Pooling.MAX), Map.entry(ScoreKind.class, ScoreKind.RAW),
        Map.entry(Activation.class, Activation.GELU), Map.entry(Executor.class, Async.DEFAULT),
        Map.entry(Duration.class, Duration.ZERO), Map.entry(LayerConfig.class, LayerConfig.of(64, 2, 16)));
    return type == Stream.class ? Stream.of("text") : known.get(type);
  }

  @Test
  void nullsAreNamed() throws Exception {
    List<String> unnamed = new ArrayList<>();
    int tried = 0;
    try (Model model = Model.load(folder); Layer layer = Layer.random(LayerConfig.of(64, 2, 16));
        Tokenizer tokenizer = model.tokenizer(); EmbeddingBatcher batcher = new EmbeddingBatcher(model)) {
      Object[] objects = {
        model, layer, tokenizer, batcher, RunOptions.defaults(), LoadOptions.defaults(), ForwardOptions.defaults(),
        AnswerOptions.defaults(), ZeroShotOptions.defaults(), TokenizeOptions.defaults(), RuntimeOptions.defaults(),
        BatchingOptions.defaults(), LayerConfig.of(64, 2, 16)
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
            tryNull(object, method, i, unnamed);
          }
        }
      }
    }
    assertTrue(tried > 150, tried + " were tried");
    assertEquals(List.of(), unnamed);
  }

  private void tryNull(Object object, Method method, int place, List<String> unnamed) throws Exception {
    Object[] arguments = new Object[method.getParameterCount()];
    for (int k = 0; k < arguments.length; k++) {
      arguments[k] = k == place ? null : example(method.getParameterTypes()[k]);
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
