// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** What a model is and costs. */
public final class ModelInfo extends ModelCosts {
  ModelInfo(long[] numbers) {
    super(numbers);
  }

  /**
   * How many tokens the vocabulary has; ids are below it.
   *
   * @return the number
   */
  public int vocabSize() {
    return (int) numbers[Abi.MODEL_VOCAB_SIZE];
  }

  /**
   * Floats per token.
   *
   * @return the size
   */
  public int hiddenSize() {
    return (int) numbers[Abi.MODEL_HIDDEN_SIZE];
  }

  /**
   * Floats per embedding, made as the model means it.
   *
   * @return the size
   */
  public int embeddingSize() {
    return (int) numbers[Abi.MODEL_EMBEDDING_SIZE];
  }

  /**
   * Floats of each of {@link Model#tokenVectors}: {@link #hiddenSize} unless the model's files make others of it.
   *
   * @return the size
   */
  public int tokenVectorSize() {
    return (int) numbers[Abi.MODEL_TOKEN_VECTOR_SIZE];
  }

  /**
   * Types of tokens, as pairs of texts have them.
   *
   * @return the number
   */
  public int numTokenTypes() {
    return (int) numbers[Abi.MODEL_NUM_TOKEN_TYPES];
  }

  /**
   * How many encoder layers the model has.
   *
   * @return the number
   */
  public int numLayers() {
    return (int) numbers[Abi.MODEL_NUM_LAYERS];
  }

  /**
   * How many of them have a lookup FFN; the others have a vanilla one.
   *
   * @return the number
   */
  public int numLookupLayers() {
    return (int) numbers[Abi.MODEL_NUM_LOOKUP_LAYERS];
  }

  /**
   * Attention heads.
   *
   * @return the number
   */
  public int numHeads() {
    return (int) numbers[Abi.MODEL_NUM_HEADS];
  }

  /**
   * Floats per attention head.
   *
   * @return the size
   */
  public int headSize() {
    return (int) numbers[Abi.MODEL_HEAD_SIZE];
  }

  /**
   * How many tokens the longest sequence may have.
   *
   * @return the number
   */
  public int maxTokens() {
    return (int) numbers[Abi.MODEL_MAX_TOKENS];
  }

  /**
   * Where the model cuts a text by itself, in tokens.
   *
   * @return the number
   */
  public int ownMaxTokens() {
    return (int) numbers[Abi.MODEL_OWN_MAX_TOKENS];
  }

  /**
   * Whether the model's files tell how it embeds texts.
   *
   * @return whether they do
   */
  public boolean isSentenceEncoder() {
    return numbers[Abi.MODEL_IS_SENTENCE_ENCODER] != 0;
  }

  /**
   * How the model's files make a vector of the tokens'.
   *
   * @return the pooling; {@link Pooling#MODEL} where that is several ways at once
   */
  public Pooling pooling() {
    return Pooling.ofCode((int) numbers[Abi.MODEL_POOLING]);
  }

  /**
   * Whether embeddings have length 1, if they are made as the model means it.
   *
   * @return whether they have
   */
  public boolean normalizes() {
    return numbers[Abi.MODEL_NORMALIZE] == Abi.NORMALIZE_YES;
  }

  /**
   * Width of vanilla FFNs; 0 if there is none.
   *
   * @return the size
   */
  public int intermediateSize() {
    return (int) numbers[Abi.MODEL_INTERMEDIATE_SIZE];
  }

  /**
   * Classes of the classifier; 0 if there is none.
   *
   * @return the number
   */
  public int numClasses() {
    return (int) numbers[Abi.MODEL_NUM_CLASSES];
  }

  /**
   * Whether a text may have several classes at once.
   *
   * @return whether it may
   */
  public boolean severalLabels() {
    return numbers[Abi.MODEL_SEVERAL_LABELS] != 0;
  }

  /**
   * What {@link ScoreKind#MODEL} makes of class scores: what a reranker's files name; else the sigmoid of one class, and
   * nothing of several.
   *
   * @return the activation
   */
  public ScoreActivation scoreActivation() {
    return ScoreActivation.ofCode((int) numbers[Abi.MODEL_SCORE_ACTIVATION]);
  }

  /**
   * Scores of each token: one for each class, as entities need it, 2 of a model that answers questions; 0 without such a
   * head.
   *
   * @return the number
   */
  public int numTokenClasses() {
    return (int) numbers[Abi.MODEL_NUM_TOKEN_CLASSES];
  }

  /**
   * Whether the model finds the answers to questions.
   *
   * @return whether it does
   */
  public boolean answersQuestions() {
    return numbers[Abi.MODEL_TOKEN_HEAD] == Abi.TOKEN_HEAD_ANSWERS;
  }

  /**
   * Whether the model can give logits and fill masks.
   *
   * @return whether it can
   */
  public boolean hasLmHead() {
    return numbers[Abi.MODEL_HAS_LM_HEAD] != 0;
  }

  /**
   * Whether the model can read text.
   *
   * @return whether it can
   */
  public boolean hasTokenizer() {
    return numbers[Abi.MODEL_HAS_TOKENIZER] != 0;
  }

  /**
   * The id of the token that begins a text; -1 for none.
   *
   * @return the id
   */
  public int bosId() {
    return (int) numbers[Abi.MODEL_BOS_ID];
  }

  /**
   * The id of the token that ends a text; -1 for none.
   *
   * @return the id
   */
  public int eosId() {
    return (int) numbers[Abi.MODEL_EOS_ID];
  }

  /**
   * The id of the padding token, which is never needed here; -1 for none.
   *
   * @return the id
   */
  public int padId() {
    return (int) numbers[Abi.MODEL_PAD_ID];
  }

  /**
   * The id of the token for what the vocabulary has not; -1 for none.
   *
   * @return the id
   */
  public int unkId() {
    return (int) numbers[Abi.MODEL_UNK_ID];
  }

  /**
   * The id of the token for a blank to be filled; -1 for none.
   *
   * @return the id
   */
  public int maskId() {
    return (int) numbers[Abi.MODEL_MASK_ID];
  }

  /**
   * How the tables are held in memory.
   *
   * @return the type
   */
  public ElementType tableType() {
    return ElementType.ofCode((int) numbers[Abi.MODEL_TABLE_DTYPE]);
  }

  /**
   * How the hash weights are held in memory.
   *
   * @return the type
   */
  public ElementType hashType() {
    return ElementType.ofCode((int) numbers[Abi.MODEL_HASH_DTYPE]);
  }

  /**
   * How the linear layers are held in memory.
   *
   * @return the type
   */
  public ElementType linearType() {
    return ElementType.ofCode((int) numbers[Abi.MODEL_LINEAR_DTYPE]);
  }

  /**
   * How the word embeddings are held in memory.
   *
   * @return the type
   */
  public ElementType embeddingType() {
    return ElementType.ofCode((int) numbers[Abi.MODEL_EMBEDDING_DTYPE]);
  }

  /**
   * How attention is computed: {@link ElementType#INT8} where any layer does it in whole numbers.
   *
   * @return the type
   */
  public ElementType attentionType() {
    return ElementType.ofCode((int) numbers[Abi.MODEL_ATTENTION_DTYPE]);
  }

  /**
   * A number that grows when a version of the library changes the results of int8 arithmetic: embeddings that are stored
   * should be compared only with those of the same number. It is 1000 more where
   * {@link LoadOptions#withSevenBitInputs(boolean)} has an effect.
   *
   * @return the number
   */
  public int arithmetic() {
    return (int) numbers[Abi.MODEL_ARITHMETIC];
  }

  /**
   * How many tokens a sparse vector may have weights of, see {@link Model#embedSparse}.
   *
   * @return the number; 0 if the model gives no such vectors
   */
  public int sparseSize() {
    return (int) numbers[Abi.MODEL_SPARSE_SIZE];
  }

  /**
   * How many weights a sparse vector has at most by the model's files.
   *
   * @return the number; 0 for no limit
   */
  public int maxActive() {
    return (int) numbers[Abi.MODEL_MAX_ACTIVE];
  }

  /**
   * Whether the model is meant for late interaction, see {@link Model#embedLate}.
   *
   * @return whether it is
   */
  public boolean isLate() {
    return numbers[Abi.MODEL_IS_LATE] != 0;
  }

  /**
   * How many threads one call uses.
   *
   * @return the number
   */
  public int numThreads() {
    return (int) numbers[Abi.MODEL_NUM_THREADS];
  }

  @Override
  public String toString() {
    return numLayers() + " layers (" + numLookupLayers() + " lookup), hidden size " + hiddenSize() + ", vocabulary "
        + vocabSize() + ", " + numParameters() + " parameters";
  }
}
