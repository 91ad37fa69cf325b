// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A tokenizer in native memory, with or without a model. It never changes, and any number of threads may use one at once;
 * {@link #close} works as that of {@link Model}.
 */
public final class Tokenizer implements AutoCloseable {
  private final NativeHandle handle;
  private final Cleaner.Cleanable cleanable;
  private final TokenizerInfo info;

  private Tokenizer(NativeHandle handle, long address) {
    this.handle = handle;
    try {
      long[] numbers = new long[Abi.TOKENIZER_COUNT];
      Raw.tokenizerInfo(address, numbers);
      info = new TokenizerInfo(numbers);
      cleanable = Model.CLEANER.register(this, handle);
    } catch (Throwable failure) {
      handle.run();
      throw failure;
    }
  }

  static Tokenizer of(long address, RuntimeHooks hooks) {
    return new Tokenizer(new NativeHandle("tokenizer", address, Raw::tokenizerFree, hooks), address);
  }

  private static Tokenizer made(LoadOptions options, Loading.Maker maker) {
    return of(Loading.handle(options, Raw::tokenizerFree, maker), options.hooks());
  }

  /**
   * Loads a tokenizer.
   *
   * @param path a model's folder, a tokenizer.json, or a file that {@link Model#save} wrote
   * @return the tokenizer
   * @throws LookupFfnException if it cannot be read, or is not a valid tokenizer
   */
  public static Tokenizer load(Path path) {
    return load(path, LoadOptions.defaults());
  }

  /**
   * Loads a tokenizer.
   *
   * @param path a model's folder, a tokenizer.json, or a file that {@link Model#save} wrote, of the default file system
   * @param options only their cancellation, progress and runtime's log matter
   * @return the tokenizer
   * @throws LookupFfnException if it cannot be read, or is not a valid tokenizer
   */
  public static Tokenizer load(Path path, LoadOptions options) {
    byte[] name = Utf8.zeroTerminated(Objects.requireNonNull(path, "path"));
    return made(
        options,
        (numbers, runtime, cancel, progress, out) ->
            Raw.tokenizerLoad(name, numbers, runtime, cancel, progress, out));
  }

  /**
   * Loads a tokenizer from the files of a folder, held in memory.
   *
   * @param files what is in each, by its name, such as "tokenizer.json"; others than a tokenizer's are ignored
   * @param options as for {@link #load(Path, LoadOptions)}
   * @return the tokenizer, which does not refer to the bytes
   * @throws LookupFfnException if they are not a valid tokenizer
   */
  public static Tokenizer load(Map<String, byte[]> files, LoadOptions options) {
    return load(GivenFiles.inMemory(files), options);
  }

  /**
   * Loads a tokenizer from the files of a folder that channels read.
   *
   * @param channels one for each file, as for {@link Model#loadFrom}
   * @param options as for {@link #load(Path, LoadOptions)}
   * @return the tokenizer, which does not refer to the channels
   * @throws LookupFfnException if they cannot be read, or are not a valid tokenizer
   */
  public static Tokenizer loadFrom(Map<String, ? extends SeekableByteChannel> channels, LoadOptions options) {
    Objects.requireNonNull(options, "options");
    return load(GivenFiles.byChannels(channels), options);
  }

  private static Tokenizer load(GivenFiles files, LoadOptions options) {
    return files.with(() -> made(
        options,
        (numbers, runtime, cancel, progress, out) -> Raw.tokenizerLoadGivenFiles(
            files.names, files.contents, files.sizes, numbers, runtime, cancel, progress, out)));
  }

  private interface Call<T> {
    T run(long address);
  }

  private <T> T call(Call<T> call) {
    if (PlatformThreads.needed()) {
      return PlatformThreads.inPool(() -> call(call));
    }
    long address = handle.enter();
    try {
      return call.run(address);
    } finally {
      handle.leave();
      Reference.reachabilityFence(this);
    }
  }

  /**
   * Turns a text into token ids, with the special tokens at its ends, and however many there are.
   *
   * @param text a text
   * @return its ids
   */
  public int[] tokenize(String text) {
    return tokenize(text, TokenizeOptions.defaults()).ids();
  }

  /**
   * Turns a text into tokens, and tells where in the text each lies.
   *
   * @param text a text
   * @param options how
   * @return its tokens
   */
  public Tokens tokenize(String text, TokenizeOptions options) {
    Objects.requireNonNull(options, "options");
    return Tokens.of(text, options.repairs(), (utf8, results) -> encode(utf8, null, options, results));
  }

  /**
   * Turns texts into tokens, each as {@link #tokenize(String, TokenizeOptions)} does, on several threads.
   *
   * @param texts any number of texts
   * @param options how
   * @return the tokens of each
   */
  public List<Tokens> tokenize(List<String> texts, TokenizeOptions options) {
    Objects.requireNonNull(options, "options");
    CallMemory memory = CallMemory.of(texts, "texts", false, options.repairs());
    try {
      return call(address -> tokenize(address, memory, options));
    } finally {
      memory.release();
    }
  }

  private static List<Tokens> tokenize(long address, CallMemory memory, TokenizeOptions options) {
    long result = NativeResult.create();
    try {
      Raw.tokenizerEncodeArrays(
          address,
          memory.utf8,
          memory.ends,
          memory.size,
          options.flags | Abi.ENCODE_SPANS | Abi.ENCODE_UNCUT,
          options.maxTokens,
          options.numThreads,
          result,
          Cancellation.flagOf(options.cancellation));
      return List.copyOf(Tokens.of(result, memory));
    } finally {
      NativeResult.free(result);
    }
  }

  /**
   * Turns a pair of texts into token ids.
   *
   * @param text the first text
   * @param pair the second one
   * @param options how
   * @return the ids of both, as models of pairs want them
   */
  public int[] tokenizePair(String text, String pair, TokenizeOptions options) {
    Objects.requireNonNull(options, "options");
    byte[] utf8 = Utf8.of(Objects.requireNonNull(text, "text"), "the text", options.repairs());
    Object[] results = new Object[1];
    encode(utf8, Utf8.of(Objects.requireNonNull(pair, "pair"), "the pair", options.repairs()), options, results);
    return (int[]) results[0];
  }

  private void encode(byte[] utf8, byte[] pair, TokenizeOptions options, Object[] results) {
    call(address -> {
      Raw.tokenizerEncodeBytes(
          address, utf8, pair, options.flags, options.maxTokens, results, Cancellation.flagOf(options.cancellation));
      return null;
    });
  }

  /**
   * Turns token ids into text.
   *
   * @param ids the ids
   * @param skipSpecial whether to leave special tokens out
   * @return the text; bytes that are not UTF-8 become replacement characters
   */
  public String detokenize(int[] ids, boolean skipSpecial) {
    Objects.requireNonNull(ids, "ids");
    Object[] results = new Object[1];
    return call(address -> {
      Raw.tokenizerDecodeIds(address, ids, skipSpecial ? Abi.DECODE_SKIP_SPECIAL : 0, results);
      return Utf8.text((byte[]) results[0]);
    });
  }

  /**
   * Turns sequences of token ids into texts, each as {@link #detokenize(int[], boolean)} does.
   *
   * @param sequences any number of sequences of ids
   * @param skipSpecial whether to leave special tokens out
   * @return the text of each
   */
  public List<String> detokenize(int[][] sequences, boolean skipSpecial) {
    CallMemory memory = CallMemory.of(sequences);
    Object[] texts = new Object[memory.size];
    try {
      call(address -> {
        int flags = skipSpecial ? Abi.DECODE_SKIP_SPECIAL : 0;
        Raw.tokenizerDecodeArrays(address, memory.ids, memory.offsets, memory.size, flags, texts);
        return null;
      });
    } finally {
      memory.release();
    }
    return Arrays.stream(texts).map(text -> Utf8.text((byte[]) text)).collect(Collectors.toUnmodifiableList());
  }

  /**
   * Looks up a token of the vocabulary.
   *
   * @param token the token as it is written there, such as "##ing"
   * @return its id, or -1
   */
  public int idOf(String token) {
    byte[] utf8 = Utf8.of(Objects.requireNonNull(token, "token"));
    Object[] results = new Object[1];
    return call(address -> {
      Raw.tokenizerFindBytes(address, utf8, results);
      return ((int[]) results[0])[0];
    });
  }

  /**
   * How the vocabulary writes a token.
   *
   * @param id from 0, below {@link TokenizerInfo#vocabSize}
   * @return the token; null for an id without one
   */
  public @Nullable String token(int id) {
    Object[] results = new Object[1];
    return call(address -> {
      Raw.tokenizerTokenBytes(address, id, results);
      return results[0] == null ? null : Utf8.text((byte[]) results[0]);
    });
  }

  /** {@return what the tokenizer is} */
  public TokenizerInfo info() {
    return info;
  }

  /** {@return whether {@link #close} was called} */
  public boolean isClosed() {
    return handle.isClosed();
  }

  /** Closes the tokenizer. Calls in flight end as usual, and the last one frees the memory. */
  @Override
  public void close() {
    cleanable.clean();
  }

  @Override
  public String toString() {
    return "Tokenizer[" + (isClosed() ? "closed]" : info + "]");
  }
}
