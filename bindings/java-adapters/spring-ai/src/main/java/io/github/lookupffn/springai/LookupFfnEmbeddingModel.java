// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.springai;

import io.github.lookupffn.EmbeddedTexts;
import io.github.lookupffn.Embedder;
import io.github.lookupffn.Model;
import io.github.lookupffn.Purpose;
import io.micrometer.observation.ObservationRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.metadata.DefaultUsage;
import org.springframework.ai.document.Document;
import org.springframework.ai.document.MetadataMode;
import org.springframework.ai.embedding.AbstractEmbeddingModel;
import org.springframework.ai.embedding.BatchingStrategy;
import org.springframework.ai.embedding.Embedding;
import org.springframework.ai.embedding.EmbeddingOptions;
import org.springframework.ai.embedding.EmbeddingRequest;
import org.springframework.ai.embedding.EmbeddingResponse;
import org.springframework.ai.embedding.EmbeddingResponseMetadata;
import org.springframework.ai.embedding.observation.DefaultEmbeddingModelObservationConvention;
import org.springframework.ai.embedding.observation.EmbeddingModelObservationContext;
import org.springframework.ai.embedding.observation.EmbeddingModelObservationConvention;
import org.springframework.ai.embedding.observation.EmbeddingModelObservationDocumentation;

/**
 * A model as Spring AI's embedding model. Any number of threads may use one at once.
 *
 * <p>There are three views of one: its texts are documents; those of {@link #forQueries} are queries; {@link #forStores} is
 * what vector stores want, which embed what they search for by {@link #embed(String)} and what they keep by all else.
 *
 * <p>A document is embedded with those of its metadata that are meant for it, whatever method it is given to, so that it has
 * one vector.
 *
 * <p>A text that is longer than the model reads is cut, and the response's metadata have {@code truncated}, the places of
 * such texts among those given; {@link LookupFfnEmbeddingSettings#refuseLongTexts} makes the call fail instead, before
 * anything is run.
 */
public final class LookupFfnEmbeddingModel extends AbstractEmbeddingModel implements AutoCloseable {
  private static final EmbeddingModelObservationConvention CONVENTION = new DefaultEmbeddingModelObservationConvention();
  private static final String PROVIDER = "lookupffn";

  private final Embedder embedder;
  private final String modelName;
  private final ObservationRegistry observations;
  private final Purpose purpose;
  private final Purpose purposeOfOne;
  private final boolean isView;

  private LookupFfnEmbeddingModel(LookupFfnEmbeddingModel viewed, Purpose purpose, Purpose purposeOfOne) {
    this(viewed.embedder, viewed.modelName, viewed.observations, purpose, purposeOfOne, true);
  }

  private LookupFfnEmbeddingModel(
      Embedder embedder,
      String modelName,
      ObservationRegistry observations,
      Purpose purpose,
      Purpose purposeOfOne,
      boolean isView) {
    this.isView = isView;
    this.embedder = Objects.requireNonNull(embedder, "embedder");
    this.modelName = Objects.requireNonNull(modelName, "modelName");
    this.observations = Objects.requireNonNull(observations, "observations");
    this.purpose = purpose;
    this.purposeOfOne = purposeOfOne;
    embeddingDimensions.set(embedder.dimensions());
  }

  /**
   * Makes one whose texts are documents.
   *
   * @param model the model, which stays the caller's
   * @param settings how texts are embedded
   */
  public LookupFfnEmbeddingModel(Model model, LookupFfnEmbeddingSettings settings) {
    this(settings.embedder(model), settings.modelName(), ObservationRegistry.NOOP);
  }

  /**
   * Makes one whose texts are documents, and whose calls are observed as Spring AI's own models are.
   *
   * @param embedder how texts are embedded; {@link #close} closes it
   * @param modelName the name that responses tell and requests may ask for
   * @param observations who is told of calls
   */
  public LookupFfnEmbeddingModel(Embedder embedder, String modelName, ObservationRegistry observations) {
    this(embedder, modelName, observations, Purpose.DOCUMENT, Purpose.DOCUMENT, false);
  }

  /**
   * A view of this whose texts are queries. It ends with this one, and closing it closes nothing.
   *
   * @return the embedding model for queries
   */
  public LookupFfnEmbeddingModel forQueries() {
    return new LookupFfnEmbeddingModel(this, Purpose.QUERY, Purpose.QUERY);
  }

  /**
   * A view of this for vector stores: a text given alone is a query, documents and lists are documents. It ends with this
   * one, and closing it closes nothing.
   *
   * @return the embedding model for vector stores
   */
  public LookupFfnEmbeddingModel forStores() {
    return new LookupFfnEmbeddingModel(this, Purpose.DOCUMENT, Purpose.QUERY);
  }

  @Override
  public EmbeddingResponse call(EmbeddingRequest request) {
    return call(request, purpose);
  }

  @Override
  public float[] embed(String text) {
    Objects.requireNonNull(text, "text");
    return call(new EmbeddingRequest(List.of(text), null), purposeOfOne).getResult().getOutput();
  }

  @Override
  public float[] embed(Document document) {
    return call(new EmbeddingRequest(List.of(contentOf(document)), null), purpose).getResult().getOutput();
  }

  @Override
  public List<float[]> embed(List<Document> documents, EmbeddingOptions options, BatchingStrategy batchingStrategy) {
    documents.forEach(LookupFfnEmbeddingModel::checkText); // before a strategy counts the tokens of none
    List<float[]> vectors = new ArrayList<>(documents.size());
    for (List<Document> batch : batchingStrategy.batch(documents)) {
      List<String> texts = batch.stream().map(LookupFfnEmbeddingModel::contentOf).toList();
      call(new EmbeddingRequest(texts, options), purpose).getResults().forEach(result -> vectors.add(result.getOutput()));
    }
    if (vectors.size() != documents.size()) {
      throw new IllegalStateException(
          "the batching strategy gave " + vectors.size() + " of " + documents.size() + " documents");
    }
    return vectors;
  }

  /**
   * What is embedded of a document, which Spring AI 2 asks for.
   *
   * @param document a document
   * @return its text with those of its metadata that are meant for embedding
   */
  // Spring AI 1 has no such method.
  public String getEmbeddingContent(Document document) {
    return contentOf(document);
  }

  /** Without metadata a document is its text: Spring AI puts blank lines before it. */
  private static String contentOf(Document document) {
    checkText(document);
    return document.getFormattedContent(MetadataMode.EMBED).stripLeading();
  }

  private static void checkText(Document document) {
    if (!Objects.requireNonNull(document, "document").isText()) {
      throw new IllegalArgumentException(
          "the document " + document.getId() + " has media and no text, and the model embeds texts; describe it by a text");
    }
  }

  private EmbeddingResponse call(EmbeddingRequest request, Purpose asked) {
    Options options = optionsOf(request.getOptions());
    EmbeddingRequest whole = new EmbeddingRequest(request.getInstructions(), options);
    EmbeddingModelObservationContext context =
        EmbeddingModelObservationContext.builder().embeddingRequest(whole).provider(PROVIDER).build();
    return EmbeddingModelObservationDocumentation.EMBEDDING_MODEL_OPERATION
        .observation(null, CONVENTION, () -> context, observations)
        .observe(() -> {
          EmbeddedTexts embedded = embedder.embed(whole.getInstructions(), asked, options.getDimensions());
          EmbeddingResponse response = responseOf(embedded);
          context.setResponse(response);
          return response;
        });
  }

  private EmbeddingResponse responseOf(EmbeddedTexts embedded) {
    List<Embedding> embeddings = new ArrayList<>(embedded.vectors().size());
    embedded.vectors().forEach(vector -> embeddings.add(new Embedding(vector, embeddings.size())));
    Map<String, Object> metadata = embedded.cut().isEmpty() ? Map.of() : Map.of("truncated", embedded.cut());
    int tokens = (int) Math.min(Integer.MAX_VALUE, embedded.tokens());
    return new EmbeddingResponse(
        embeddings, new EmbeddingResponseMetadata(modelName, new DefaultUsage(tokens, 0), metadata));
  }

  private Options optionsOf(@Nullable EmbeddingOptions asked) {
    String name = asked == null ? null : asked.getModel();
    if (name != null && !name.equals(modelName)) {
      throw new IllegalArgumentException("the model is " + modelName + ", not " + name);
    }
    Integer dimensions = asked == null ? null : asked.getDimensions();
    if (dimensions != null && (dimensions < 1 || dimensions > embedder.dimensions())) {
      throw new IllegalArgumentException(
          dimensions + " dimensions are asked for, the model gives 1 to " + embedder.dimensions());
    }
    return new Options(modelName, dimensions == null ? embedder.dimensions() : dimensions);
  }

  /** What a request comes down to. */
  private static final class Options implements EmbeddingOptions {
    private final String model;
    private final int dimensions;

    Options(String model, int dimensions) {
      this.model = model;
      this.dimensions = dimensions;
    }

    @Override
    public String getModel() {
      return model;
    }

    @Override
    public Integer getDimensions() {
      return dimensions;
    }
  }

  /** Closes the embedder, unless this is a view of another. The model stays open. */
  @Override
  public void close() {
    if (!isView) {
      embedder.close();
    }
  }
}
