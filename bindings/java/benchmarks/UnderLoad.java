// SPDX-License-Identifier: Apache-2.0
import io.github.lookupffn.BatchingOptions;
import io.github.lookupffn.EmbeddingBatcher;
import io.github.lookupffn.LoadOptions;
import io.github.lookupffn.Model;
import io.github.lookupffn.RunOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What queries wait for beside one call of 20,000 documents: java -cp JAR UnderLoad.java MODEL [SECONDS [WORDS]].
 *
 * <p>Prints a table, and fails where with the defaults a query waits for more than the batch that runs and its own, where one
 * is refused because of the documents, or where these get nothing. Times are those of the machine; batches are counted.
 */
final class UnderLoad {
  private static final int DOCUMENTS = 20_000;
  private static final String QUERY = "Which man is eating a large piece of bread at the long table?";
  private static final String WORDS = "A man is eating a piece of bread and a woman is reading an old book about gardens. ";

  private UnderLoad() {}

  /** Runs queries, and documents beside them. */
  private interface Runs extends AutoCloseable {
    void query();

    /** Begins all documents. */
    void begin(List<String> documents);

    /** How many texts were begun. */
    long texts();

    /** How many batches were begun; 0 where there are none. */
    long batches();

    @Override
    void close();
  }

  private static final class Batched implements Runs {
    private final EmbeddingBatcher batcher;
    private Runnable cancel = () -> {};

    Batched(Model model, BatchingOptions options) {
      batcher = new EmbeddingBatcher(model, options);
    }

    @Override
    public void query() {
      batcher.embed(QUERY).join();
    }

    @Override
    public void begin(List<String> documents) {
      var bulk = batcher.embed(documents, RunOptions.defaults());
      cancel = () -> bulk.cancel(false);
    }

    @Override
    public long texts() {
      return batcher.figures().batched();
    }

    @Override
    public long batches() {
      return batcher.figures().batches();
    }

    @Override
    public void close() {
      cancel.run();
      batcher.close();
    }
  }

  private static final class Alone implements Runs {
    private final Model model;
    private final AtomicLong texts = new AtomicLong();
    private final AtomicBoolean ended = new AtomicBoolean();
    private Thread bulk;

    Alone(Model model) {
      this.model = model;
    }

    @Override
    public void query() {
      model.embed(QUERY);
      texts.incrementAndGet();
    }

    @Override
    public void begin(List<String> documents) {
      bulk = new Thread(() -> {
        for (int from = 0; from < documents.size() && !ended.get(); from += 32) {
          List<String> part = documents.subList(from, Math.min(documents.size(), from + 32));
          model.embed(part);
          texts.addAndGet(part.size());
        }
      });
      bulk.start();
    }

    @Override
    public long texts() {
      return texts.get();
    }

    @Override
    public long batches() {
      return 0;
    }

    @Override
    public void close() {
      ended.set(true);
      try {
        if (bulk != null) {
          bulk.join();
        }
      } catch (InterruptedException interrupt) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** What was seen of queries, one after another. */
  private static final class Seen {
    final List<Long> nanos = new ArrayList<>();
    final List<Long> batches = new ArrayList<>();
    int refused;

    double ms(double part) {
      List<Long> sorted = new ArrayList<>(nanos);
      Collections.sort(sorted);
      return sorted.isEmpty() ? Double.NaN : sorted.get((int) Math.min(sorted.size() - 1, sorted.size() * part)) / 1e6;
    }

    long most(double part) {
      List<Long> sorted = new ArrayList<>(batches);
      Collections.sort(sorted);
      return sorted.isEmpty() ? 0 : sorted.get((int) Math.min(sorted.size() - 1, sorted.size() * part));
    }
  }

  /** Queries that come about ten milliseconds after the one before was answered, as people ask them. */
  private static Seen ask(Runs runs, double seconds) throws InterruptedException {
    Seen seen = new Seen();
    Random random = new Random(1);
    long end = System.nanoTime() + (long) (seconds * 1e9);
    while (System.nanoTime() < end) {
      Thread.sleep(5 + random.nextInt(11));
      long batches = runs.batches();
      long began = System.nanoTime();
      try {
        runs.query();
        seen.nanos.add(System.nanoTime() - began);
        seen.batches.add(runs.batches() - batches);
      } catch (RejectedExecutionException full) {
        seen.refused++;
      }
    }
    return seen;
  }

  private static double textsOfBulk(Runs runs, double seconds) throws InterruptedException {
    long before = runs.texts();
    Thread.sleep((long) (seconds * 1000));
    return (runs.texts() - before) / seconds;
  }

  private static boolean row(String what, Runs runs, List<String> documents, double seconds, boolean isDefault)
      throws InterruptedException {
    try (runs) {
      for (int i = 0; i < 20; i++) {
        runs.query();
      }
      Seen alone = ask(runs, Math.min(1, seconds));
      runs.begin(documents);
      double bulkAlone = textsOfBulk(runs, seconds);
      long before = runs.texts();
      Seen beside = ask(runs, seconds);
      double bulkBeside = (runs.texts() - before - beside.nanos.size()) / seconds;
      System.out.printf(
          "%-26s %8.2f %10.2f %10.2f %9d %8d %8d %10.0f %10.0f%n", what, alone.ms(0.5), beside.ms(0.5), beside.ms(0.99),
          beside.nanos.size(), beside.refused, beside.most(0.99), bulkAlone, bulkBeside);
      // A batch may begin between looking and asking, and one while the answer travels.
      return !isDefault || beside.refused == 0 && beside.most(0.99) <= 4 && bulkBeside > 0 && !beside.nanos.isEmpty();
    }
  }

  public static void main(String[] arguments) throws Exception {
    double seconds = arguments.length > 1 ? Double.parseDouble(arguments[1]) : 3;
    int repeats = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 12;
    List<String> documents = Collections.nCopies(DOCUMENTS, WORDS.repeat(repeats).trim());
    boolean good = true;
    try (Model model = Model.load(Path.of(arguments[0]), LoadOptions.defaults())) {
      System.out.printf("%d documents of %d tokens, queries of %d, %d threads%n", DOCUMENTS,
          Math.min(model.info().ownMaxTokens(), model.tokenize(documents.get(0)).length), model.tokenize(QUERY).length,
          model.info().numThreads());
      System.out.printf("%-26s %8s %10s %10s %9s %8s %8s %10s %10s%n", "", "a query", "beside", "99 of 100", "answered",
          "refused", "batches", "documents", "documents");
      System.out.printf("%-26s %8s %10s %10s %9s %8s %8s %10s %10s%n", "", "alone ms", "them ms", "ms", "", "", "", "alone /s",
          "beside /s");
      BatchingOptions defaults = BatchingOptions.defaults();
      good &= row("the defaults", new Batched(model, defaults), documents, seconds, true);
      row("32 texts of any size", new Batched(model, defaults.withMaxBatchTokens(1 << 20)), documents, seconds, false);
      row("4 texts of any size", new Batched(model, defaults.withMaxBatchTokens(1 << 20).withMaxBatch(4)), documents, seconds,
          false);
      row("no batches", new Alone(model), documents, seconds, false);
    }
    if (!good) {
      System.err.println("queries waited for more than they should, were refused, or the documents got nothing");
      System.exit(1);
    }
  }
}
