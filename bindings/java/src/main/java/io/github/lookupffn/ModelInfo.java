// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** What a model is and costs. */
public final class ModelInfo extends NativeFacts {
  ModelInfo(long[] numbers) {
    super(numbers);
  }

  /** {@return how many tokens the vocabulary has; ids are below it} */
  public int vocabSize() {
    return (int) numbers[Abi.MODEL_VOCAB_SIZE];
  }

  /** {@return the number of floats per token} */
  public int hiddenSize() {
    return (int) numbers[Abi.MODEL_HIDDEN_SIZE];
  }

  /** {@return the number of floats per embedding, made as the model means it} */
  public int embeddingSize() {
    return (int) numbers[Abi.MODEL_EMBEDDING_SIZE];
  }

  /**
   * {@return the number of floats of each of {@link Model#tokenVectors}: {@link #hiddenSize} unless the model turns
   * hidden states into other vectors}
   */
  public int tokenVectorSize() {
    return (int) numbers[Abi.MODEL_TOKEN_VECTOR_SIZE];
  }

  /** {@return the number of types of tokens, as pairs of texts have them} */
  public int numTokenTypes() {
    return (int) numbers[Abi.MODEL_NUM_TOKEN_TYPES];
  }

  /** {@return how many encoder layers the model has} */
  public int numLayers() {
    return (int) numbers[Abi.MODEL_NUM_LAYERS];
  }

  /** {@return how many of them have a lookup FFN; the others have a vanilla one} */
  public int numLookupLayers() {
    return (int) numbers[Abi.MODEL_NUM_LOOKUP_LAYERS];
  }

  /** {@return the number of attention heads} */
  public int numHeads() {
    return (int) numbers[Abi.MODEL_NUM_ATTENTION_HEADS];
  }

  /** {@return the number of floats per attention head} */
  public int headSize() {
    return (int) numbers[Abi.MODEL_ATTENTION_HEAD_SIZE];
  }

  /** {@return how many tokens the longest sequence may have} */
  public int maxTokens() {
    return (int) numbers[Abi.MODEL_MAX_TOKENS];
  }

  /** {@return where the model cuts a text by itself, in tokens} */
  public int ownMaxTokens() {
    return (int) numbers[Abi.MODEL_OWN_MAX_TOKENS];
  }

  /** {@return whether the model's files tell how it embeds texts} */
  public boolean isSentenceEncoder() {
    return numbers[Abi.MODEL_IS_SENTENCE_ENCODER] != 0;
  }

  /**
   * {@return how the model's files make a vector of the tokens'; {@link Pooling#MODEL} where that is several ways at
   * once}
   */
  public Pooling pooling() {
    return Pooling.ofCode((int) numbers[Abi.MODEL_POOLING]);
  }

  /** {@return whether embeddings have length 1, if they are made as the model means it} */
  public boolean normalizes() {
    return numbers[Abi.MODEL_NORMALIZE] == Abi.NORMALIZE_YES;
  }

  /** {@return the width of vanilla FFNs; 0 if there is none} */
  public int intermediateSize() {
    return (int) numbers[Abi.MODEL_INTERMEDIATE_SIZE];
  }

  /** {@return the number of classes of the classifier; 0 if there is none} */
  public int numClasses() {
    return (int) numbers[Abi.MODEL_NUM_CLASSES];
  }

  /** {@return whether a text may have several classes at once} */
  public boolean severalLabels() {
    return numbers[Abi.MODEL_IS_MULTI_LABEL] != 0;
  }

  /**
   * {@return what {@link ScoreKind#MODEL} makes of class scores: what a reranker's files name; else the sigmoid of one
   * class, and nothing of several}
   */
  public ScoreActivation scoreActivation() {
    return ScoreActivation.ofCode((int) numbers[Abi.MODEL_SCORE_ACTIVATION]);
  }

  /**
   * {@return the number of scores of each token: one for each class, as entities need it, 2 of a model that answers
   * questions; 0 without such a head}
   */
  public int numTokenClasses() {
    return (int) numbers[Abi.MODEL_NUM_TOKEN_CLASSES];
  }

  /** {@return whether the model finds the answers to questions} */
  public boolean answersQuestions() {
    return numbers[Abi.MODEL_TOKEN_HEAD] == Abi.TOKEN_HEAD_ANSWERS;
  }

  /** {@return whether the model can give logits and fill masks} */
  public boolean hasLmHead() {
    return numbers[Abi.MODEL_HAS_LM_HEAD] != 0;
  }

  /** {@return whether the model can read text} */
  public boolean hasTokenizer() {
    return numbers[Abi.MODEL_HAS_TOKENIZER] != 0;
  }

  /** {@return the id of the token that begins a text; -1 for none} */
  public int bosId() {
    return (int) numbers[Abi.MODEL_BOS_ID];
  }

  /** {@return the id of the token that ends a text; -1 for none} */
  public int eosId() {
    return (int) numbers[Abi.MODEL_EOS_ID];
  }

  /** {@return the id of the padding token, which is never needed here; -1 for none} */
  public int padId() {
    return (int) numbers[Abi.MODEL_PAD_ID];
  }

  /** {@return the id of the token for text that the vocabulary lacks; -1 for none} */
  public int unkId() {
    return (int) numbers[Abi.MODEL_UNK_ID];
  }

  /** {@return the id of the token for a blank to be filled; -1 for none} */
  public int maskId() {
    return (int) numbers[Abi.MODEL_MASK_ID];
  }

  /** {@return how the tables are held in memory} */
  public ElementType tableType() {
    return ElementType.ofCode((int) numbers[Abi.MODEL_TABLE_DTYPE]);
  }

  /** {@return how the hash weights are held in memory} */
  public ElementType hashType() {
    return ElementType.ofCode((int) numbers[Abi.MODEL_HASH_DTYPE]);
  }

  /** {@return how the linear layers are held in memory} */
  public ElementType linearType() {
    return ElementType.ofCode((int) numbers[Abi.MODEL_LINEAR_DTYPE]);
  }

  /** {@return how the word embeddings are held in memory} */
  public ElementType embeddingType() {
    return ElementType.ofCode((int) numbers[Abi.MODEL_EMBEDDING_DTYPE]);
  }

  /** {@return how attention is computed: {@link ElementType#INT8} if any layer does it in int8} */
  public ElementType attentionType() {
    return ElementType.ofCode((int) numbers[Abi.MODEL_ATTENTION_DTYPE]);
  }

  /**
   * {@return a number that grows when a version of the library changes the results of int8 arithmetic: embeddings that
   * are stored should be compared only with those of the same number}. It is 1000 more where {@link
   * LoadOptions#withSevenBitInputs(boolean)} has an effect.
   */
  public int arithmetic() {
    return (int) numbers[Abi.MODEL_ARITHMETIC];
  }

  /**
   * {@return how many different tokens may have weights in a sparse vector, see {@link Model#embedSparse}; 0 if the
   * model gives no such vectors}
   */
  public int sparseSize() {
    return (int) numbers[Abi.MODEL_SPARSE_SIZE];
  }

  /** {@return how many weights a sparse vector may have according to the model's files; 0 for no limit} */
  public int maxActive() {
    return (int) numbers[Abi.MODEL_MAX_ACTIVE];
  }

  /** {@return whether the model is meant for late interaction, see {@link Model#embedLate}} */
  public boolean isLate() {
    return numbers[Abi.MODEL_IS_LATE] != 0;
  }

  /** {@return whether a token attends only to those before it} */
  public boolean isCausal() {
    return numbers[Abi.MODEL_IS_CAUSAL] != 0;
  }

  /** {@return how many tokens to each side those of local layers attend to (in a causal model before them); 0: to all} */
  public int window() {
    return (int) numbers[Abi.MODEL_ATTENTION_WINDOW];
  }

  /** {@return the base of rotary positions in layers that attend to all; 0 where there are no such layers or positions} */
  public float theta() {
    return Float.intBitsToFloat((int) numbers[Abi.MODEL_ROPE_THETA_BITS]);
  }

  /** {@return the base of rotary positions in local layers; 0 as for {@link #theta}} */
  public float localTheta() {
    return Float.intBitsToFloat((int) numbers[Abi.MODEL_LOCAL_ROPE_THETA_BITS]);
  }

  /** {@return how many threads one call uses} */
  public int numThreads() {
    return (int) numbers[Abi.MODEL_NUM_THREADS];
  }

  /** {@return the number of floating point operations of all FFNs for a token, as the paper counts them} */
  public long ffnFlopPerToken() {
    return numbers[Abi.MODEL_FFN_FLOP_PER_TOKEN];
  }

  /** {@return the number of floating point operations of the linear layers of all attentions for a token} */
  public long attentionFlopPerToken() {
    return numbers[Abi.MODEL_ATTENTION_FLOP_PER_TOKEN];
  }

  /** {@return the number of floating point operations for a token and each token it attends to} */
  public long attentionFlopPerPair() {
    return numbers[Abi.MODEL_ATTENTION_FLOP_PER_PAIR];
  }

  /** {@return the number of floating point operations of all the rest for a token} */
  public long otherFlopPerToken() {
    return numbers[Abi.MODEL_OTHER_FLOP_PER_TOKEN];
  }

  /** {@return the number of floating point operations of the logits of one position; 0 without that head} */
  public long lmHeadFlopPerToken() {
    return numbers[Abi.MODEL_LM_HEAD_FLOP_PER_TOKEN];
  }

  /** {@return how many numbers were learned} */
  public long numParameters() {
    return numbers[Abi.MODEL_NUM_PARAMETERS];
  }

  /** {@return how many tensor bytes {@link Model#save} writes} */
  public long fileBytes() {
    return numbers[Abi.MODEL_FILE_BYTES];
  }

  /** {@return how many bytes of weights are in memory} */
  public long memoryBytes() {
    return numbers[Abi.MODEL_MEMORY_BYTES];
  }

  /** {@return how many bytes of scratch memory a call in flight takes at most, beside its results} */
  public long scratchBytes() {
    return numbers[Abi.MODEL_SCRATCH_BYTES];
  }

  /** {@return about how many bytes the tokenizer holds in memory, not among {@link #memoryBytes}} */
  public long tokenizerBytes() {
    return numbers[Abi.MODEL_TOKENIZER_BYTES];
  }

  @Override
  public String toString() {
    return numLayers() + " layers (" + numLookupLayers() + " lookup), hidden size " + hiddenSize() + ", vocabulary "
        + vocabSize() + ", " + numParameters() + " parameters";
  }
}
