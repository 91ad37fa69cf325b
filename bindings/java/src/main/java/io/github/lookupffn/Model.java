// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.io.InputStream;
import java.io.NotSerializableException;
import java.io.Serializable;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.FloatBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A whole model in native memory: the encoder, its heads and its tokenizer.
 *
 * <p>Models take texts, or sequences of token ids; a batch of either is run at once, without padding. A sequence's
 * results are the same to the bit alone or in any batch, with any number of threads. Texts get the special tokens at
 * their ends, and are cut to what the model means to read; sequences of ids are taken as they are.
 *
 * <p>A model never changes, and any number of threads may use one at once. {@link #close} gives its memory back once
 * the calls in flight have ended; afterwards every method but {@code close}, {@code isClosed} and {@code toString}
 * throws {@link IllegalStateException}, also inside a future. A model that is forgotten is closed some time after it has
 * become unreachable.
 *
 * <p>Where the model has no such head or no tokenizer, where an id is outside of the vocabulary or a sequence too long,
 * methods throw {@link IllegalArgumentException} or a {@link LookupFfnException} that says so.
 *
 * <p>A model is serializable only so that whoever tries it is told what to do instead.
 */
public final class Model implements TextEmbedder, AutoCloseable, Serializable {
  static final Cleaner CLEANER = Cleaner.create();
  private static final long serialVersionUID = 1;

  private final transient NativeModel model;
  private final transient Cleaner.Cleanable cleanable;

  /** Takes the handle over, also when this fails. */
  Model(NativeHandle handle, long address) {
    try {
      model = new NativeModel(this, handle, address);
      cleanable = CLEANER.register(this, handle);
    } catch (Throwable failure) {
      handle.run();
      throw failure;
    }
  }

  /**
   * Refuses: a model is native memory.
   *
   * @return nothing
   * @throws NotSerializableException always, and says what to do instead
   */
  private Object writeReplace() throws NotSerializableException {
    throw new NotSerializableException(
        "io.github.lookupffn.Model: it is native memory. Capture or broadcast its path and load it where it is used; in "
            + "Spark, capture an io.github.lookupffn.spark.ModelRef, whose get() loads it once in each executor");
  }

  /**
   * Loads a model.
   *
   * @param path a folder, or a file that {@link #save} wrote
   * @return the model
   * @throws LookupFfnException if it cannot be read, is not a valid model, or cannot be run here
   */
  public static Model load(Path path) {
    return load(path, LoadOptions.defaults());
  }

  /**
   * Loads a model.
   *
   * @param path a folder, or a file that {@link #save} wrote, of any file system
   * @param options how
   * @return the model
   * @throws LookupFfnException if it cannot be read, is not a valid model, or cannot be run here
   */
  public static Model load(Path path, LoadOptions options) {
    return ModelLoading.ofPath(path, options);
  }

  /**
   * Loads a model from the bytes of a file that {@link #save} wrote, such as a resource of a jar.
   *
   * @param bytes the whole file
   * @return the model, which does not refer to the bytes
   * @throws LookupFfnException if the bytes are not a valid model, or it cannot be run here
   */
  public static Model load(byte[] bytes) {
    return load(bytes, LoadOptions.defaults());
  }

  /**
   * Loads a model from the bytes of a file that {@link #save} wrote, such as a resource of a jar.
   *
   * @param bytes the whole file
   * @param options how
   * @return the model, which does not refer to the bytes
   * @throws LookupFfnException if the bytes are not a valid model, or it cannot be run here
   */
  public static Model load(byte[] bytes, LoadOptions options) {
    return ModelLoading.ofBytes(bytes, options);
  }

  /**
   * Loads a model from a stream of what is in a file that {@link #save} wrote.
   *
   * @param stream the whole file, which is read to its end and stays open
   * @param options how
   * @return the model
   * @throws LookupFfnException if it cannot be read, is not a valid model, or cannot be run here
   */
  public static Model load(InputStream stream, LoadOptions options) {
    Objects.requireNonNull(options, "options");
    return load(ModelFiles.ofStream(stream, "the stream"), options);
  }

  /**
   * Loads a model from a stream of what is in a file that {@link #save} wrote.
   *
   * @param stream the whole file, which is read to its end and stays open
   * @return the model
   * @throws LookupFfnException if it cannot be read, is not a valid model, or cannot be run here
   */
  public static Model load(InputStream stream) {
    return load(stream, LoadOptions.defaults());
  }

  /**
   * Loads a model from the class path, also out of a jar within a jar.
   *
   * @param loader whose resources, such as {@code getClass().getClassLoader()}
   * @param name a resource with what {@link #save} wrote, or the path of a folder of resources, without a slash before it
   * @param options how
   * @return the model
   * @throws LookupFfnException if there is none, it is not a valid model, or cannot be run here
   */
  public static Model loadResource(ClassLoader loader, String name, LoadOptions options) {
    return ModelLoading.ofResource(loader, name, options);
  }

  /**
   * Loads a model that this project ships, from its jar on the class path.
   *
   * @param model which
   * @param options how
   * @return the model
   * @throws LookupFfnException if its jar is not there, or it cannot be run here
   */
  public static Model load(Models model, LoadOptions options) {
    return ModelLoading.ofShipped(model, options);
  }

  /**
   * Loads a model that this project ships, from its jar on the class path.
   *
   * @param model which
   * @return the model
   * @throws LookupFfnException if its jar is not there, or it cannot be run here
   */
  public static Model load(Models model) {
    return load(model, LoadOptions.defaults());
  }

  /**
   * Loads a model from the files of a folder, held in memory.
   *
   * @param files what is in each, by its name in the folder, such as "config.json" or "1_Pooling/config.json"; those that a
   *     model does not need are ignored
   * @return the model, which does not refer to the bytes
   * @throws LookupFfnException if they are not a valid model, or it cannot be run here
   */
  public static Model load(Map<String, byte[]> files) {
    return load(files, LoadOptions.defaults());
  }

  /**
   * Loads a model from the files of a folder, held in memory.
   *
   * @param files what is in each, by its name in the folder, such as "config.json" or "1_Pooling/config.json"; those that a
   *     model does not need are ignored
   * @param options how
   * @return the model, which does not refer to the bytes
   * @throws LookupFfnException if they are not a valid model, or it cannot be run here
   */
  public static Model load(Map<String, byte[]> files, LoadOptions options) {
    return ModelLoading.ofFiles(GivenFiles.inMemory(files), options);
  }

  /**
   * Loads a model from the files of a folder that channels read, such as those of an archive or of an encrypted store.
   *
   * @param channels one for each file, by its name in the folder, as for {@link #load(Map, LoadOptions)}; they are read in the
   *     thread that loads, from any position, and stay open
   * @param options how
   * @return the model, which does not refer to the channels
   * @throws LookupFfnException if they cannot be read, are not a valid model, or it cannot be run here
   */
  public static Model loadFrom(Map<String, ? extends SeekableByteChannel> channels, LoadOptions options) {
    Objects.requireNonNull(options, "options");
    return ModelLoading.ofFiles(GivenFiles.byChannels(channels), options);
  }

  /**
   * Tells how much memory loading the same would take. Reads and checks the files once, so that what it accepts can be
   * loaded.
   *
   * @param path a folder, or a file that {@link #save} wrote, of the default file system
   * @param options how it would be loaded
   * @return the estimate
   * @throws LookupFfnException if it cannot be read, is not a valid model, or cannot be run here
   */
  public static MemoryEstimate estimate(Path path, LoadOptions options) {
    return ModelLoading.estimate(path, options);
  }

  /**
   * Tells how much memory loading the same files would take.
   *
   * @param files as for {@link #load(Map, LoadOptions)}
   * @param options how they would be loaded
   * @return the estimate
   * @throws LookupFfnException if they are not a valid model, or it cannot be run here
   */
  public static MemoryEstimate estimate(Map<String, byte[]> files, LoadOptions options) {
    return ModelLoading.estimate(GivenFiles.inMemory(files), options);
  }

  /**
   * Tells how much memory loading what channels read would take.
   *
   * @param channels as for {@link #loadFrom}
   * @param options how they would be loaded
   * @return the estimate
   * @throws LookupFfnException if they cannot be read, are not a valid model, or it cannot be run here
   */
  public static MemoryEstimate estimateFrom(
      Map<String, ? extends SeekableByteChannel> channels, LoadOptions options) {
    Objects.requireNonNull(options, "options");
    return ModelLoading.estimate(GivenFiles.byChannels(channels), options);
  }

  /**
   * Makes whatever output of whatever input.
   *
   * @param <T> what the output comes in
   * @param input texts, pairs of texts, or sequences of token ids
   * @param output what is wanted of them
   * @param options how
   * @return the output, an entry for each text or sequence
   * @throws UnsupportedModelException if the model cannot give it
   */
  public <T> T run(Input input, Output<T> output, RunOptions options) {
    Objects.requireNonNull(input, "input");
    Objects.requireNonNull(options, "options");
    return Objects.requireNonNull(output, "output").maker.make(model, input, options);
  }

  /**
   * Makes whatever output of whatever input, with the default options.
   *
   * @param <T> what the output comes in
   * @param input texts, pairs of texts, or sequences of token ids
   * @param output what is wanted of them
   * @return the output, an entry for each text or sequence
   */
  public <T> T run(Input input, Output<T> output) {
    return run(input, output, RunOptions.defaults());
  }

  /**
   * Makes an output of floats, and puts it into a buffer, without a copy.
   *
   * @param input texts, pairs of texts, or sequences of token ids
   * @param output what is wanted of them
   * @param buffer direct, in native byte order; receives all entries from its position on, which stays
   * @param options how
   * @return how many floats that were
   */
  public int runInto(Input input, Output<float[][]> output, FloatBuffer buffer, RunOptions options) {
    Objects.requireNonNull(buffer, "buffer");
    return into(input, output, null, 0, buffer, options);
  }

  /**
   * Makes an output of floats, and puts it into an array that is there.
   *
   * @param input texts, pairs of texts, or sequences of token ids
   * @param output what is wanted of them
   * @param array receives all entries
   * @param offset where in it to begin
   * @param options how
   * @return how many floats that were
   */
  public int runInto(Input input, Output<float[][]> output, float[] array, int offset, RunOptions options) {
    Objects.requireNonNull(array, "array");
    return into(input, output, array, offset, null, options);
  }

  private int into(
      Input input, Output<float[][]> output, float[] array, int offset, FloatBuffer buffer, RunOptions options) {
    Objects.requireNonNull(input, "input");
    Objects.requireNonNull(options, "options");
    int kind = Objects.requireNonNull(output, "output").floats;
    return FloatCalls.into(model, CallMemory.of(input, options), kind, options, array, offset, buffer);
  }

  @Override
  public float[] embed(String text) {
    return embed(text, RunOptions.defaults());
  }

  /**
   * A vector for the whole text, made as the model means it.
   *
   * @param text a text
   * @param options how
   * @return {@code info().embeddingSize()} floats
   */
  public float[] embed(String text, RunOptions options) {
    return FloatCalls.rows(model, CallMemory.of(text, options), Abi.OUT_EMBEDDINGS, options)[0];
  }

  @Override
  public float[][] embed(List<String> texts, RunOptions options) {
    return FloatCalls.rows(model, CallMemory.of(texts, options), Abi.OUT_EMBEDDINGS, options);
  }

  /**
   * A vector for the whole text, computed by the options' executor.
   *
   * @param text a text
   * @param options how
   * @return {@code info().embeddingSize()} floats; cancelling it ends the call
   */
  public CompletableFuture<float[]> embedAsync(String text, RunOptions options) {
    return LookupFfn.async(options, changed -> embed(text, changed));
  }

  @Override
  public CompletableFuture<float[][]> embedAsync(List<String> texts, RunOptions options) {
    return LookupFfn.async(options, changed -> embed(texts, changed));
  }

  /**
   * The vectors of a corpus, in its order; one batch at a time is in memory. The texts are read when their vectors
   * are asked for, and each batch is computed by the thread that asks, or by the options' executor: an interrupt ends it
   * with a {@link java.util.concurrent.CancellationException}, and leaves the thread interrupted.
   *
   * @param texts the texts, which closing the result closes
   * @param batchSize how many go together
   * @param options how; their counts and statuses are those of the last batch
   * @return a vector for each text
   */
  public Stream<float[]> embed(Stream<String> texts, int batchSize, RunOptions options) {
    return CorpusStream.of(texts, batchSize, options, this::embed);
  }

  /**
   * A vector for the whole text, put into a buffer, without a copy.
   *
   * @param text a text
   * @param output direct, in native byte order; receives {@code info().embeddingSize()} floats from its position on,
   *     which stays
   * @param options how
   * @return how many floats that were
   */
  public int embedInto(String text, FloatBuffer output, RunOptions options) {
    return FloatCalls.into(model, CallMemory.of(text, options), Abi.OUT_EMBEDDINGS, options, null, 0, output);
  }

  /**
   * A vector for the whole text, put into an array that is there.
   *
   * @param text a text
   * @param output receives {@code info().embeddingSize()} floats
   * @param offset where in it to begin
   * @param options how
   * @return how many floats that were
   */
  public int embedInto(String text, float[] output, int offset, RunOptions options) {
    return FloatCalls.into(model, CallMemory.of(text, options), Abi.OUT_EMBEDDINGS, options, output, offset, null);
  }

  /**
   * A vector for each text, put into a buffer, without a copy.
   *
   * @param texts any number of texts
   * @param output direct, in native byte order; receives {@code info().embeddingSize()} floats for each from its
   *     position on, which stays
   * @param options how
   * @return how many floats that were
   */
  public int embedInto(List<String> texts, FloatBuffer output, RunOptions options) {
    return FloatCalls.into(model, CallMemory.of(texts, options), Abi.OUT_EMBEDDINGS, options, null, 0, output);
  }

  /**
   * A vector for each text, put into an array that is there.
   *
   * @param texts any number of texts
   * @param output receives {@code info().embeddingSize()} floats for each
   * @param offset where in it to begin
   * @param options how
   * @return how many floats that were
   */
  public int embedInto(List<String> texts, float[] output, int offset, RunOptions options) {
    return FloatCalls.into(model, CallMemory.of(texts, options), Abi.OUT_EMBEDDINGS, options, output, offset, null);
  }

  /**
   * The vectors of the parts of texts, as {@link Output#WINDOWS} says.
   *
   * @param texts any number of texts
   * @param options how
   * @return the parts of each, in their order
   */
  public List<List<EmbeddedWindow>> embedWindows(List<String> texts, RunOptions options) {
    return run(Input.texts(texts), Output.WINDOWS, options);
  }

  /**
   * Vectors as bytes with a scale.
   *
   * @param texts any number of texts
   * @param options how
   * @return a vector for each
   */
  public List<Int8Embedding> embedInt8(List<String> texts, RunOptions options) {
    return run(Input.texts(texts), Output.INT8_EMBEDDINGS, options);
  }

  /**
   * Vectors as bits, as {@link Output#BIT_EMBEDDINGS} says.
   *
   * @param texts any number of texts
   * @param options how
   * @return the bits of each
   */
  public byte[][] embedBits(List<String> texts, RunOptions options) {
    return run(Input.texts(texts), Output.BIT_EMBEDDINGS, options);
  }

  /**
   * The weights of the tokens that texts are about, as {@link Output#SPARSE} says.
   *
   * @param texts any number of texts
   * @param options how
   * @return the tokens of each and their weights; none for a text that cannot be run
   * @throws UnsupportedModelException if the model gives no such vectors
   */
  public List<SparseEmbedding> embedSparse(List<String> texts, RunOptions options) {
    return run(Input.texts(texts), Output.SPARSE, options);
  }

  /**
   * A vector for each token of texts, with its place.
   *
   * @param texts any number of texts
   * @param options how
   * @return the tokens of each and their vectors
   */
  public List<TokenVectors> tokenVectors(List<String> texts, RunOptions options) {
    return run(Input.texts(texts), Output.TOKEN_VECTORS, options);
  }

  /**
   * The vectors of texts for late interaction, as {@link Output#LATE} says.
   *
   * @param texts any number of texts
   * @param options how
   * @return their vectors; none of a text that cannot be run
   * @throws UnsupportedModelException if the model is not meant for late interaction
   */
  public LateVectors embedLate(List<String> texts, RunOptions options) {
    return run(Input.texts(texts), Output.LATE, options);
  }

  /**
   * The vectors of texts for late interaction, as bytes with a scale for each vector.
   *
   * @param texts any number of texts
   * @param options how
   * @return their vectors; none of a text that cannot be run
   * @throws UnsupportedModelException if the model is not meant for late interaction
   */
  public LateVectors embedLateInt8(List<String> texts, RunOptions options) {
    return run(Input.texts(texts), Output.INT8_LATE, options);
  }

  /**
   * The hidden states after the last layer norm.
   *
   * @param text a text
   * @return tokens times {@code info().hiddenSize()} floats
   */
  public float[] encode(String text) {
    return FloatCalls.rows(model, CallMemory.of(text, RunOptions.defaults()), Abi.OUT_HIDDEN, RunOptions.defaults())[0];
  }

  /**
   * The hidden states after the last layer norm.
   *
   * @param texts any number of texts
   * @param options how
   * @return tokens times {@code info().hiddenSize()} floats for each
   */
  public float[][] encode(List<String> texts, RunOptions options) {
    return FloatCalls.rows(model, CallMemory.of(texts, options), Abi.OUT_HIDDEN, options);
  }

  /**
   * The classifier's scores, before any softmax.
   *
   * @param text a text
   * @return {@code info().numClasses()} floats
   */
  public float[] classify(String text) {
    return classify(text, RunOptions.defaults());
  }

  /**
   * The classifier's scores.
   *
   * @param text a text
   * @param options how
   * @return {@code info().numClasses()} floats
   */
  public float[] classify(String text, RunOptions options) {
    return FloatCalls.rows(model, CallMemory.of(text, options), Abi.OUT_CLASS_SCORES, options)[0];
  }

  /**
   * The classifier's scores.
   *
   * @param texts any number of texts
   * @param options how
   * @return {@code info().numClasses()} floats for each
   */
  public float[][] classify(List<String> texts, RunOptions options) {
    return FloatCalls.rows(model, CallMemory.of(texts, options), Abi.OUT_CLASS_SCORES, options);
  }

  /**
   * The class scores of a corpus, in its order, as {@link #embed(Stream, int, RunOptions)} gives vectors.
   *
   * @param texts the texts, which closing the result closes
   * @param batchSize how many go together
   * @param options how; their counts and statuses are those of the last batch
   * @return scores for each text
   */
  public Stream<float[]> classify(Stream<String> texts, int batchSize, RunOptions options) {
    return CorpusStream.of(texts, batchSize, options, this::classify);
  }

  /**
   * How well each document answers a query, told by a reranker: higher is better.
   *
   * @param query the query
   * @param documents any number of texts; the longer of the two is cut first
   * @return a score for each document
   */
  public float[] rerank(String query, List<String> documents) {
    return rerank(query, documents, RunOptions.defaults());
  }

  /**
   * How well each document answers a query, told by a reranker: higher is better.
   *
   * @param query the query
   * @param documents any number of texts; the longer of the two is cut first
   * @param options how
   * @return a score for each document
   */
  public float[] rerank(String query, List<String> documents, RunOptions options) {
    return Reranking.scores(model, query, documents, options);
  }

  /**
   * The language model head's logits at some places of a sequence.
   *
   * @param ids a sequence
   * @param positions places in it, in any order
   * @return {@code info().vocabSize()} floats for each position
   */
  public float[][] logits(int[] ids, int... positions) {
    Objects.requireNonNull(ids, "ids");
    long[] places = Arrays.stream(Objects.requireNonNull(positions, "positions")).asLongStream().toArray();
    return logits(new int[][] {ids}, places, RunOptions.defaults());
  }

  /**
   * The language model head's logits at some places of sequences.
   *
   * @param sequences any number of sequences of ids
   * @param positions places in the sequences laid end to end, in any order
   * @param options how
   * @return {@code info().vocabSize()} floats for each position
   */
  public float[][] logits(int[][] sequences, long[] positions, RunOptions options) {
    return FloatCalls.logits(model, sequences, positions, options);
  }

  /**
   * The likeliest tokens for each mask of a text.
   *
   * @param text a text with masks, such as {@code "Paris is the <mask> of France."}
   * @param topK how many tokens for each
   * @return for each mask its candidates, the likeliest first
   */
  public List<List<MaskCandidate>> fillMask(String text, int topK) {
    return fillMask(text, topK, RunOptions.defaults());
  }

  /**
   * The likeliest tokens for each mask of a text, with options.
   *
   * @param text a text with masks, which is never cut
   * @param topK how many tokens for each
   * @param options only their cancellation matters
   * @return for each mask its candidates, the likeliest first
   */
  public List<List<MaskCandidate>> fillMask(String text, int topK, RunOptions options) {
    return ModelTokens.ofMasks(model, text, topK, options);
  }

  /**
   * The names, places and the like in a text, joined by {@link Aggregation#SIMPLE}.
   *
   * @param text a text
   * @return its entities, in the order of the text
   */
  public List<Entity> entities(String text) {
    return entities(List.of(Objects.requireNonNull(text, "text")), Aggregation.SIMPLE, RunOptions.defaults()).get(0);
  }

  /**
   * The names, places and the like in texts.
   *
   * @param texts any number of texts
   * @param aggregation how tokens are joined
   * @param options only their maximum of tokens, threads, statuses and cancellation matter
   * @return the entities of each, in its order
   */
  public List<List<Entity>> entities(List<String> texts, Aggregation aggregation, RunOptions options) {
    return TextTasks.entities(model, texts, aggregation, options);
  }

  /**
   * The part of a context that answers a question best.
   *
   * @param question the question
   * @param context where the answer is to be found
   * @return one answer, or none in a context without words
   */
  public List<Answer> answer(String question, String context) {
    return answer(question, context, AnswerOptions.defaults());
  }

  /**
   * The parts of a context that answer a question.
   *
   * @param question the question
   * @param context where the answers are to be found
   * @param options how
   * @return the answers, the best first
   */
  public List<Answer> answer(String question, String context, AnswerOptions options) {
    return TextTasks.answer(model, question, context, options);
  }

  /**
   * Labels that the model need not have learned, in the order of how probably each fits a text.
   *
   * @param text a text
   * @param labels the labels
   * @return all of them, the most likely first
   */
  public List<ScoredLabel> zeroShot(String text, List<String> labels) {
    return zeroShot(text, labels, ZeroShotOptions.defaults());
  }

  /**
   * Labels that the model need not have learned, in the order of how probably each fits a text.
   *
   * @param text a text
   * @param labels the labels
   * @param options how
   * @return all of them, the most likely first
   */
  public List<ScoredLabel> zeroShot(String text, List<String> labels, ZeroShotOptions options) {
    return TextTasks.zeroShot(model, text, labels, options);
  }

  /**
   * Turns a text into token ids, with the special tokens at its ends, and however many there are.
   *
   * @param text a text
   * @return its ids
   */
  public int[] tokenize(String text) {
    return tokenize(text, true).ids();
  }

  /**
   * Turns a text into tokens, however many there are, and tells where in the text each lies.
   *
   * @param text a text
   * @param special whether to put the special tokens at its ends
   * @return its tokens
   */
  public Tokens tokenize(String text, boolean special) {
    return tokenize(text, special, null);
  }

  /**
   * Turns a text into tokens, until another thread ends it.
   *
   * @param text a text
   * @param special whether to put the special tokens at its ends
   * @param cancellation the one that the other thread cancels; null for none
   * @return its tokens
   * @throws java.util.concurrent.CancellationException if the cancellation was cancelled
   */
  public Tokens tokenize(String text, boolean special, @Nullable Cancellation cancellation) {
    return ModelTokens.of(model, text, special, cancellation);
  }

  /**
   * Turns token ids into text.
   *
   * @param ids the ids
   * @param skipSpecial whether to leave special tokens out
   * @return the text; bytes that are not UTF-8 become replacement characters
   */
  public String detokenize(int[] ids, boolean skipSpecial) {
    return ModelTokens.text(model, ids, skipSpecial);
  }

  /** {@return the model's tokenizer by itself, which outlives the model; to be closed as well} */
  public Tokenizer tokenizer() {
    return ModelTokens.tokenizer(model);
  }

  /**
   * Writes the model to one file, with its tokenizer, as it is held in memory. The file appears whole or not at all.
   *
   * @param path the file, of the default file system
   * @throws LookupFfnException if it cannot be written
   */
  public void save(Path path) {
    save(path, SaveOptions.defaults());
  }

  /**
   * Writes the model to one file, as {@link #save(Path)} does. A file that is not finished goes away and leaves the old one
   * as it was.
   *
   * @param path the file, of the default file system
   * @param options who may end it, and a listener to its progress
   * @throws LookupFfnException if it cannot be written
   * @throws java.util.concurrent.CancellationException if it was cancelled
   */
  public void save(Path path, SaveOptions options) {
    Loading.save(path, options, (name, cancel, progress) -> {
      long address = model.enter();
      try {
        Raw.modelSave(address, name, cancel, progress);
      } finally {
        model.leave();
      }
    });
  }

  /**
   * {@return the names of the classes, of texts or of tokens, in the order of their scores; none without a classifier}
   */
  public List<String> labels() {
    info();
    return model.facts.labels;
  }

  /**
   * {@return the prompts in the model's files, such as "query", for {@link RunOptions#withPrompt}: their texts
   * by their names}
   */
  public Map<String, String> prompts() {
    info();
    return model.facts.prompts;
  }

  /**
   * {@return the name of that prompt among {@link #prompts} which is put before texts unless told otherwise; null for
   * none}
   */
  public @Nullable String defaultPrompt() {
    int index = (int) info().numbers[Abi.MODEL_DEFAULT_PROMPT];
    return index < 0 ? null : model.text(Abi.TEXT_PROMPT_NAME, index);
  }

  /**
   * Options that put the model's prompt for queries or documents before each text: the one that its files name so, else its
   * default one, if it has one.
   *
   * @param purpose what texts are embedded for
   * @param options what is changed
   * @return a changed copy
   */
  public RunOptions withPrompt(Purpose purpose, RunOptions options) {
    return Objects.requireNonNull(purpose, "purpose").prompt(Objects.requireNonNull(options, "options"));
  }

  /**
   * Options that put the prompt of this name before each text: a prompt of the model, or one of the {@linkplain Purpose#names
   * names} of queries and documents, under which other programs know them.
   *
   * @param name such as "query" or "search_document"
   * @param options what is changed
   * @return a changed copy
   * @throws IllegalArgumentException for another name; the message lists the names that there are
   */
  public RunOptions withPrompt(String name, RunOptions options) {
    return Purpose.prompt(this, Objects.requireNonNull(name, "name"), Objects.requireNonNull(options, "options"));
  }

  /**
   * Refuses texts of more tokens than the model can run, as {@link RunOptions#withoutCutting} does, or than {@link
   * RunOptions#withMaxTokens} says, before any layer runs.
   *
   * @param texts any number of texts
   * @param options how they would be embedded
   * @throws IllegalArgumentException that names the first text that is too long
   */
  public void refuseLongTexts(List<String> texts, RunOptions options) {
    Objects.requireNonNull(texts, "texts");
    LongTexts.refuse(model, texts, Objects.requireNonNull(options, "options"));
  }

  /** {@return the model's family, such as "bert"} */
  public String family() {
    return model.text(Abi.TEXT_FAMILY, 0);
  }

  /** {@return the model's config.json, in which a program may look for what {@link #info} does not tell} */
  public String config() {
    return model.text(Abi.TEXT_CONFIG, 0);
  }

  /**
   * {@return the fingerprint of the model and all that its vectors depend on, as {@code lookupffn info} shows it, in 32
   * hexadecimal digits}. Store it beside vectors, and compare: vectors of another model have no meaning for this one.
   * The first call reads all weights once.
   */
  public String fingerprint() {
    return model.fingerprint();
  }

  /** The model's facts, which are known even when it is closed. */
  ModelFacts facts() {
    return model.facts;
  }

  /** {@return what the model is and costs} */
  public ModelInfo info() {
    boolean closed = isClosed();
    Reference.reachabilityFence(this);
    if (closed) {
      throw model.handle.closed();
    }
    return model.facts.info;
  }

  /** {@return what each encoder layer is made of and costs} */
  public List<ModelLayerInfo> layers() {
    info();
    return model.facts.layers;
  }

  /** {@return whether {@link #close} was called} */
  public boolean isClosed() {
    return model.handle.isClosed();
  }

  /** Closes the model. Calls in flight end as usual, and the last one frees the memory. Closing again does nothing. */
  @Override
  public void close() {
    cleanable.clean();
  }

  @Override
  public String toString() {
    return "Model[" + (isClosed() ? "closed" : model.facts.info) + "]";
  }
}
