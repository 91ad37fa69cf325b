// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What a search finds is what comparing each pair finds, in whatever form vectors come. */
class SearchTest {
  private static final SearchOptions DEFAULTS = SearchOptions.defaults();
  private static final int SIZE = 19;
  private static final int COUNT = 301;
  private static final int QUERIES = 9;

  private final Random random = new Random(61);
  private final float[][] vectors = rows(COUNT);
  private final float[][] queries = rows(QUERIES);

  private float[][] rows(int count) {
    float[][] rows = new float[count][SIZE];
    for (float[] row : rows) {
      for (int i = 0; i < row.length; i++) {
        row[i] = random.nextInt(9) - 4;
      }
    }
    return rows;
  }

  private static byte[] bytes(float[][] rows) {
    byte[] bytes = new byte[rows.length * SIZE];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) rows[i / SIZE][i % SIZE];
    }
    return bytes;
  }

  private static byte[][] bits(float[][] rows) {
    byte[][] bits = new byte[rows.length][(SIZE + 7) / 8];
    for (int i = 0; i < rows.length * SIZE; i++) {
      bits[i / SIZE][i % SIZE / 8] |= (byte) (rows[i / SIZE][i % SIZE] > 0 ? 0x80 >> i % SIZE % 8 : 0);
    }
    return bits;
  }

  private static byte[] joined(byte[][] rows) {
    byte[] all = new byte[rows.length * rows[0].length];
    for (int i = 0; i < rows.length; i++) {
      System.arraycopy(rows[i], 0, all, i * rows[i].length, rows[i].length);
    }
    return all;
  }

  private static float[] flat(float[][] rows) {
    float[] all = new float[rows.length * SIZE];
    for (int i = 0; i < all.length; i++) {
      all[i] = rows[i / SIZE][i % SIZE];
    }
    return all;
  }

  private static double dot(float[] a, float[] b) {
    return IntStream.range(0, a.length).mapToDouble(i -> (double) a[i] * b[i]).sum();
  }

  private static double cosine(float[] a, float[] b) {
    double lengths = Math.sqrt(dot(a, a) * dot(b, b));
    return lengths == 0 ? 0 : dot(a, b) / lengths;
  }

  private static int differing(float[] a, float[] b) {
    return (int) IntStream.range(0, a.length).filter(i -> a[i] > 0 != b[i] > 0).count();
  }

  /** The k nearest, as sorting finds them. */
  private static long[] nearest(int k, IntStream among, IntToDoubleFunction score) {
    return among.boxed()
        .sorted(Comparator.<Integer>comparingDouble(i -> -score.applyAsDouble(i)).thenComparing(i -> i))
        .limit(k)
        .mapToLong(i -> i)
        .toArray();
  }

  @Test
  void floatsAreFoundAsSortingFindsThem() {
    Nearest found = Vectors.topK(Vectors.of(queries), Vectors.of(vectors), DEFAULTS.withK(7));
    assertEquals(QUERIES, found.queries());
    assertEquals(7, found.k());
    for (int q = 0; q < QUERIES; q++) {
      float[] query = queries[q];
      assertArrayEquals(nearest(7, IntStream.range(0, COUNT), i -> dot(query, vectors[i])), found.ids()[q]);
      for (int i = 0; i < 7; i++) {
        assertEquals((float) dot(query, vectors[(int) found.ids()[q][i]]), found.scores()[q][i]);
        assertEquals(found.ids()[q][i], found.of(q).get(i).id());
        assertEquals(found.scores()[q][i], found.of(q).get(i).score());
      }
    }
    assertEquals(10, Vectors.topK(Vectors.of(queries), Vectors.of(vectors), DEFAULTS).of(0).size());
  }

  @Test
  void allFormsOfFloatsFindTheSame() {
    Nearest expected = Vectors.topK(Vectors.of(queries), Vectors.of(vectors), DEFAULTS);
    FloatBuffer direct = ByteBuffer.allocateDirect(4 * (COUNT * SIZE + 3)).order(ByteOrder.nativeOrder()).asFloatBuffer();
    direct.position(2);
    direct.put(flat(vectors)).limit(direct.position()).position(2);
    FloatBuffer swapped = ByteBuffer.allocate(4 * COUNT * SIZE).asFloatBuffer().put(flat(vectors)).flip();
    FloatBuffer part = FloatBuffer.wrap(flat(vectors)).position(SIZE);
    for (Vectors form : List.of(
        Vectors.of(Arrays.asList(vectors)), Vectors.of(flat(vectors), SIZE), Vectors.of(direct, SIZE),
        Vectors.of(direct.asReadOnlyBuffer(), SIZE), Vectors.of(swapped, SIZE))) {
      assertEquals(COUNT, form.count());
      assertEquals(SIZE, form.size());
      assertEquals(expected, Vectors.topK(Vectors.of(flat(queries), SIZE), form, DEFAULTS));
    }
    assertEquals(COUNT - 1, Vectors.of(part, SIZE).count());
    assertEquals(2, direct.position());
    // More than is kept in the heap; and a direct buffer is seen as it is.
    float[][] many = rows(5000);
    Vectors large = Vectors.of(many);
    FloatBuffer shared = ByteBuffer.allocateDirect(4 * 5000 * SIZE).order(ByteOrder.nativeOrder()).asFloatBuffer();
    Vectors view = Vectors.of(shared, SIZE);
    shared.duplicate().put(flat(many));
    assertEquals(Vectors.topK(Vectors.of(queries[0]), large, DEFAULTS), Vectors.topK(Vectors.of(queries[0]), view, DEFAULTS));
    assertArrayEquals(
        nearest(10, IntStream.range(0, 5000), i -> dot(queries[0], many[i])),
        Vectors.topK(Vectors.of(queries[0]), large, DEFAULTS).ids()[0]);
    // A copy stays what it was.
    float[] one = queries[0].clone();
    Vectors kept = Vectors.of(one);
    Arrays.fill(one, 9);
    assertArrayEquals(expected.ids()[0], Vectors.topK(kept, Vectors.of(vectors), DEFAULTS).ids()[0]);
  }

  @Test
  void cosines() {
    vectors[5] = new float[SIZE];
    Nearest found = Vectors.topK(Vectors.of(queries), Vectors.of(vectors), DEFAULTS.withK(COUNT).withMeasure(Measure.COSINE));
    Nearest small = Vectors.topK(
        Vectors.ofInt8(bytes(queries), SIZE).withScale(3), Vectors.ofInt8(bytes(vectors), SIZE),
        DEFAULTS.withK(COUNT).withMeasure(Measure.COSINE));
    for (int q = 0; q < QUERIES; q++) {
      for (int i = 0; i < COUNT; i++) {
        int id = (int) found.ids()[q][i];
        assertEquals(cosine(queries[q], vectors[id]), found.scores()[q][i], 1e-6);
        assertEquals(cosine(queries[q], vectors[(int) small.ids()[q][i]]), small.scores()[q][i], 1e-6);
        assertTrue(i == 0 || found.scores()[q][i - 1] >= found.scores()[q][i]);
      }
    }
  }

  @Test
  void bytesHaveScales() {
    float[] scales = new float[COUNT];
    List<Int8Embedding> rows = new ArrayList<>();
    for (int i = 0; i < COUNT; i++) {
      scales[i] = i % 4 == 0 ? 0.5f : 0.25f;
      rows.add(new Int8Embedding(Arrays.copyOfRange(bytes(vectors), i * SIZE, (i + 1) * SIZE), scales[i]));
    }
    Vectors asked = Vectors.ofInt8(bytes(queries), SIZE);
    Vectors each = Vectors.ofInt8(bytes(vectors), SIZE).withScales(scales);
    Nearest found = Vectors.topK(asked, each, DEFAULTS);
    for (int q = 0; q < QUERIES; q++) {
      float[] query = queries[q];
      assertArrayEquals(nearest(10, IntStream.range(0, COUNT), i -> scales[i] * dot(query, vectors[i])), found.ids()[q]);
      assertEquals((float) (scales[(int) found.ids()[q][0]] * dot(query, vectors[(int) found.ids()[q][0]])), found.scores()[q][0]);
    }
    assertEquals(found, Vectors.topK(asked, Vectors.ofInt8(rows), DEFAULTS));
    ByteBuffer direct = ByteBuffer.allocateDirect(COUNT * SIZE + 1);
    direct.position(1);
    direct.put(bytes(vectors)).position(1);
    assertEquals(found, Vectors.topK(asked, Vectors.ofInt8(direct, SIZE).withScales(scales), DEFAULTS));
    Nearest doubled = Vectors.topK(asked.withScale(2), Vectors.ofInt8(direct, SIZE).withScale(0.5f), DEFAULTS);
    assertEquals(Vectors.topK(asked, Vectors.ofInt8(direct, SIZE), DEFAULTS), doubled);
    assertEquals(
        (float) (0.5 * 0.25 * dot(vectors[0], vectors[1])), Vectors.dot(rows.get(0), rows.get(1)));
  }

  @Test
  void bitsAreComparedByHowManyDiffer() {
    byte[] all = joined(bits(vectors));
    Nearest found = Vectors.topK(
        Vectors.ofBits(bits(queries)), Vectors.ofBits(bits(vectors)), DEFAULTS.withMeasure(Measure.COSINE));
    for (int q = 0; q < QUERIES; q++) {
      float[] query = queries[q];
      assertArrayEquals(nearest(10, IntStream.range(0, COUNT), i -> -differing(query, vectors[i])), found.ids()[q]);
      assertEquals(differing(query, vectors[(int) found.ids()[q][9]]), found.scores()[q][9]);
      assertEquals(
          differing(query, vectors[0]), Vectors.hamming(bits(queries)[q], bits(vectors)[0]));
    }
    for (int i = 2; i < all.length; i += 3) {
      all[i] |= 0x1f; // behind the last bit
    }
    ByteBuffer direct = ByteBuffer.allocateDirect(all.length).put(all).flip();
    Vectors asked = Vectors.ofBits(joined(bits(queries)), SIZE);
    assertEquals(found, Vectors.topK(asked, Vectors.ofBits(all, SIZE), DEFAULTS));
    assertEquals(found, Vectors.topK(asked, Vectors.ofBits(direct, SIZE), DEFAULTS));
  }

  @Test
  void pairs() {
    Nearest found = Vectors.topK(Vectors.of(queries[0]), Vectors.of(vectors), DEFAULTS.withK(COUNT));
    Nearest cosines =
        Vectors.topK(Vectors.of(queries[0]), Vectors.of(vectors), DEFAULTS.withK(COUNT).withMeasure(Measure.COSINE));
    for (int i = 0; i < COUNT; i += 50) {
      assertEquals(found.scores()[0][i], Vectors.dot(queries[0], vectors[(int) found.ids()[0][i]]));
      assertEquals(cosines.scores()[0][i], Vectors.cosine(queries[0], vectors[(int) cosines.ids()[0][i]]));
    }
    assertEquals(0, Vectors.cosine(queries[0], new float[SIZE]));
    assertThrows(IllegalArgumentException.class, () -> Vectors.dot(queries[0], new float[SIZE - 1]));
  }

  @Test
  void filters() {
    BitSet odd = new BitSet();
    IntStream.range(0, COUNT).filter(i -> i % 2 == 1).forEach(odd::set);
    Nearest masked = Vectors.topK(Vectors.of(queries), Vectors.of(vectors), DEFAULTS.withTakingPart(odd));
    Nearest listed = Vectors.topK(Vectors.of(queries), Vectors.of(vectors),
        DEFAULTS.withCandidates(odd.stream().mapToLong(i -> i).toArray()));
    assertEquals(masked, listed);
    for (int q = 0; q < QUERIES; q++) {
      float[] query = queries[q];
      assertArrayEquals(nearest(10, odd.stream(), i -> dot(query, vectors[i])), masked.ids()[q]);
    }
    // Bits find some, which bytes put in order.
    Nearest some = Vectors.topK(Vectors.ofBits(bits(queries)), Vectors.ofBits(bits(vectors)), DEFAULTS.withK(50));
    Nearest ordered = Vectors.topK(
        Vectors.ofInt8(bytes(queries), SIZE), Vectors.ofInt8(bytes(vectors), SIZE),
        DEFAULTS.withK(5).withCandidatesOfEach(some.ids()));
    for (int q = 0; q < QUERIES; q++) {
      float[] query = queries[q];
      IntStream among = LongStream.of(some.ids()[q]).mapToInt(id -> (int) id);
      assertArrayEquals(nearest(5, among, i -> dot(query, vectors[i])), ordered.ids()[q]);
    }
    Nearest none = Vectors.topK(Vectors.of(queries), Vectors.of(vectors), DEFAULTS.withCandidates(new long[0]));
    assertEquals(List.of(), none.of(QUERIES - 1));
    assertEquals(none, Vectors.topK(Vectors.of(queries), Vectors.of(vectors), DEFAULTS.withTakingPart(new BitSet())));
    assertEquals(none,
        Vectors.topK(Vectors.of(queries), Vectors.of(vectors), DEFAULTS.withCandidatesOfEach(new long[QUERIES][0])));
  }

  @Test
  void blocksFindWhatOneFinds() {
    for (SearchOptions options : List.of(DEFAULTS, DEFAULTS.withMeasure(Measure.COSINE).withK(4), DEFAULTS.withK(COUNT))) {
      Nearest expected = Vectors.topK(Vectors.of(queries), Vectors.of(vectors), options);
      for (int size : new int[] {1, 8, 150}) {
        Nearest found = null;
        for (int first = 0; first < COUNT; first += size) {
          Vectors block = Vectors.of(Arrays.copyOfRange(vectors, first, Math.min(COUNT, first + size)));
          found = Vectors.topK(Vectors.of(queries), block, options.withFirstId(first).withStart(found));
        }
        assertEquals(expected, found);
      }
      assertEquals(expected.hashCode(), Vectors.topK(Vectors.of(queries), Vectors.of(vectors), options).hashCode());
      for (int threads : new int[] {1, 2, 5}) {
        assertEquals(expected, Vectors.topK(Vectors.of(queries), Vectors.of(vectors), options.withNumThreads(threads)));
      }
    }
  }

  @Test
  void idsAreWhatTheCallerSays() {
    long[] ids = LongStream.range(0, COUNT).map(i -> 1_000_000_000_000L - i).toArray();
    Nearest found = Vectors.topK(Vectors.of(queries), Vectors.of(vectors), DEFAULTS.withK(1).withIds(ids));
    Nearest first = Vectors.topK(Vectors.of(queries), Vectors.of(vectors), DEFAULTS.withK(1).withFirstId(-5));
    for (int q = 0; q < QUERIES; q++) {
      float[] query = queries[q];
      double best = IntStream.range(0, COUNT).mapToDouble(i -> dot(query, vectors[i])).max().getAsDouble();
      int last = IntStream.range(0, COUNT).filter(i -> dot(query, vectors[i]) == best).max().getAsInt();
      assertEquals(ids[last], found.ids()[q][0]);
      assertEquals(best, dot(query, vectors[(int) first.ids()[q][0] + 5]));
    }
  }

  @Test
  void whatIsNoNumberComesLast() {
    vectors[3][0] = Float.NaN;
    vectors[200][SIZE - 1] = Float.NaN;
    queries[1][4] = Float.NaN;
    Nearest found = Vectors.topK(Vectors.of(queries), Vectors.of(vectors), DEFAULTS.withK(COUNT));
    assertArrayEquals(new long[] {3, 200}, Arrays.copyOfRange(found.ids()[0], COUNT - 2, COUNT));
    assertTrue(Float.isNaN(found.scores()[0][COUNT - 1]) && !Float.isNaN(found.scores()[0][COUNT - 3]));
    assertArrayEquals(LongStream.range(0, COUNT).toArray(), found.ids()[1]);
    assertEquals(found, Vectors.topK(Vectors.of(queries), Vectors.of(vectors), DEFAULTS.withK(COUNT)));
  }

  @Test
  void nothingToFind() {
    Vectors none = Vectors.of(new float[0][]);
    assertEquals(0, none.count());
    assertEquals(0, Vectors.topK(none, Vectors.of(vectors), DEFAULTS).queries());
    assertEquals(List.of(), Vectors.topK(Vectors.of(queries[0]), none, DEFAULTS).of(0));
    assertEquals(List.of(), Vectors.topK(Vectors.of(queries[0]), Vectors.of(new float[0], SIZE), DEFAULTS).of(0));
    assertEquals(0, Vectors.topK(none, Vectors.of(List.of()), DEFAULTS).queries());
    assertEquals(0, Vectors.topK(Vectors.ofBits(new byte[0][]), Vectors.ofBits(new byte[0], 3), DEFAULTS).queries());
    assertEquals(0, Vectors.topK(Vectors.ofInt8(List.of()), Vectors.ofInt8(new byte[6], 3), DEFAULTS).queries());
    // As many as there are, however many are wanted.
    Nearest all = Vectors.topK(Vectors.of(queries), Vectors.of(vectors), DEFAULTS.withK(Integer.MAX_VALUE));
    assertEquals(COUNT, all.of(3).size());
    Nearest start = Vectors.topK(Vectors.of(queries), none, DEFAULTS.withK(Integer.MAX_VALUE));
    assertEquals(all, Vectors.topK(Vectors.of(queries), Vectors.of(vectors), DEFAULTS.withK(Integer.MAX_VALUE).withStart(start)));
    assertEquals(all, Vectors.topK(Vectors.of(queries), none, DEFAULTS.withK(Integer.MAX_VALUE).withStart(all)));
  }

  private static void rejects(String text, org.junit.jupiter.api.function.Executable call) {
    String message = assertThrows(IllegalArgumentException.class, call).getMessage();
    assertTrue(message.contains(text), message);
  }

  @Test
  void whatDoesNotFit() {
    Vectors asked = Vectors.of(queries);
    Vectors all = Vectors.of(vectors);
    rejects("different kinds or sizes", () -> Vectors.topK(Vectors.of(new float[SIZE + 1]), all, DEFAULTS));
    rejects("different kinds or sizes", () -> Vectors.topK(Vectors.ofInt8(new byte[SIZE], SIZE), all, DEFAULTS));
    rejects("no whole number of vectors", () -> Vectors.of(new float[SIZE + 1], SIZE));
    rejects("no whole number of vectors", () -> Vectors.ofBits(new byte[4], SIZE));
    rejects("expected 1 to 65536", () -> Vectors.of(new float[4], 0));
    rejects("expected 1 to 65536", () -> Vectors.of(new float[4], -2));
    rejects("expected 1 to 65536", () -> Vectors.of(new float[65537]));
    rejects("expected 1 to 65536", () -> Vectors.of(new float[][] {{}}));
    rejects("expected 1 to 65536", () -> Vectors.ofBits(new byte[0], Integer.MAX_VALUE));
    rejects("rows[1] has 2 elements", () -> Vectors.of(new float[][] {{1}, {1, 2}}));
    rejects("rows[1] has 1 elements", () -> Vectors.ofBits(new byte[][] {{1, 2}, {1}}));
    ByteOrder wrong = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    rejects("numbers is " + wrong, () -> Vectors.of(ByteBuffer.allocateDirect(8).order(wrong).asFloatBuffer(), 2));
    rejects("only vectors of bytes have scales", () -> all.withScale(2));
    rejects("only vectors of bytes have scales", () -> Vectors.ofBits(new byte[2], 3).withScales(new float[2]));
    rejects("scale is 0", () -> Vectors.ofInt8(new byte[2], 1).withScale(0));
    rejects("2 vectors have 3 scales", () -> Vectors.ofInt8(new byte[2], 1).withScales(new float[3]));
    rejects("k is 0", () -> DEFAULTS.withK(0));
    rejects("threads is -1", () -> DEFAULTS.withNumThreads(-1));
    rejects("301 vectors have 2 ids", () -> Vectors.topK(asked, all, DEFAULTS.withIds(new long[2])));
    rejects("beyond int64", () -> Vectors.topK(asked, all, DEFAULTS.withFirstId(Long.MAX_VALUE - 3)));
    BitSet beyond = new BitSet();
    beyond.set(COUNT);
    rejects("takingPart has bit 301", () -> Vectors.topK(asked, all, DEFAULTS.withTakingPart(beyond)));
    rejects("candidates[1] is 301", () -> Vectors.topK(asked, all, DEFAULTS.withCandidates(new long[] {0, COUNT})));
    rejects("candidates[0] is -1", () -> Vectors.topK(asked, all, DEFAULTS.withCandidates(new long[] {-1})));
    rejects("9 queries have candidates for 2", () -> Vectors.topK(asked, all, DEFAULTS.withCandidatesOfEach(new long[2][1])));
    Nearest other = Vectors.topK(asked, all, DEFAULTS.withK(3));
    rejects("the start is the 3 nearest", () -> Vectors.topK(asked, all, DEFAULTS.withStart(other)));
    Nearest fewer = Vectors.topK(Vectors.of(queries[0]), all, DEFAULTS);
    rejects("the start is the 10 nearest of 1 queries", () -> Vectors.topK(asked, all, DEFAULTS.withStart(fewer)));
    rejects("too many", () -> Vectors.topK(Vectors.ofBits(new byte[1 << 20], 1), Vectors.ofBits(new byte[1 << 20], 1),
        DEFAULTS.withK(Integer.MAX_VALUE)));
    assertEquals("rows[1] is null",
        assertThrows(NullPointerException.class, () -> Vectors.of(new float[][] {{1}, null})).getMessage());
    assertEquals("candidates[0] is null",
        assertThrows(NullPointerException.class, () -> DEFAULTS.withCandidatesOfEach(new long[1][])).getMessage());
  }

  @Test
  void callsAreCancelledAndTold() {
    Vectors many = Vectors.of(rows(20_000));
    Cancellation cancelled = new Cancellation();
    List<Long> told = new ArrayList<>();
    Nearest found = Vectors.topK(Vectors.of(queries), many, DEFAULTS.withProgress((done, all) -> {
      assertEquals(20_000L * QUERIES, all);
      told.add(done);
    }));
    assertEquals(20_000L * QUERIES, told.get(told.size() - 1));
    assertEquals(found, LookupFfn.await(LookupFfn.async(DEFAULTS, options -> Vectors.topK(Vectors.of(queries), many, options))));
    RuntimeException thrown = new RuntimeException("enough");
    assertSame(thrown, assertThrows(RuntimeException.class, () -> Vectors.topK(Vectors.of(queries), many,
        DEFAULTS.withProgress((done, all) -> {
          throw thrown;
        }))));
    cancelled.cancel();
    assertThrows(
        CancellationException.class, () -> Vectors.topK(Vectors.of(queries), many, DEFAULTS.withCancellation(cancelled)));
  }

  @Test
  void aRuntimeChoosesTheInstructionSet() {
    Nearest expected = Vectors.topK(Vectors.ofInt8(bytes(queries), SIZE), Vectors.ofInt8(bytes(vectors), SIZE), DEFAULTS);
    LookupFfnRuntime runtime = LookupFfnRuntime.create(RuntimeOptions.defaults().withIsa("generic"));
    SearchOptions options = DEFAULTS.withRuntime(runtime);
    assertEquals(expected, Vectors.topK(Vectors.ofInt8(bytes(queries), SIZE), Vectors.ofInt8(bytes(vectors), SIZE), options));
    runtime.close();
    assertThrows(IllegalStateException.class, () -> Vectors.topK(Vectors.of(queries), Vectors.of(vectors), options));
  }

  @Test
  void values() {
    Nearest found = Vectors.topK(Vectors.of(queries), Vectors.of(vectors), DEFAULTS);
    assertEquals(found.of(0).get(0), found.of(0).get(0));
    assertEquals(found.of(0).get(0).hashCode(), found.of(0).get(0).hashCode());
    assertNotEquals(found.of(0).get(0), found.of(0).get(1));
    assertNotEquals(found, Vectors.topK(Vectors.of(queries), Vectors.of(vectors), DEFAULTS.withK(9)));
    assertNotEquals(found, Vectors.topK(Vectors.of(vectors), Vectors.of(vectors), DEFAULTS));
    assertThrows(IndexOutOfBoundsException.class, () -> found.of(QUERIES));
    assertThrows(IndexOutOfBoundsException.class, () -> found.of(-1));
    assertEquals("Vectors[301 of 19 floats]", Vectors.of(vectors).toString());
    assertEquals("Nearest[9 queries, 10 of each]", found.toString());
    assertTrue(found.of(0).get(0).toString().startsWith("ScoredId["));
    assertTrue(DEFAULTS.withK(3).toString().contains("3 nearest of all vectors"), DEFAULTS.withK(3).toString());
    assertEquals(DEFAULTS.withK(3), DEFAULTS.withK(3));
    assertEquals(DEFAULTS.withK(3).hashCode(), DEFAULTS.withK(3).hashCode());
    assertNotEquals(DEFAULTS.withFirstId(3), DEFAULTS);
    // What the caller changes afterwards changes no options.
    BitSet mask = new BitSet();
    mask.set(4);
    SearchOptions masked = DEFAULTS.withTakingPart(mask);
    mask.set(5);
    assertArrayEquals(new long[] {4}, Vectors.topK(Vectors.of(queries[0]), Vectors.of(vectors), masked).ids()[0]);
  }

  @Test
  void modelsAreTold() throws Exception {
    try (Model model = Model.load(GoldenModel.all().get(0).folder); Model same = Model.load(GoldenModel.all().get(0).folder);
        Model other = Model.load(GoldenModel.all().get(0).folder, LoadOptions.defaults().withLinearType(ElementType.INT8))) {
      assertTrue(model.fingerprint().matches("[0-9a-f]{32}"), model.fingerprint());
      assertEquals(model.fingerprint(), same.fingerprint());
      assertNotEquals(model.fingerprint(), other.fingerprint());
      List<String> texts = List.of("a cat", "two dogs", "a house by the river");
      Vectors documents = Vectors.of(model.embed(texts, RunOptions.defaults()));
      assertEquals(1, Vectors.topK(Vectors.of(model.embed("two dogs")), documents, DEFAULTS).of(0).get(0).id());
      Vectors bits = Vectors.ofBits(model.embedBits(texts, RunOptions.defaults()));
      Vectors askedBits = Vectors.ofBits(model.embedBits(List.of("two dogs"), RunOptions.defaults()));
      assertEquals(0, Vectors.topK(askedBits, bits, DEFAULTS).of(0).get(0).score());
      Vectors small = Vectors.ofInt8(model.embedInt8(texts, RunOptions.defaults()));
      Vectors askedSmall = Vectors.ofInt8(model.embedInt8(List.of("two dogs"), RunOptions.defaults()));
      assertEquals(1, Vectors.topK(askedSmall, small, DEFAULTS).of(0).get(0).id());
      model.close();
      assertThrows(IllegalStateException.class, model::fingerprint);
    }
  }
}
