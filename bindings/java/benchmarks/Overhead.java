// SPDX-License-Identifier: Apache-2.0
import io.github.lookupffn.Layer;
import io.github.lookupffn.LayerConfig;
import io.github.lookupffn.LoadOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a forward of one token on a tiny layer takes from Java beyond what it takes from C.
 *
 * <p>{@code java -cp lookupffn.jar Overhead.java CALL_TIME LIMIT [FORKS]} runs virtual machines one after another; each
 * warms up, then takes turns with the C program CALL_TIME, so that both see the same machine. Fails if the median over
 * the machines is LIMIT nanoseconds or more.
 */
final class Overhead {
  private static final int CALLS = 1000;
  private static final int HIDDEN = 16;
  private static final int ROUNDS = 5;
  private static final long ROUND_NANOS = 200_000_000;
  private static final long WARM_UP_NANOS = 2_000_000_000;

  private Overhead() {}

  public static void main(String[] arguments) throws Exception {
    if (arguments[0].equals("fork")) {
      fork(arguments[1]);
      return;
    }
    double limit = Double.parseDouble(arguments[1]);
    int forks = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 3;
    List<Double> arrays = new ArrayList<>();
    List<Double> buffers = new ArrayList<>();
    for (int i = 0; i < forks; i++) {
      String line = run(Paths.get(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
          System.getProperty("java.class.path"), System.getProperty("overhead.source"), "fork", arguments[0]);
      double[] times = Arrays.stream(line.split(" ")).mapToDouble(Double::parseDouble).toArray();
      System.out.printf("fork %d: C %.0f ns, arrays %.0f ns, direct buffers %.0f ns%n", i + 1, times[0], times[1],
          times[2]);
      arrays.add(times[1] - times[0]);
      buffers.add(times[2] - times[0]);
    }
    System.out.printf("beyond C, median of %d forks: arrays %.0f ns, direct buffers %.0f ns (limit %.0f)%n", forks,
        median(arrays), median(buffers), limit);
    if (median(arrays) >= limit || median(buffers) >= limit) {
      System.exit(1);
    }
  }

  private static void fork(String callTime) throws Exception {
    LayerConfig config = LayerConfig.of(HIDDEN, 4, 4).withBlockHadamardProjection(4, 16);
    float[] x = new float[HIDDEN];
    for (int i = 0; i < HIDDEN; i++) {
      x[i] = i;
    }
    float[] y = new float[HIDDEN];
    FloatBuffer in = direct().put(x).rewind();
    FloatBuffer out = direct();
    try (Layer layer = Layer.random(config, LoadOptions.defaults().withNumThreads(1))) {
      Runnable onArrays = () -> {
        for (int i = 0; i < CALLS; i++) {
          layer.forward(x, 1, y);
        }
      };
      Runnable onBuffers = () -> {
        for (int i = 0; i < CALLS; i++) {
          layer.forward(in, 1, out);
        }
      };
      time(onArrays, WARM_UP_NANOS);
      time(onBuffers, WARM_UP_NANOS);
      List<Double> c = new ArrayList<>();
      List<Double> arrays = new ArrayList<>();
      List<Double> buffers = new ArrayList<>();
      for (int round = 0; round < ROUNDS; round++) {
        c.add(Double.parseDouble(run(callTime, String.valueOf(ROUND_NANOS / 1e9))));
        arrays.add(time(onArrays, ROUND_NANOS));
        buffers.add(time(onBuffers, ROUND_NANOS));
      }
      System.out.println(median(c) + " " + median(arrays) + " " + median(buffers));
    }
  }

  private static FloatBuffer direct() {
    return ByteBuffer.allocateDirect(4 * HIDDEN).order(ByteOrder.nativeOrder()).asFloatBuffer();
  }

  /** The median time of a call, in nanoseconds. */
  private static double time(Runnable calls, long nanos) {
    List<Double> samples = new ArrayList<>();
    long begin = System.nanoTime();
    for (long before = begin; before < begin + nanos; ) {
      calls.run();
      long after = System.nanoTime();
      samples.add((double) (after - before) / CALLS);
      before = after;
    }
    return median(samples);
  }

  private static double median(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    return sorted[sorted.length / 2];
  }

  private static String run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String output = new String(process.getInputStream().readAllBytes()).trim();
    if (process.waitFor() != 0) {
      throw new IOException(command[0] + " failed: " + output);
    }
    return output;
  }
}
